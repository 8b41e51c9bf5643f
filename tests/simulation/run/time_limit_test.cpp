// A run with a time limit stops before it, with a checkpoint, and uses the time it has.

#include <random>
#include <thread>

#include "goban/checkpoint/inventory.hpp"
#include "goban/simulation/output/output.hpp"
#include "tests/long.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::time_limit_test {
namespace {

using std::chrono::duration;

/// A file that takes its time to become durable, as on a slow disk.
class SlowDisk : public SimulationOutput {
 public:
  explicit SlowDisk(double seconds) : SimulationOutput("slow", every(1000000)), seconds_(seconds) {}
  void open(const RunPlace&, std::optional<Index>) override {}
  void write(const Moment&) override {}
  void sync() override { std::this_thread::sleep_for(duration<double>(seconds_)); }
  std::string describe() const override { return "nothing, slowly"; }

 private:
  double seconds_;
};

class TimeLimits : public SmallRuns {};

/// Steps and saves of any length.
TEST_F(TimeLimits, AreKeptAndUsed) {
  std::mt19937 random(20261124);
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
  };
  const int trials = test::in_short_or_long(3, 200);
  for (int trial = 0; trial < trials; ++trial) {
    const double step = between(0.002, 0.2), save = between(0.001, 0.4);
    // The machine may have much else to do: then it is tried again with more time.
    bool is_kept = false;
    std::string said;
    for (double limit = 1.2 + 4 * step + 4 * save; limit < 60 && !is_kept; limit *= 3) {
      const fs::path directory = root_ / "run";
      fs::remove_all(directory);
      SmallRun run(
          {.steps = 1'000'000, .directory = directory, .outputs = false, .checkpoints = every(20)});
      run.simulation().add(std::make_unique<SlowDisk>(save));
      run.simulation().on(
          every(1), [&](const Clock&) { std::this_thread::sleep_for(duration<double>(step)); });
      const auto start = std::chrono::steady_clock::now();
      run.simulation().options().started = start;
      run.simulation().options().max_time = limit;
      ::testing::internal::CaptureStderr();
      const RunStatus status = run.simulation().run();
      ::testing::internal::GetCapturedStderr();
      const duration<double> passed = std::chrono::steady_clock::now() - start;
      ASSERT_EQ(status, RunStatus::stopped);
      EXPECT_EQ(summary_of(directory)["ended_by"], "max time");
      EXPECT_TRUE(verify_checkpoint(list_checkpoints(directory / "chk").front().path).good);
      // It keeps what two steps and one and a half saves take.
      const double least = 0.9 * (limit - 0.1 - 3 * step - 2.5 * save);
      is_kept = passed.count() < limit && passed.count() >= least;
      said += fmt::format("steps of {:.3f} s, saves of {:.3f} s: {:.2f} of {:.2f} s\n", step, save,
                          passed.count(), limit);
    }
    EXPECT_TRUE(is_kept) << said;
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace goban::time_limit_test
