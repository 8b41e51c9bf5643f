// The direct solver on ranks of any kind.

#include "goban/solver/fourier.hpp"

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/ranks/any_ranks.hpp"

namespace goban::fourier_test {
namespace {

using test::AnyRanks;
using Ranks = std::shared_ptr<Communicator>;

std::vector<double> solution(const Ranks& ranks, Backend backend) {
  Settings settings;
  settings.communicator = ranks;
  settings.threads = 1;
  settings.backend = backend;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {30, 13, 16}, .boundary = {periodic, mirror, wall_value(0.5)}});
  Field<double> u(grid, "u"), f(grid, "f");
  u.fill(0);
  f.fill([](Index3 p) { return test::pattern(p) - 0.5; });
  Program step("step");
  Fourier<double>(u, f, {.most_imbalance = 1}).add_solve(step);
  StepClock clock;
  Engine(step).run(1, clock);
  return u.copy_out();
}

class FourierOnRanks : public AnyRanks {};

TEST_P(FourierOnRanks, HasTheBitsOfOne) {
  const std::vector<double> expected = solution(self_communicator(), Backend::reference);
  run([&](const Ranks& ranks) {
    for (const Backend backend : {Backend::cpu, Backend::emulated}) {
      EXPECT_EQ(solution(ranks, backend), expected) << name_of(backend);
    }
  });
}

/// All of them say so; nobody waits for another.
TEST_P(FourierOnRanks, RefusesTogetherWhatHasNoSolution) {
  run([&](const Ranks& ranks) {
    Settings settings;
    settings.communicator = ranks;
    settings.threads = 1;
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {16, 16, 16}, .boundary = mirror});
    Field<double> u(grid, "u"), f(grid, "f");
    f.fill(1);
    Program step("step");
    Fourier<double>(u, f, {.most_imbalance = 0.5}).add_solve(step);
    StepClock clock;
    EXPECT_THROW(Engine(step).run(1, clock), Error);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, FourierOnRanks, testing::ValuesIn(test::rank_counts()));

}  // namespace
}  // namespace goban::fourier_test
