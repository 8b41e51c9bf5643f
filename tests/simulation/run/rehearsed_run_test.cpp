// How often a run waits for a GPU, on one that is not there.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "goban/goban.hpp"
#include "goban/simulation/output/output.hpp"

#if GOBAN_HAVE_CUDA
#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/backend/cuda/driver/rehearsal.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::rehearsed_run_test {
namespace {

class RehearsedRun : public testing::Test {
 protected:
  void SetUp() override {
    // Refused where another test of this process has loaded the driver: ctest runs each in its own.
    static const std::string refusal =
        cuda::is_rehearsal() ? "" : test::error_of([] { cuda::rehearse(90, 1); });
    if (!refusal.empty()) GTEST_SKIP() << refusal;
    if (!cuda::nvrtc_refusal().empty()) GTEST_SKIP() << cuda::nvrtc_refusal();
    setenv("GOBAN_KERNEL_CACHE", kernels_.path().c_str(), 1);
  }
  const test::ScratchFolder kernels_;
};

struct Spread {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.25f * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0));
  }
};

/// Takes two values at every step.
class Probe : public SimulationOutput {
 public:
  explicit Probe(const Field<float>& field) : SimulationOutput("probe", every(1)), field_(field) {}
  std::vector<AnyField> fields() const override { return {field_}; }
  std::vector<SampledBox> samples() const override { return {{field_, {{7, 8, 0}, {9, 9, 1}}}}; }
  void open(const RunPlace&, std::optional<Index>) override {}
  void write(const Moment&) override { ++rows; }
  std::string describe() const override { return "two values"; }
  int rows = 0;

 private:
  AnyField field_;
};

constexpr Index steps = 3000;

/// What 3000 steps that are sampled take.
struct Counts {
  int waits = 0, rows = 0;
};
Counts counts(Index nan_check) {
  Settings settings;
  settings.backend = Backend::cuda;
  settings.devices = {0};
  settings.launches = "preset";
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {64, 32, 1}, .boundary = periodic});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill(1);
  Program step("spread");
  step.apply(Spread{}, in(u), out(next));
  step.swap(u, next);
  Simulation simulation(grid, step,
                        {.steps = steps, .nan_check = nan_check, .measure_bandwidth = false});
  auto probe = std::make_unique<Probe>(u);
  const Probe& taken = *probe;
  simulation.add(std::move(probe));
  const int before = cuda::rehearsed_waits();
  simulation.run();
  return {cuda::rehearsed_waits() - before, taken.rows};
}

TEST_F(RehearsedRun, StepsAreNotHeldUpByWhatLooksAtThem) {
  const Counts unseen = counts(0), watched = counts(10);
  EXPECT_EQ(unseen.rows, steps + 1);
  EXPECT_EQ(watched.rows, steps + 1);
  EXPECT_LT(unseen.waits, 300) << "samples of many steps are collected at once";
  EXPECT_LT(watched.waits, unseen.waits + 100) << "looks for NaN at 300 steps wait for nothing";
}

/// Passes of three steps, at the end, are other kernels.
TEST_F(RehearsedRun, ShorterCyclesAreCompiledBeforeAndNotCountedAsSteady) {
  Settings settings;
  settings.backend = Backend::cuda;
  settings.devices = {0};
  settings.launches = "preset";
  settings.steps_per_exchange = settings.temporal_blocking = 4;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {128, 64, 64}, .boundary = periodic});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill(1);
  Program step("spread");
  step.apply(test::Diffusion<float>{}, in(u), out(next));
  step.swap(u, next);
  const test::ScratchFolder folder;
  const std::string summary = (folder.path() / "summary.json").string();
  Simulation simulation(grid, step,
                        {.steps = 3003, .summary = summary, .measure_bandwidth = false});
  std::vector<int> kernels;
  simulation.on(at({Index{0}, Index{3003}}), [&](const Clock&) {
    const cuda::KernelStatistics all = cuda::kernel_statistics();
    kernels.push_back(all.compiled + all.loaded);
  });
  simulation.run();
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0], kernels[1]);
  std::ifstream stream(summary);
  const auto found = nlohmann::json::parse(stream);
  EXPECT_EQ(found["steps_per_pass"], 4);
  const auto steady = found["steady"];
  ASSERT_TRUE(steady.is_object());
  EXPECT_GT(steady["steps"].get<Index>(), 0);
  EXPECT_EQ(steady["steps"].get<Index>() % 4, 0);
  EXPECT_LE(steady["fastest"].get<double>() * steady["steps"].get<double>(),
            steady["seconds"].get<double>() * (1 + 1e-9));
}

}  // namespace
}  // namespace goban::rehearsed_run_test
#endif
