// What a device and the CPU beside it record together waits for each other in every replay.

#include "goban/backend/joint_recording.hpp"

#include <gtest/gtest.h>

#include "goban/backend/cpu/executor.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/backend/emulated.hpp"
#include "goban/backend/host/queued_executor.hpp"
#include "goban/goban.hpp"
#include "tests/backend/row_sweep.hpp"

namespace goban::joint_recording_test {
namespace {

/// The order of these matters.
struct Append {
  GOBAN_FUNCTION void operator()(auto u, auto value) const { u = 2 * u() + value(); }
};

class JointRecording : public testing::Test {
 protected:
  /// Appends a bit, after what was appended before by whomever.
  void append(Executor& executor, int number, double bit) {
    task_.values = {0, bit};
    Submission submission{number % 2 == 0 ? Stream::compute : Stream::halo, {}};
    submission.recorded_as = number;
    if (latest_) submission.waits.push_back(latest_);
    latest_ = executor.sweep(task_, submission);
  }
  double cell() {
    for (Executor* executor : all_) executor->synchronize();
    return row_.cells[7];
  }

  test::RowSweep<double, Append> row_;
  std::shared_ptr<Executor> device_ = make_emulated_device(0, 5, 100, 0);
  std::shared_ptr<Executor> cpu_ =
      make_queued_executor(std::make_shared<CpuExecutor>(std::make_shared<ThreadTeam>(1, false)));
  const std::vector<Executor*> all_{device_.get(), cpu_.get()};
  SweepTask& task_ = row_.task;
  EventPtr latest_;
};

TEST_F(JointRecording, WorkIsDoneInTurnInEveryReplay) {
  ASSERT_TRUE(device_->recorder() && cpu_->recorder());
  begin_recording(all_);
  for (int n = 0; n < 4; ++n) append(n % 3 == 1 ? *cpu_ : *device_, n, n % 3 == 1 ? 1 : 0);
  const auto recording = end_recording(all_);
  EXPECT_EQ(cell(), 0) << "nothing has run";
  double expected = 0;
  for (int replay = 0; replay < 8; ++replay) {
    recording->replay();
    expected = expected * 16 + 4;  // 0100
  }
  EXPECT_EQ(cell(), expected);
}

TEST_F(JointRecording, WhoeverHasTheSweepChangesIt) {
  begin_recording(all_);
  append(*cpu_, 0, 0);
  append(*device_, 1, 0);
  append(*cpu_, 2, 1);
  const auto recording = end_recording(all_);
  recording->replay();
  EXPECT_EQ(cell(), 1);
  recording->begin_changes();
  append(*cpu_, 0, 1);
  append(*device_, 1, 1);
  recording->end_changes();
  recording->replay();
  EXPECT_EQ(cell(), 8 + 7);
}

}  // namespace
}  // namespace goban::joint_recording_test
