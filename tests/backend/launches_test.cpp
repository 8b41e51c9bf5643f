#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "goban/backend/cuda/launch_memory.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::cuda {
namespace {

using Order = LaunchShape::Order;

void launch_nothing(const DeviceCall&) {}
bool march_nothing(const MarchCall&) { return true; }

Stage stage_with_all_kernels() {
  Stage stage;
  DeviceKernels& kernels = stage.kernels.device;
  kernels.sweeps[0] = {&launch_nothing, {1, 1}};
  kernels.sweeps[1] = {&launch_nothing, {1, 2}};
  kernels.sweeps[2] = {&launch_nothing, {2, 4}};
  kernels.march[1] = &march_nothing;
  kernels.pack_width = 4;
  return stage;
}

LaunchChoice choice(int rows, int planes, const LaunchShape& shape = {}) {
  return {false, {rows, planes}, shape};
}

TEST(LaunchChoice, WhatIsWrittenIsRead) {
  for (const LaunchChoice& c :
       {choice(1, 1), LaunchChoice{true, {1, 1}, {}}, choice(1, 1, {{64, 4, 1}, Order::by_size}),
        choice(2, 4, {{32, 8, 1}, Order::slabs}), choice(1, 2, {{128, 1, 2}, Order::planes})}) {
    EXPECT_EQ(launch_choice(text_of(c)), c) << text_of(c);
  }
  EXPECT_EQ(text_of(choice(2, 4, {{32, 8, 1}, Order::slabs})), "2x4 32x8x1 slabs");
}

TEST(LaunchChoice, NonsenseIsRefused) {
  for (const char* text : {"", "double", "1x1 32", "1x1 32x8", "1x1 32x8x1x1", "1x1 32x8x1 rows",
                           "1x1 32x8x1 slabs more", "1x1 0x8x1", "1x1 512x1x1", "1x1 32x16x1",
                           "1x1 -32x-8x1", "32x8x1", "march 32x8x1"}) {
    EXPECT_FALSE(launch_choice(text)) << text;
  }
}

TEST(LaunchChoice, SettingsAreCheckedOnEveryMachine) {
  for (const char* text : {"tuned", "anew", "preset", "march", "2x4", "2x4 32x8x1 slabs"}) {
    EXPECT_NO_THROW(check_launches(text)) << text;
  }
  Settings settings;
  settings.launches = "fast";
  EXPECT_EQ(
      test::error_of([&] { Runtime runtime(settings); }),
      "launches \"fast\" are refused (that is no way to launch a sweep); use tuned, anew, preset, "
      "march or rows x planes a thread with threads, as \"2x4 32x8x1 slabs\"");
}

TEST(LaunchChoice, WidestFirst) {
  Stage stage = stage_with_all_kernels();
  EXPECT_TRUE(launch_choices(stage, {64, 64, 64}).front().march);
  EXPECT_EQ(launch_choices(stage, {64, 4, 64}).front(), choice(2, 4));
  EXPECT_EQ(launch_choices(stage, {64, 64, 3}).front(), choice(1, 2));
  EXPECT_EQ(launch_choices(stage, {64, 64, 1}).front(), choice(1, 1));
}

TEST(LaunchChoice, ObjectsThatReadFartherThanTheirTypeDoNotMarch) {
  Stage stage = stage_with_all_kernels();
  stage.constant_footprint = false;
  for (const auto& c : launch_choices(stage, {64, 64, 64})) EXPECT_FALSE(c.march);
}

TEST(LaunchChoice, NoThreadsBeyondTheRow) {
  for (const auto& c : launch_choices(stage_with_all_kernels(), {64, 64, 64})) {
    EXPECT_LE(c.shape.threads[0], 32) << text_of(c);
  }
}

class LaunchMemoryTest : public testing::Test {
 protected:
  const test::ScratchFolder folder_;
  const std::filesystem::path file_ = folder_ / "deep" / "launches.json";
  const LaunchChoice choice_ = choice(2, 4, {{32, 8, 1}, Order::slabs});
};

TEST_F(LaunchMemoryTest, TheNextProcessKnows) {
  LaunchMemory(file_).remember("A GPU", "heat on 8x8x8", choice_);
  const LaunchMemory next(file_);
  EXPECT_EQ(next.find("A GPU", "heat on 8x8x8"), choice_);
  EXPECT_FALSE(next.find("A GPU", "heat on 8x8x9"));
  EXPECT_FALSE(next.find("another GPU", "heat on 8x8x8"));
  EXPECT_EQ(next.count(), 1);
}

TEST_F(LaunchMemoryTest, ProcessesSideBySideAddUp) {
  LaunchMemory first(file_), second(file_);
  first.remember("GPU", "a", choice_);
  second.remember("GPU", "b", choice_);
  EXPECT_EQ(LaunchMemory(file_).count(), 2);
}

TEST_F(LaunchMemoryTest, FilesOfOtherVersionsAndBrokenOnesAreReplaced) {
  std::filesystem::create_directories(file_.parent_path());
  for (const char* content : {R"({"goban": "0.0.1 abc", "launches": {"GPU": {"a": "1x1"}}})", "{",
                              "[1, 2]", "", R"({"goban": 3, "launches": 4})"}) {
    std::ofstream(file_) << content;
    LaunchMemory memory(file_);
    EXPECT_EQ(memory.count(), 0) << content;
    memory.remember("GPU", "b", choice_);
    EXPECT_EQ(LaunchMemory(file_).count(), 1) << content;
  }
}

TEST_F(LaunchMemoryTest, WithoutAFileTheProcessRemembers) {
  LaunchMemory memory({});
  memory.remember("GPU", "a", choice_);
  EXPECT_EQ(memory.find("GPU", "a"), choice_);
  memory.forget();
  EXPECT_EQ(memory.count(), 0);
}

TEST_F(LaunchMemoryTest, AFileThatCannotBeWrittenIsNoError) {
  LaunchMemory memory("/proc/goban/launches.json");
  memory.remember("GPU", "a", choice_);
  EXPECT_EQ(memory.find("GPU", "a"), choice_);
}

}  // namespace
}  // namespace goban::cuda
