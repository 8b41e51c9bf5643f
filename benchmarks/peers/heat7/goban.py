import goban


def diffuse(u, next, r):
    next[...] = u() + r * goban.laplacian(u)


def prepare(device, initial):
    grid = goban.Grid(initial.T.shape, boundary=goban.constant(0))
    u, next = grid.field("u", "float32"), grid.field("next", "float32")
    u[...] = initial.T
    step = goban.Program("heat")
    step.apply(diffuse, u, next, r=0.1)
    step.swap(u, next)
    return goban.Engine(step).run, lambda: [u.numpy().T]
