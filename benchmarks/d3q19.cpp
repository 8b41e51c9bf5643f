#include "benchmarks/twins/d3q19.hpp"
#include "benchmarks/kernels.hpp"
#include "benchmarks/pair.hpp"

namespace goban::benchmarks {

Benchmark d3q19(Index cells, int threads, const BoundarySet& boundary) {
  return sweeps<float, 19>(
      cells, threads, boundary, Bgk{1.2f},
      [](const float* u, float* next, Index population, const twins::TwinGrid& g, int t, int n) {
        twins::d3q19(u, next, population, 1.2f, g, t, n);
      });
}

}  // namespace goban::benchmarks
