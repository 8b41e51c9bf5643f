#pragma once
// Lattice Boltzmann, D3Q19, streaming by pull and BGK collision. Velocities c_q as
// d3q19_velocity lists them; populations arrive as f_q = u_q(-c_q), then, sums from left to right,
//   rho = f_0 + f_1 + ... + f_18
//   j_a = sum over q with c_qa != 0, in order, of c_qa f_q
//   v_a = j_a * (1 / rho),   vv = 1.5 (v_x v_x + v_y v_y + v_z v_z)
//   cv  = c_qx v_x + c_qy v_y + c_qz v_z, terms that are zero left out
//   feq_q = w_q rho (1 + 3 cv + 4.5 cv cv - vv),   feq_0 = w_0 rho (1 - vv)
//   next_q = f_q - omega (f_q - feq_q)
// with products and sums in the order written; -1 times a number is a sign, not a product.
//
// Populations stored as __half are half(u_q - w_q): near rest what differs between cells is small
// and keeps its digits. Arithmetic is in float.

#include <cuda_fp16.h>

#include <type_traits>
#include <utility>

#include "pack.cuh"

namespace goban::cuda_twins {

inline constexpr int populations = 19;
/// Opposite velocities follow each other: 1 and 2, 3 and 4, ...
inline constexpr int d3q19_velocity[populations][3] = {
    {0, 0, 0},                                        // rest
    {1, 0, 0},  {-1, 0, 0},  {0, 1, 0},               // faces
    {0, -1, 0}, {0, 0, 1},   {0, 0, -1},              //
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0},  // edges
    {1, 0, 1},  {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1},  //
    {0, 1, 1},  {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
};

__host__ __device__ constexpr float d3q19_weight(int q) {
  return q == 0 ? 1.0f / 3 : q < 7 ? 1.0f / 18 : 1.0f / 36;
}
__host__ __device__ constexpr int opposite(int q) { return q == 0 ? 0 : ((q - 1) ^ 1) + 1; }

namespace d3q19_detail {

template <int Q>
using Population = std::integral_constant<int, Q>;

template <class F, int... Q>
__device__ __forceinline__ void for_each(F& f, std::integer_sequence<int, Q...>) {
  (f(Population<Q>{}), ...);
}
template <class F>
__device__ __forceinline__ void for_each_population(F f) {
  for_each(f, std::make_integer_sequence<int, populations>{});
}

/// Sum over q of c_q[axis] f[q].
template <int Axis>
__device__ __forceinline__ float momentum(const float (&f)[populations]) {
  constexpr int first = 1 + 2 * Axis;
  float sum = f[first];
  for_each_population([&](auto population) {
    constexpr int q = decltype(population)::value;
    constexpr int c = d3q19_velocity[q][Axis];
    if constexpr (q > first && c > 0) sum = sum + f[q];
    if constexpr (q > first && c < 0) sum = sum - f[q];
  });
  return sum;
}

/// c_q . v for q of positive first component.
template <int Q>
__device__ __forceinline__ float along(const float (&v)[3]) {
  constexpr int cx = d3q19_velocity[Q][0], cy = d3q19_velocity[Q][1], cz = d3q19_velocity[Q][2];
  constexpr int first = cx != 0 ? 0 : cy != 0 ? 1 : 2;
  float sum = v[first];
  if constexpr (first < 1 && cy != 0) sum = cy > 0 ? sum + v[1] : sum - v[1];
  if constexpr (first < 2 && cz != 0) sum = cz > 0 ? sum + v[2] : sum - v[2];
  return sum;
}

__device__ __forceinline__ void collide(float (&f)[populations], float omega) {
  float rho = f[0];
#pragma unroll
  for (int q = 1; q < populations; ++q) rho = rho + f[q];
  const float inverse = 1.0f / rho;
  const float v[3] = {momentum<0>(f) * inverse, momentum<1>(f) * inverse, momentum<2>(f) * inverse};
  const float vv = 1.5f * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  f[0] = f[0] - omega * (f[0] - d3q19_weight(0) * rho * (1.0f - vv));
  for_each_population([&](auto population) {
    constexpr int q = decltype(population)::value;
    if constexpr (q % 2 == 1) {  // and the opposite one, whose cv differs in sign
      const float weighted = d3q19_weight(q) * rho;
      const float cv = along<q>(v), linear = 3.0f * cv, square = 4.5f * cv * cv;
      f[q] = f[q] - omega * (f[q] - weighted * (1.0f + linear + square - vv));
      f[q + 1] = f[q + 1] - omega * (f[q + 1] - weighted * (1.0f - linear + square - vv));
    }
  });
}

template <int Q, int N, class T>
__device__ __forceinline__ Pack<float, N> from_stored(const Pack<T, N>& stored) {
  Pack<float, N> values;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    values.v[i] =
        std::is_same_v<T, float> ? float(stored.v[i]) : float(stored.v[i]) + d3q19_weight(Q);
  }
  return values;
}
template <int Q, class T, int N>
__device__ __forceinline__ Pack<T, N> to_stored(const Pack<float, N>& values) {
  Pack<T, N> stored;
  if constexpr (std::is_same_v<T, float>) {
    stored = values;
  } else if constexpr (N == 2) {  // one instruction for both
    const __half2 both =
        __floats2half2_rn(values.v[0] - d3q19_weight(Q), values.v[1] - d3q19_weight(Q));
    __builtin_memcpy(&stored, &both, sizeof(stored));
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) stored.v[i] = __float2half_rn(values.v[i] - d3q19_weight(Q));
  }
  return stored;
}

