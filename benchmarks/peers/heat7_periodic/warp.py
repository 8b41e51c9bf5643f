import warp as wp


@wp.kernel(enable_backward=False)
def diffuse(u: wp.array3d(dtype=float), after: wp.array3d(dtype=float)):
    k, j, i = wp.tid()
    nz, ny, nx = u.shape[0], u.shape[1], u.shape[2]
    above, below = wp.where(k + 1 < nz, k + 1, 0), wp.where(k > 0, k - 1, nz - 1)
    north, south = wp.where(j + 1 < ny, j + 1, 0), wp.where(j > 0, j - 1, ny - 1)
    east, west = wp.where(i + 1 < nx, i + 1, 0), wp.where(i > 0, i - 1, nx - 1)
    after[k, j, i] = u[k, j, i] + 0.1 * (
        u[k, j, east] + u[k, j, west] + u[k, north, i] + u[k, south, i] + u[above, j, i]
        + u[below, j, i] - 6.0 * u[k, j, i])


def prepare(device, initial):
    wp.set_device(device)
    fields = [wp.array(initial), wp.empty(initial.shape, dtype=float)]

    def step(n):
        for _ in range(n):
            wp.launch(diffuse, initial.shape, fields)
            fields.reverse()
        wp.synchronize()

    return step, lambda: [fields[0].numpy()]
