from devito import Eq, Grid, Operator, TimeFunction, configuration

configuration["language"] = "openmp"


def prepare(device, first_u, first_v):
    grid = Grid(first_u.shape, extent=[n - 1 for n in first_u.shape])
    u, v = (TimeFunction(name=name, grid=grid, space_order=2) for name in "uv")
    u.data[0], v.data[0] = first_u, first_v
    eaten = u * v * v
    react = Operator([Eq(u.forward, u + 0.16 * u.laplace - eaten + 0.035 * (1 - u)),
                      Eq(v.forward, v + 0.08 * v.laplace + eaten - 0.1 * v)])
    done = 0

    def step(n):
        nonlocal done
        react.apply(time_m=done, time_M=done + n - 1)
        done += n

    return step, lambda: [u.data[done % 2], v.data[done % 2]]