/// Cells [x + Shift, x + Shift + N) at p + Shift, p on N cells.
template <int Shift, int N, class T>
__device__ __forceinline__ Pack<T, N> load_shifted(const T* p) {
  if constexpr (N == 1) {
    return {p[Shift]};
  } else if constexpr (Shift == 0) {
    return load<N>(p);
  } else if constexpr (N * sizeof(T) == 4) {  // whole words, of which neighbours share one
    const auto* words = reinterpret_cast<const unsigned*>(p);
    const unsigned here = *words, beside = words[Shift];
    const unsigned both =
        Shift < 0 ? __byte_perm(beside, here, 0x5432) : __byte_perm(here, beside, 0x5432);
    Pack<T, N> pack;
    __builtin_memcpy(&pack, &both, sizeof(pack));
    return pack;
  } else {
    Pack<T, N> pack;
#pragma unroll
    for (int i = 0; i < N; ++i) pack.v[i] = p[Shift + i];
    return pack;
  }
}

/// Bytes from a cell's place in population 0 to what it pulls and to its place in population q:
/// parameters of a kernel, so that an address costs one addition.
struct Offsets {
  Index pulled[populations], own[populations];
};
inline Offsets offsets(Index component, const Grid& grid, Index bytes) {
  Offsets offsets;
  for (int q = 0; q < populations; ++q) {
    const auto& c = d3q19_velocity[q];
    offsets.own[q] = q * component * bytes;
    offsets.pulled[q] = offsets.own[q] - (c[2] * grid.plane + c[1] * grid.pitch) * bytes;
  }
  return offsets;
}
template <class T>
__device__ __forceinline__ T* displaced(T* p, Index bytes) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return reinterpret_cast<T*>(reinterpret_cast<Byte*>(p) + bytes);
}

/// Where a thread's cells are; `cells` of them, at most N, are in the row.
struct Place {
  int x, y, z, cells;
  Index offset;
};
template <int N>
__device__ __forceinline__ Place place(const Grid& grid) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * N;
  const int y = blockIdx.y, z = blockIdx.z;
  return {x, y, z, min(grid.nx - x, N), z * grid.plane + y * grid.pitch + x};
}
template <int N, int Threads>
Launch rows_of_threads(const Grid& grid) {
  return {dim3(divide_up(grid.nx, N * Threads), grid.ny, grid.nz), dim3(Threads)};
}

/// f[i][q] from packs of every population, and back.
template <int Q, int N, class T>
__device__ __forceinline__ void unpack(float (&f)[N][populations], const Pack<T, N>& stored) {
  const Pack<float, N> values = from_stored<Q>(stored);
#pragma unroll
  for (int i = 0; i < N; ++i) f[i][Q] = values.v[i];
}
template <int Q, class T, int N>
__device__ __forceinline__ Pack<T, N> packed(const float (&f)[N][populations]) {
  Pack<float, N> values;
#pragma unroll
  for (int i = 0; i < N; ++i) values.v[i] = f[i][Q];
  return to_stored<Q, T>(values);
}

}  // namespace d3q19_detail

/// Two lattices. N cells a thread.
template <class T, int N, int Threads>
__global__ void __launch_bounds__(Threads)
    d3q19_kernel(const T* __restrict__ u, T* __restrict__ next, float omega, Grid grid,
                 d3q19_detail::Offsets offsets) {
  using namespace d3q19_detail;
  const Place at = place<N>(grid);
  if (at.cells <= 0) return;
  float f[N][populations];
  for_each_population([&](auto population) {
    constexpr int q = decltype(population)::value;
    unpack<q>(f,
              load_shifted<-d3q19_velocity[q][0], N>(displaced(u + at.offset, offsets.pulled[q])));
  });
#pragma unroll
  for (int i = 0; i < N; ++i) collide(f[i], omega);
  T* here = next + at.offset;
  if (at.cells == N) {
    for_each_population([&](auto population) {
      constexpr int q = decltype(population)::value;
      store(displaced(here, offsets.own[q]), packed<q, T>(f));
    });
  } else {
    for_each_population([&](auto population) {
      constexpr int q = decltype(population)::value;
      stream_first(displaced(here, offsets.own[q]), packed<q, T>(f), at.cells);
    });
  }
}

