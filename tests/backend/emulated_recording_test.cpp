// What emulated devices recorded runs when it is replayed, as often as it is, with what was
// changed.

#include <gtest/gtest.h>

#include "goban/backend/emulated.hpp"
#include "goban/goban.hpp"
#include "tests/backend/row_sweep.hpp"

namespace goban::emulated_recording_test {
namespace {

/// Adds its value to every cell.
struct Add {
  GOBAN_FUNCTION void operator()(auto u, auto value) const { u += value(); }
};

class EmulatedRecording : public testing::Test {
 protected:
  EmulatedRecording() { task_.values = {0, 1.0}; }

  std::unique_ptr<Recording> record(int times) {
    const std::vector<Executor*> all{device_.get()};
    device_->recorder()->begin_recording(all);
    EventPtr& before = latest_ = nullptr;
    for (int n = 0; n < times; ++n) {
      Submission submission{n % 2 == 0 ? Stream::compute : Stream::halo, {}};
      submission.recorded_as = n;
      if (before) submission.waits.push_back(before);
      before = device_->sweep(task_, submission);
    }
    return device_->recorder()->end_recording(all);
  }
  void change(Recording& recording, int number, double value) {
    SweepTask now = task_;
    now.values = {0, value};
    Submission submission;
    submission.recorded_as = number;
    recording.begin_changes();
    EXPECT_EQ(device_->sweep(now, submission), nullptr) << "nothing is submitted";
    recording.end_changes();
  }
  float cell() {
    device_->synchronize();
    return row_.cells[7];
  }

  test::RowSweep<float, Add> row_;
  std::shared_ptr<Executor> device_ = make_emulated_device(0, 5, 100, 0);
  SweepTask& task_ = row_.task;
  EventPtr latest_;
};

TEST_F(EmulatedRecording, RunsWhenItIsReplayedAndNotBefore) {
  ASSERT_NE(device_->recorder(), nullptr);
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
  change(*recording, 1, 10);
  recording->replay();
  change(*recording, 0, 100);
  recording->replay();
  EXPECT_EQ(cell(), 2 + 11 + 110);
}

TEST_F(EmulatedRecording, HostsWaitForWhatTheLatestReplayHasDone) {
  const std::vector<Executor*> all{device_.get()};
  device_->recorder()->begin_recording(all);
  const EventPtr done = device_->sweep(task_, {});
  const auto recording = device_->recorder()->end_recording(all);
  for (int replays = 1; replays < 5; ++replays) {
    recording->replay();
    done->wait();
    EXPECT_EQ(row_.cells[7], static_cast<float>(replays));
  }
}

TEST_F(EmulatedRecording, WorkOfEarlierRecordingsHasBeenDone) {
  const auto first = record(2);
  first->replay();
  const EventPtr before = latest_;
  device_->synchronize();
  const std::vector<Executor*> all{device_.get()};
  device_->recorder()->begin_recording(all);
  device_->sweep(task_, {Stream::compute, {before}});
  const auto second = device_->recorder()->end_recording(all);
  second->replay();
  first->replay();
  second->replay();
  EXPECT_EQ(cell(), 2 + 1 + 2 + 1);
}

}  // namespace
}  // namespace goban::emulated_recording_test
