import taichi as ti

C = [(x, y, z) for z in (-1, 0, 1) for y in (-1, 0, 1) for x in (-1, 0, 1)
     if abs(x) + abs(y) + abs(z) < 3]
WEIGHTS = [(1 / 3, 1 / 18, 1 / 36)[abs(x) + abs(y) + abs(z)] for x, y, z in C]
Field = ti.types.ndarray(dtype=ti.f32, ndim=4)


@ti.kernel
def stream_collide(f: Field, new: Field):
    _, nz, ny, nx = f.shape
    for k, j, i in ti.ndrange(*f.shape[1:]):
        xs, ys, zs = ([(i + 1) % nx, i, (i + nx - 1) % nx], [(j + 1) % ny, j, (j + ny - 1) % ny],
                      [(k + 1) % nz, k, (k + nz - 1) % nz])
        g, u = ti.Vector([0.0] * 19), ti.Vector([0.0] * 3)
        for q in ti.static(range(19)):
            g[q] = f[q, zs[C[q][2] + 1], ys[C[q][1] + 1], xs[C[q][0] + 1]]
            u += g[q] * ti.Vector(C[q])
        rho = g.sum()
        u /= rho
        for q in ti.static(range(19)):
            along = u.dot(ti.Vector(C[q]))
            equilibrium = WEIGHTS[q] * rho * (1 + 3 * along + 4.5 * along * along - 1.5 * u.dot(u))
            new[q, k, j, i] = g[q] - 1.6 * (g[q] - equilibrium)


def prepare(device, initial):
    ti.init(arch=getattr(ti, device))
    fields = [ti.ndarray(ti.f32, initial.shape) for _ in range(2)]
    fields[0].from_numpy(initial)

    def step(n):
        for _ in range(n):
            stream_collide(*fields)
            fields.reverse()
        ti.sync()

    return step, lambda: fields[0].to_numpy()
