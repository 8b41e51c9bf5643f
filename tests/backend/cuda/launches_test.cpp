#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "goban/backend/cuda/launch/launch_memory.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/stencil/graph/graph_recorder.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/unroll.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::cuda::launches_test {
namespace {

using Order = LaunchShape::Order;

template <int Order>
struct Diffuse {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + 0.1f * laplacian<Order>(u);
  }
};

/// As kernels of it go about a sweep.
template <int Order>
DeviceShape shape_of_order() {
  using In = FieldParameter<Access::in, float, 1>;
  using Out = FieldParameter<Access::out, float, 1>;
  Stage stage;
  const auto recorded = record<In, Out>(Diffuse<Order>{});
  stage.footprint = Footprint(recorded.footprint);
  stage.graph = recorded.graph;
  stage.arguments.resize(2);
  return DeviceShape(stage);
}

LaunchChoice choice(int rows, int planes, const LaunchShape& shape = {}) {
  return {false, {rows, planes}, shape};
}
LaunchChoice of_packs(int cells) { return {.pack = cells}; }

TEST(LaunchChoice, WhatIsWrittenIsRead) {
  for (const LaunchChoice& c :
       {choice(1, 1), LaunchChoice{true, {1, 1}, {}}, choice(1, 1, {{64, 4, 1}, Order::by_size}),
        choice(2, 4, {{32, 8, 1}, Order::slabs}), choice(1, 2, {{128, 1, 2}, Order::planes}),
        of_packs(2)}) {
    EXPECT_EQ(launch_choice(text_of(c)), c) << text_of(c);
  }
  EXPECT_EQ(text_of(choice(2, 4, {{32, 8, 1}, Order::slabs})), "2x4 32x8x1 slabs");
  EXPECT_EQ(launch_choice("2x1x4 32x8x1"),
            (LaunchChoice{.block = {1, 4}, .shape = {{32, 8, 1}}, .pack = 2}));
}