/// One lattice, two steps of different kind in turn (AA pattern: P. Bailey, J. Myre, S. D. C.
/// Walsh, D. J. Lilja, M. O. Saar, ICPP 2009). A thread writes where it alone has read:
///   reaching step   reads  u_q(-c_q), all q; leaves what collides to q there in the opposite's
///                   place: u_q'(c_q) = next_q
///   resting step    reads  f_q = u_q'(0);  u_q(0) = next_q
/// so that after every second step the lattice is what two lattices hold. Ghost cells do not
/// change: a cell beside them does not write there, but keeps for the resting step what it read.
enum class InPlace { reaching, resting };

template <class T, int N, int Threads, InPlace Kind>
__global__ void __launch_bounds__(Threads, (N == 1 ? 768 : 640) / Threads)
    d3q19_in_place_kernel(T* u, float omega, Grid grid, d3q19_detail::Offsets offsets) {
  using namespace d3q19_detail;
  constexpr bool reaches = Kind == InPlace::reaching;
  const Place at = place<N>(grid);
  if (at.cells <= 0) return;
  T* here = u + at.offset;
  // Where f_q is read and what collides to q' is written.
  const auto shared_place = [&](auto population) {
    constexpr int q = decltype(population)::value;
    return displaced(here, reaches ? offsets.pulled[q] : offsets.own[opposite(q)]);
  };
  float f[N][populations];
  for_each_population([&](auto population) {
    constexpr int q = decltype(population)::value;
    constexpr int shift = reaches ? -d3q19_velocity[q][0] : 0;
    unpack<q>(f, load_shifted<shift, N>(static_cast<const T*>(shared_place(population))));
  });
#pragma unroll
  for (int i = 0; i < N; ++i) collide(f[i], omega);

  const bool is_beside_ghosts = at.x == 0 || at.x + N >= grid.nx || at.y == 0 ||
                                at.y == grid.ny - 1 || at.z == 0 || at.z == grid.nz - 1;
  if (at.cells == N && !(reaches && is_beside_ghosts)) {
    for_each_population([&](auto population) {
      constexpr int q = decltype(population)::value;
      constexpr int shift = reaches ? -d3q19_velocity[q][0] : 0;
      const Pack<T, N> pack = packed<opposite(q), T>(f);
      T* to = shared_place(population);
      if constexpr (shift == 0) {
        store(to, pack);
      } else {
#pragma unroll
        for (int i = 0; i < N; ++i) to[shift + i] = pack.v[i];
      }
    });
  } else {
    for_each_population([&](auto population) {
      constexpr int q = decltype(population)::value;
      constexpr int cx = reaches ? d3q19_velocity[q][0] : 0;
      constexpr int cy = reaches ? d3q19_velocity[q][1] : 0;
      constexpr int cz = reaches ? d3q19_velocity[q][2] : 0;
      const Pack<T, N> pack = packed<opposite(q), T>(f);
      T* to = shared_place(population);
      const int y = at.y - cy, z = at.z - cz;
      const bool is_ghost_row = y < 0 || y >= grid.ny || z < 0 || z >= grid.nz;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        const int x = at.x + i - cx;
        if (i >= at.cells) continue;
        if (is_ghost_row || x < 0 || x >= grid.nx) {
          displaced(here, offsets.own[opposite(q)])[i] = to[i - cx];
        } else {
          to[i - cx] = pack.v[i];
        }
      }
    });
  }
}

/// Moves 38 sizeof(T) bytes a cell. Population q lies q * component elements behind the first.
template <class T, int N, int Threads>
struct D3q19 {
  static constexpr auto kernel = &d3q19_kernel<T, N, Threads>;

  static void run(const T* u, T* next, Index component, float omega, const Grid& grid,
                  cudaStream_t stream) {
    launch(kernel, d3q19_detail::rows_of_threads<N, Threads>(grid), stream, u, next, omega, grid,
           d3q19_detail::offsets(component, grid, sizeof(T)));
  }
};

/// As D3q19 with half the memory; steps are numbered from 0, and what is in the lattice counts only
/// after an odd one.
template <class T, int N, int Threads>
struct D3q19InPlace {
  static constexpr auto kernel = &d3q19_in_place_kernel<T, N, Threads, InPlace::reaching>;
  static constexpr auto resting = &d3q19_in_place_kernel<T, N, Threads, InPlace::resting>;

  static void run(T* u, Index component, float omega, const Grid& grid, int step,
                  cudaStream_t stream) {
    launch(step % 2 == 0 ? kernel : resting, d3q19_detail::rows_of_threads<N, Threads>(grid),
           stream, u, omega, grid, d3q19_detail::offsets(component, grid, sizeof(T)));
  }
};

}  // namespace goban::cuda_twins
