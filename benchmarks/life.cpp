#include "benchmarks/twins/life.hpp"
#include "benchmarks/kernels.hpp"
#include "benchmarks/pair.hpp"
#include "life/stencils.hpp"

namespace goban::benchmarks {

Benchmark life(Index cells, int threads, const BoundarySet& boundary) {
  return sweeps<std::uint8_t, 1>(
      cells, threads, boundary, life::LiveInRanges::with(life::bays_rule("2755")),
      [](const std::uint8_t* u, std::uint8_t* next, Index, const twins::TwinGrid& g, int t, int n) {
        twins::life(u, next, {2, 7, 5, 5}, g, t, n);
      });
}

}  // namespace goban::benchmarks
