#include "benchmarks/twins/heat7.hpp"
#include "benchmarks/kernels.hpp"
#include "benchmarks/pair.hpp"

namespace goban::benchmarks {

template <class T>
Benchmark heat7(Index cells, int threads, const BoundarySet& boundary) {
  constexpr T r = T(0.1);
  return sweeps<T, 1>(cells, threads, boundary, Heat7<T>{r},
                      [](const T* u, T* next, Index, const twins::TwinGrid& g, int t, int n) {
                        twins::heat7(u, next, r, g, t, n);
                      });
}

template Benchmark heat7<float>(Index, int, const BoundarySet&);
template Benchmark heat7<double>(Index, int, const BoundarySet&);

}  // namespace goban::benchmarks
