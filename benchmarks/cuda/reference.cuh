#pragma once
// The formulas of the twins, a thread a cell: what their bits are checked against.

#include "twins/d3q19.cuh"
#include "twins/heat25.cuh"
#include "twins/life.cuh"
#include "twins/pack.cuh"

namespace goban::cuda_twins::reference {

struct Cell {
  int x, y, z;
  Index at;
  bool is_inside;
};
__device__ inline Cell cell(const Grid& grid) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  return {x, y, z, z * grid.plane + y * grid.pitch + x, x < grid.nx};
}
inline Launch cells_of(const Grid& grid) {
  return {dim3(divide_up(grid.nx, 128), grid.ny, grid.nz), dim3(128)};
}

template <class T>
__global__ void heat7(const T* u, T* next, T r, Grid grid) {
  const Cell c = cell(grid);
  if (!c.is_inside) return;
  const auto at = [&](int x, int y, int z) {
    return u[c.at + x + y * grid.pitch + z * grid.plane];
  };
  next[c.at] = at(0, 0, 0) + r * (at(1, 0, 0) + at(-1, 0, 0) + at(0, 1, 0) + at(0, -1, 0) +
                                  at(0, 0, 1) + at(0, 0, -1) - T(6) * at(0, 0, 0));
}

template <class T>
__global__ void heat25(const T* u, T* next, Heat25Weights w, Grid grid) {
  const Cell c = cell(grid);
  if (!c.is_inside) return;
  const auto at = [&](int x, int y, int z) {
    return u[c.at + x + y * grid.pitch + z * grid.plane];
  };
  const auto around = [&](int j) {
    return at(j, 0, 0) + at(-j, 0, 0) + at(0, j, 0) + at(0, -j, 0) + at(0, 0, j) + at(0, 0, -j);
  };
  next[c.at] = w.c[0] * at(0, 0, 0) + w.c[1] * around(1) + w.c[2] * around(2) + w.c[3] * around(3) +
               w.c[4] * around(4);
}

template <class T>
__global__ void life(const T* u, T* next, LifeRule rule, Grid grid) {
  const Cell c = cell(grid);
  if (!c.is_inside) return;
  int living = -u[c.at];
  for (int z = -1; z <= 1; ++z) {
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) living += u[c.at + x + y * grid.pitch + z * grid.plane];
    }
  }
  next[c.at] = u[c.at] != 0 ? living >= rule.survive_low && living <= rule.survive_high
                            : living >= rule.born_low && living <= rule.born_high;
}

/// Without the symmetries that the twin makes use of.
template <class T>
__global__ void d3q19(const T* u, T* next, Index component, float omega, Grid grid) {
  using namespace d3q19_detail;
  const Cell cell_ = cell(grid);
  if (!cell_.is_inside) return;
  float f[populations];
  for_each_population([&](auto population) {
    constexpr int q = decltype(population)::value;
    constexpr int cx = d3q19_velocity[q][0], cy = d3q19_velocity[q][1], cz = d3q19_velocity[q][2];
    const T stored = u[q * component + cell_.at - cx - cy * grid.pitch - cz * grid.plane];
    f[q] = std::is_same_v<T, float> ? float(stored) : float(stored) + d3q19_weight(q);
  });
  float rho = f[0];
  for (int q = 1; q < populations; ++q) rho = rho + f[q];
  const float inverse = 1.0f / rho;
  const float vx = momentum<0>(f) * inverse, vy = momentum<1>(f) * inverse,
              vz = momentum<2>(f) * inverse;
  const float vv = 1.5f * (vx * vx + vy * vy + vz * vz);
  for_each_population([&](auto population) {
    constexpr int q = decltype(population)::value;
    constexpr int cx = d3q19_velocity[q][0], cy = d3q19_velocity[q][1], cz = d3q19_velocity[q][2];
    const float weighted = d3q19_weight(q) * rho;
    float equilibrium = weighted * (1.0f - vv);
    if constexpr (q > 0) {
      float cv = cx != 0 ? cx * vx : cy != 0 ? cy * vy : cz * vz;
      if constexpr (cx != 0 && cy != 0) cv = cv + cy * vy;
      if constexpr ((cx != 0 || cy != 0) && cz != 0) cv = cv + cz * vz;
      equilibrium = weighted * (1.0f + 3.0f * cv + 4.5f * cv * cv - vv);
    }
    const float result = f[q] - omega * (f[q] - equilibrium);
    const float shifted = std::is_same_v<T, float> ? result : result - d3q19_weight(q);
    next[q * component + cell_.at] = static_cast<T>(shifted);
  });
}

}  // namespace goban::cuda_twins::reference
