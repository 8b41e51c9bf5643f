import cupy as cp

diffuse = cp.RawKernel(r"""
extern "C" __global__ void diffuse(const float* __restrict__ u, float* __restrict__ next,
                                   int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z, row = nx, plane = nx * ny, at = z * plane + y * row + x;
  if (x >= nx || y >= ny) return;
  const float sum = (x + 1 < nx ? u[at + 1] : 0) + (x > 0 ? u[at - 1] : 0)
                  + (y + 1 < ny ? u[at + row] : 0) + (y > 0 ? u[at - row] : 0)
                  + (z + 1 < nz ? u[at + plane] : 0) + (z > 0 ? u[at - plane] : 0);
  next[at] = u[at] + 0.1f * (sum - 6 * u[at]);
}""", "diffuse")


def prepare(device, initial):
    nz, ny, nx = initial.shape
    fields = [cp.asarray(initial), cp.empty(initial.shape, "float32")]

    def step(n):
        for _ in range(n):
            diffuse(((nx + 63) // 64, (ny + 7) // 8, nz), (64, 8), (*fields, nx, ny, nz))
            fields.reverse()
        cp.cuda.Device().synchronize()

    return step, lambda: [fields[0].get()]
