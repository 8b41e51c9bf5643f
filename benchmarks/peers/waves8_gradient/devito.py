from devito import Eq, Function, Grid, Operator, TimeFunction, configuration

configuration["language"] = "openmp"
STEPS = 8


def prepare(device, first, before, squares):
    grid = Grid(first.shape, extent=[n - 1 for n in first.shape])
    p = TimeFunction(name="p", grid=grid, time_order=2, space_order=8, save=STEPS + 2)
    v = TimeFunction(name="v", grid=grid, time_order=2, space_order=8)  # the adjoint of p
    s = Function(name="s", grid=grid, space_order=8)
    g = Function(name="g", grid=grid, space_order=0)
    p.data[0], p.data[1], s.data[:] = before, first, squares
    advance = Operator(Eq(p.forward, 2 * p - p.backward + s * p.laplace))
    back = Operator([Eq(g, g + v * p.backward.laplace),
                     Eq(v.backward, 2 * v - v.forward + (s * v).laplace)])
    end = STEPS + 1

    def gradients(n):
        for _ in range(n):
            advance.apply(time_m=1, time_M=STEPS)
            v.data[end % 3], v.data[(end + 1) % 3], g.data[:] = p.data[end], 0, 0
            back.apply(time_m=2, time_M=end)

    return gradients, lambda: [g.data]
