#include "goban/runtime/tuned.hpp"

#include <gtest/gtest.h>

#include "tests/scratch_folder.hpp"

namespace goban::tuned_test {
namespace {

Tuned some() {
  Tuned tuned;
  tuned.patches = {2, 1, 1};
  tuned.steps_per_exchange = 3;
  tuned.overlap = Overlap::one_kernel;
  tuned.seconds = 1.5e-3;
  tuned.seconds_untuned = 3e-3;
  tuned.date = "2026-11-24";
  return tuned;
}

TEST(TuneMemory, RemembersByMachineAndProgram) {
  const test::ScratchFolder folder;
  const std::string file = folder / "deeper/tuned.json";
  TuneMemory memory(file);
  EXPECT_FALSE(memory.find("here", "heat 1"));
  memory.remember("here", "heat 1", some());
  Tuned loops = some();
  loops.has_plan = false;
  loops.transport = Transport::nccl;
  TuneMemory(file).remember("there", "flow 2", loops);
  memory.remember("here", "heat 3", some());  // beside what another process has added
  const TuneMemory later(file);
  const auto found = later.find("here", "heat 1");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->patches, (Index3{2, 1, 1}));
  EXPECT_EQ(found->steps_per_exchange, 3);
  EXPECT_EQ(found->overlap, Overlap::one_kernel);
  EXPECT_TRUE(found->has_plan);
  EXPECT_FALSE(later.find("there", "flow 2")->has_plan);
  EXPECT_EQ(later.find("there", "flow 2")->transport, Transport::nccl);
  EXPECT_FALSE(later.find("there", "heat 1"));
  EXPECT_TRUE(later.has_any("heat "));
  EXPECT_FALSE(later.has_any("flow 3"));
}

TEST(Tuned, SetsWhatSettingsLeaveOpen) {
  Settings settings;
  use(some(), settings);
  EXPECT_EQ(settings.patches, (Index3{2, 1, 1}));
  EXPECT_EQ(settings.steps_per_exchange, 3);
  EXPECT_EQ(settings.temporal_blocking, 0);
  EXPECT_EQ(settings.overlap, Overlap::one_kernel);
  Tuned loops;
  loops.has_plan = false;
  Settings others;
  use(loops, others);
  EXPECT_EQ(others.steps_per_exchange, 0);
  EXPECT_EQ(others.temporal_blocking, -1);
  EXPECT_EQ(others.overlap, Overlap::automatic);
}

TEST(Tuned, SaysWhatItIsAndWhy) {
  EXPECT_EQ(text_of(some()),
            "2 x 1 x 1 patches, R = 3, one-kernel: 1.5 ms a step, 2.00 times as fast as untuned "
            "(goban tune, 2026-11-24)");
}

TEST(Tuned, FixedSettingsAreAnotherQuestion) {
  Settings settings;
  EXPECT_EQ(fixed_settings(settings), "");
  settings.patches = {1, 2, 1};
  settings.overlap = Overlap::none;
  EXPECT_EQ(fixed_settings(settings), " patches=1,2,1 overlap=none");
}

}  // namespace
}  // namespace goban::tuned_test