TEST(LaunchChoice, NonsenseIsRefused) {
  for (const char* text : {"", "double", "1x1 32", "1x1 32x8", "1x1 32x8x1x1", "1x1 32x8x1 rows",
                           "1x1 32x8x1 slabs more", "1x1 0x8x1", "1x1 512x1x1", "1x1 32x16x1",
                           "1x1 -32x-8x1", "32x8x1", "3x1x1", "0x1x1", "march 32x8x1"}) {
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
  const DeviceShape near = shape_of_order<2>();
  EXPECT_EQ(launch_choices(near, true, {256, 256, 256}).front(), choice(2, 4));
  EXPECT_EQ(launch_choices(near, true, {2048, 2048, 3}).front(), choice(1, 2));
  EXPECT_EQ(launch_choices(near, true, {2048, 2048, 1}).front(), choice(1, 1));
}

TEST(LaunchChoice, SmallBoxesHaveThreadsForTheDevice) {
  const DeviceShape near = shape_of_order<2>();
  ASSERT_EQ(near.width, 4);
  EXPECT_EQ(launch_choices(near, true, {128, 128, 128}).front(), choice(2, 4));
  EXPECT_EQ(launch_choices(near, true, {64, 64, 64}).front(), choice(1, 1));
  EXPECT_EQ(launch_choices(near, true, {64, 64, 32}).front(), of_packs(2));
  EXPECT_EQ(launch_choices(near, true, {161, 135, 1}).front(), of_packs(1));
}

TEST(LaunchChoice, SmallBoxesAreMarchedThroughOnlyWhenAsked) {
  const DeviceShape far = shape_of_order<8>();
  EXPECT_TRUE(launch_choices(far, true, {128, 128, 128}).front().march);
  const auto choices = launch_choices(far, true, {48, 48, 48});
  EXPECT_FALSE(choices.front().march);
  EXPECT_TRUE(choices.back().march);
}

TEST(LaunchChoice, ThinBoxesHaveNoPacksBeyondTheirEnds) {
  const DeviceShape near = shape_of_order<2>();
  EXPECT_EQ(launch_choices(near, true, {1, 80, 33}).front(), of_packs(1));
  for (const auto& c : launch_choices(near, true, {1, 512, 512})) EXPECT_EQ(c.pack, 1);
  for (const auto& c : launch_choices(near, true, {2, 512, 512})) EXPECT_LE(c.pack, 2);
  EXPECT_EQ(launch_choices(near, true, {3, 512, 512}).front().pack, 0);
}

TEST(LaunchChoice, BlocksAreMadeForTheBox) {
  using Threads = std::array<int, 3>;
  constexpr int multiprocessors = 132;
  const auto threads_for = [](const Threads& needed) {
    return threads_of_block(shape_of_order<2>(), needed, multiprocessors);
  };
  EXPECT_EQ(threads_for({256, 512, 128}), (Threads{32, 8, 1}));
  EXPECT_EQ(threads_for({16, 512, 512}), (Threads{16, 16, 1}));
  EXPECT_EQ(threads_for({10, 135, 55}), (Threads{10, 12, 1}));  // 660 blocks
  EXPECT_EQ(threads_for({161, 10, 55}), (Threads{32, 5, 1}));
  EXPECT_EQ(threads_for({161, 1, 1024}), (Threads{32, 1, 8}));
  EXPECT_EQ(threads_for({161, 135, 1}), (Threads{32, 1, 1}));
  EXPECT_EQ(threads_for({1, 80, 33}), (Threads{1, 27, 1}));
  EXPECT_EQ(threads_for({1, 1, 1}), (Threads{1, 1, 1}));
}

/// Keeps what it reads until the end.
template <int Components>
struct Blend {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    decltype(u[0]()) sum(0);
    unroll<Components>([&](auto c) { sum = sum + u[c](1, 0, 0) * u[c](); });
    unroll<Components>([&](auto c) { next[c] = u[c](1, 0, 0) * sum + u[c](); });
  }
};
template <int Components>
DeviceShape shape_of_blend() {
  Stage stage;
  const auto recorded = record<FieldParameter<Access::in, float, Components>,
                               FieldParameter<Access::out, float, Components>>(Blend<Components>{});
  stage.footprint = Footprint(recorded.footprint);
  stage.graph = recorded.graph;
  stage.arguments.resize(2);
  return DeviceShape(stage);
}

TEST(DeviceShape, PacksFitIntoRegisters) {
  EXPECT_EQ(shape_of_blend<9>().width, 4);
  EXPECT_EQ(shape_of_blend<19>().width, 2);
}

TEST(LaunchChoice, FunctorsThatReachFarMarchUnlessMasked) {
  const DeviceShape far = shape_of_order<8>();
  EXPECT_TRUE(launch_choices(far, true, {128, 128, 64}).front().march);
  EXPECT_EQ(launch_choices(far, true, {1024, 4, 1024}).front(), choice(2, 4));
  for (const auto& c : launch_choices(far, false, {64, 64, 64})) EXPECT_FALSE(c.march);
}

TEST(LaunchChoice, NoThreadsBeyondTheRow) {
  for (const auto& c : launch_choices(shape_of_order<2>(), true, {64, 64, 64})) {
    const int pack = c.pack == 0 ? 4 : c.pack;
    EXPECT_TRUE(c.shape.threads[0] <= 32 || c.shape.threads[0] / 2 * pack < 64) << text_of(c);
  }
}

TEST(DeviceShape, TellsWhichStepsAPassMayHave) {
  EXPECT_TRUE(shape_of_order<2>().marches(4));
  EXPECT_FALSE(shape_of_order<2>().marches(1));
  EXPECT_TRUE(shape_of_order<8>().marches(1));
  EXPECT_FALSE(shape_of_order<8>().marches(4));
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
}  // namespace goban::cuda::launches_test
