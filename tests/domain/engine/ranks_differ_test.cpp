// Ranks whose devices can do different things run the same cycles.

#include <gtest/gtest.h>

#include "goban/backend/cpu/executor.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::ranks_differ_test {
namespace {

class PlainCpu : public CpuExecutor {
 public:
  explicit PlainCpu(const std::shared_ptr<ThreadTeam>& team) : CpuExecutor(team) { offer({}); }
};

test::Results diffuse(Runtime& runtime, int rank_without_passes) {
  Grid grid(runtime, {.cells = {14, 13, 24}, .boundary = periodic});
  const int rank = runtime.communicator()->rank();
  grid.state()->store = std::make_unique<Domain>(*grid.state(), [&](int patches, Helpers) {
    const std::shared_ptr<ThreadTeam> team(std::shared_ptr<void>(), &runtime.team());
    std::shared_ptr<Executor> cpu = std::make_shared<CpuExecutor>(team);
    if (rank == rank_without_passes) cpu = std::make_shared<PlainCpu>(team);
    return std::vector<std::shared_ptr<Executor>>(static_cast<std::size_t>(patches), cpu);
  });
  Field<double> u(grid, "u"), next(grid, "next");
  u.fill(test::pattern);
  Program step("step");
  step.apply(test::Diffusion<double>{}, in(u), out(next));
  step.swap(u, next);
  Engine engine(step);
  engine.prepare();
  std::array<std::int64_t, 2> least{engine.steps_per_exchange(), engine.steps_per_pass()};
  std::array<std::int64_t, 2> most = least;
  runtime.communicator()->minimum(least);
  runtime.communicator()->maximum(most);
  EXPECT_EQ(least, most);
  if (least != most) return {};
  StepClock clock;
  engine.run(9, clock);
  return {{"u", u.checksum()}, {"steps", least[0]}, {"pass", least[1]}};
}

TEST(RanksDiffer, PassesAreThoseThatAllCanRun) {
  Settings settings;
  settings.threads = 1;
  settings.temporal_blocking = 3;
  test::Results everywhere;
  for (const int rank_without : {-1, 0, 1}) {
    const auto experiment = [&](const Settings& mine) {
      Runtime runtime(mine);
      return diffuse(runtime, rank_without);
    };
    for (const test::Results& found : test::results_of_ranks(2, experiment, settings)) {
      if (rank_without < 0) {
        everywhere = found;
        EXPECT_EQ(found.at("pass"), 3);
      } else if (!found.empty()) {
        EXPECT_EQ(found.at("pass"), 1);
        EXPECT_EQ(found.at("u"), everywhere.at("u"));
      }
    }
  }
}

struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};

/// Those with a patch record what they submit between results, the others have nothing to record;
/// what is tried out takes as many cycles on all.
TEST(RanksDiffer, ThoseWithoutPatchesTryTheSameCycles) {
  const auto experiment = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 24, 12}});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill(test::pattern);
    const Parameter<double> largest("largest");
    Program step("step");
    for (int n = 0; n < 4; ++n) {
      step.apply(test::Diffusion<double>{}, in(u), out(next));
      step.swap(u, next);
    }
    step.reduce(Value{}, in(u), maximum, into(largest));
    Engine engine(step);
    StepClock clock;
    engine.run(12, clock);
    return test::Results{{"u", u.checksum()}, {"largest", test::bits(largest.value())}};
  };
  Settings settings;
  settings.backend = Backend::emulated;
  settings.transport = Transport::nccl;
  settings.patches = {1, 2, 1};
  const auto found = test::results_of_ranks(4, experiment, settings);
  for (const test::Results& one : found) EXPECT_EQ(one, experiment(test::plainest()));
}

}  // namespace
}  // namespace goban::ranks_differ_test
