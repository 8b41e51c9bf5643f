#include "benchmarks/kernels.hpp"
#include "benchmarks/pair.hpp"
#include "benchmarks/twins/heat7_temporal.hpp"

namespace goban::benchmarks {

Benchmark heat7_pass(Index cells, int threads) {
  constexpr int steps = twins::Heat7Temporal::steps, steps_of_goban = 2 * steps;
  using PassPair = Pair<float, 1, Heat7<float>>;
  auto pair = std::make_shared<PassPair>(Index3{cells, cells, cells}, threads, steps_of_goban,
                                         periodic, Heat7<float>{0.1f});
  auto by_hand = std::make_shared<twins::Heat7Temporal>(pair->layout(), pair->threads());
  auto twin = [by_hand](const float* u, float* next, Index, const twins::TwinGrid&, int t, int n) {
    (*by_hand)(u, next, 0.1f, t, n);
  };
  Benchmark b;
  b.bytes_per_update = 8;
  b.updates = 1.0 * steps_of_goban * static_cast<double>(cells * cells * cells);
  b.goban = [pair] { pair->run(steps_of_goban); };
  b.twin = [pair, twin] { pair->by_hand(2, twin); };
  b.same_bits = [pair, twin] { return pair->agrees_in_passes(steps, twin); };
  return b;
}

}  // namespace goban::benchmarks
