import cupy as cp

stream_collide = cp.RawKernel(r"""
extern "C" __global__ void stream_collide(const float* __restrict__ f, float* __restrict__ next,
                                          int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x >= nx) return;
  const int xs[] = {x + 1 < nx ? x + 1 : 0, x, x > 0 ? x - 1 : nx - 1};
  const int ys[] = {y + 1 < ny ? y + 1 : 0, y, y > 0 ? y - 1 : ny - 1};
  const int zs[] = {z + 1 < nz ? z + 1 : 0, z, z > 0 ? z - 1 : nz - 1};
  const float weights[] = {1.0f / 3, 1.0f / 18, 1.0f / 36};
  const long long cells = (long long)nx * ny * nz;
  float g[19], rho = 0, u = 0, v = 0, w = 0;
  int q = 0;
#pragma unroll
  for (int n = 0; n < 27; ++n) {
    const int c[] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    if (abs(c[0]) + abs(c[1]) + abs(c[2]) > 2) continue;
    g[q] = f[q * cells + ((long long)zs[c[2] + 1] * ny + ys[c[1] + 1]) * nx + xs[c[0] + 1]];
    rho += g[q], u += c[0] * g[q], v += c[1] * g[q], w += c[2] * g[q], ++q;
  }
  u /= rho, v /= rho, w /= rho, q = 0;
#pragma unroll
  for (int n = 0; n < 27; ++n) {
    const int c[] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}, far = abs(c[0]) + abs(c[1]) + abs(c[2]);
    if (far > 2) continue;
    const float along = c[0] * u + c[1] * v + c[2] * w;
    const float equilibrium = weights[far] * rho
        * (1 + 3 * along + 4.5f * along * along - 1.5f * (u * u + v * v + w * w));
    next[q * cells + ((long long)z * ny + y) * nx + x] = g[q] - 1.6f * (g[q] - equilibrium), ++q;
  }
}""", "stream_collide")


def prepare(device, initial):
    _, nz, ny, nx = initial.shape
    fields = [cp.asarray(initial), cp.empty(initial.shape, "float32")]

    def step(n):
        for _ in range(n):
            stream_collide(((nx + 127) // 128, ny, nz), (128,), (*fields, nx, ny, nz))
            fields.reverse()
        cp.cuda.Device().synchronize()

    return step, lambda: fields[0].get()
