// What emulated devices recorded runs when it is replayed, as often as it is, with what was
// changed.

#include <gtest/gtest.h>

#include "goban/backend/emulated/executor.hpp"
#include "goban/goban.hpp"
#include "tests/backend/row_sweep.hpp"

namespace goban {
namespace {

/// Adds its value to every cell.
struct Add {
  GOBAN_FUNCTION void operator()(auto u, auto value) const { u += value(); }
};

class EmulatedRecording : public testing::Test {
 protected:
  EmulatedRecording() {
    task_.values = {0, 1.0};
    task_.recorded_as = 0;
  }

  std::unique_ptr<Recording> record(int times) {
    const std::vector<Executor*> all{device_.get()};
    device_->begin_recording(all);
    EventPtr before;
    for (int n = 0; n < times; ++n) {
      task_.recorded_as = n;
      Submission submission{n % 2 == 0 ? Stream::compute : Stream::halo, {}};
      if (before) submission.waits.push_back(before);
      before = device_->sweep(task_, submission);
    }
    return device_->end_recording(all);
  }
  float cell() {
    device_->synchronize();
    return row_.cells[7];
  }

  test::RowSweep<float, Add> row_;
  std::shared_ptr<Executor> device_ = make_emulated_device(0, 5, 100, 0);
  SweepTask& task_ = row_.task;
};

TEST_F(EmulatedRecording, RunsWhenItIsReplayedAndNotBefore) {
  ASSERT_TRUE(device_->records());
  const auto recording = record(3);
  EXPECT_EQ(cell(), 0);
  recording->replay();
  EXPECT_EQ(cell(), 3);
  recording->replay();
  recording->replay();
  EXPECT_EQ(cell(), 9);
}

TEST_F(EmulatedRecording, ChangesHoldFromTheNextReplayOn) {
  const auto recording = record(2);
  recording->replay();
  SweepTask now;
  now.values = {0, 10.0};
  recording->change(1, now);
  recording->replay();
  now.values = {0, 100.0};
  recording->change(0, now);
  recording->replay();
  EXPECT_EQ(cell(), 2 + 11 + 110);
}

}  // namespace
}  // namespace goban
