import goban

VELOCITIES = [(x, y, z) for z in (-1, 0, 1) for y in (-1, 0, 1) for x in (-1, 0, 1)
              if abs(x) + abs(y) + abs(z) < 3]
WEIGHTS = [(1 / 3, 1 / 18, 1 / 36)[abs(x) + abs(y) + abs(z)] for x, y, z in VELOCITIES]


def stream_collide(f, next, omega):
    f = [f[q](-x, -y, -z) for q, (x, y, z) in enumerate(VELOCITIES)]
    rho = sum(f)
    u, v, w = (sum(c[a] * f[q] for q, c in enumerate(VELOCITIES) if c[a]) / rho for a in range(3))
    for q, (x, y, z) in enumerate(VELOCITIES):
        along = sum(c * speed for c, speed in ((x, u), (y, v), (z, w)) if c)
        equilibrium = WEIGHTS[q] * rho * (1 + 3 * along + 4.5 * along * along - 1.5 * (u * u + v * v + w * w))
        next[q] = f[q] - omega * (f[q] - equilibrium)


def prepare(device, initial):
    grid = goban.Grid(initial.T.shape[:3])
    f, next = (grid.field(name, "float32", components=19) for name in ("f", "next"))
    f[...] = initial.transpose(0, 3, 2, 1)
    step = goban.Program("lattice_boltzmann")
    step.apply(stream_collide, f, next, omega=1.6)
    step.swap(f, next)
    return goban.Engine(step).run, lambda: f.numpy().transpose(0, 3, 2, 1)
