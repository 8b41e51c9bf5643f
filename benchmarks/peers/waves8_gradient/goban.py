import goban

STEPS = 8


def advance(p, before, s):
    before[...] = 2 * p() - before() + s() * goban.laplacian(p, order=8)


def prepare(device, *initial):
    grid = goban.Grid(initial[0].T.shape, boundary=goban.constant(0))
    p, before, s = fields = [grid.field(name, "float32") for name in ("p", "before", "s")]
    for field, values in zip(fields, initial):
        field[...] = values.T
    step = goban.Program("waves")
    step.apply(advance, p, before, s)
    step.swap(p, before)
    adjoint = goban.Adjoint(step, goban.stage(lambda p: p()**2 / 2, p), [s])
    gradient = None

    def gradients(n):
        nonlocal gradient
        for _ in range(n):
            _, (gradient,) = adjoint.value_and_gradient(STEPS)

    return gradients, lambda: [gradient.T]
