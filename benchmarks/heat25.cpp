#include "benchmarks/twins/heat25.hpp"
#include "benchmarks/kernels.hpp"
#include "benchmarks/pair.hpp"

namespace goban::benchmarks {

Benchmark heat25(Index cells, int threads, const BoundarySet& boundary) {
  static constexpr std::array<float, 5> c = {0.2f, 0.1f, 0.02f, 0.01f, 0.003f};
  return sweeps<float, 1>(cells, threads, boundary, Heat25{c},
                          [](const float* u, float* next, Index, const twins::TwinGrid& g, int t,
                             int n) { twins::heat25(u, next, c, g, t, n); });
}

}  // namespace goban::benchmarks
