import torch
import triton
import triton.language as tl


@triton.jit
def laplacian(at, c, x, y, z, nx, ny, nz, inside):
    total = tl.load(at + 1, inside & (x + 1 < nx), 0) + tl.load(at - 1, inside & (x > 0), 0)
    total += tl.load(at + nx, inside & (y + 1 < ny), 0) + tl.load(at - nx, inside & (y > 0), 0)
    total += tl.load(at + nx * ny, inside & (z + 1 < nz), 0) + tl.load(at - nx * ny, inside & (z > 0), 0)
    return total - 6 * c


@triton.jit
def react(u, v, u_new, v_new, nx, ny, nz, BX: tl.constexpr, BY: tl.constexpr):
    x = tl.program_id(0) * BX + tl.arange(0, BX)[None, :]
    y = tl.program_id(1) * BY + tl.arange(0, BY)[:, None]
    z = tl.program_id(2)
    at, inside = (z * ny + y) * nx + x, (x < nx) & (y < ny)
    a, b = tl.load(u + at, inside), tl.load(v + at, inside)
    eaten = a * b * b
    a_next = a + 0.16 * laplacian(u + at, a, x, y, z, nx, ny, nz, inside) - eaten + 0.035 * (1 - a)
    b_next = b + 0.08 * laplacian(v + at, b, x, y, z, nx, ny, nz, inside) + eaten - 0.1 * b
    tl.store(u_new + at, a_next, inside)
    tl.store(v_new + at, b_next, inside)


def prepare(device, *initial):
    nz, ny, nx = initial[0].shape
    now = [torch.tensor(values, device=device) for values in initial]
    then = [torch.empty_like(u) for u in now]

    def step(n):
        nonlocal now, then
        for _ in range(n):
            react[triton.cdiv(nx, 256), triton.cdiv(ny, 4), nz](*now, *then, nx, ny, nz, BX=256, BY=4)
            now, then = then, now
        torch.cuda.synchronize()

    return step, lambda: [u.cpu().numpy() for u in now]
