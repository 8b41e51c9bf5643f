#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "goban/io/file/file.hpp"
#include "tests/cli/command_result.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::cli::predict_test {
namespace {

using cli::testing::CommandResult;
using cli::testing::goban;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string hotspot = std::string(GOBAN_SOURCE_DIR) + "/cases/heat/hotspot.toml";

TEST(Predict, ScalesACaseOnPaper) {
  const test::ScratchFolder folder;
  const std::string picture = folder / "scaling.svg";
  const CommandResult result = goban({"predict", hotspot, "--machine", "h200", "--devices",
                                      "1,8,4096", "--picture", picture, "grid.cells=1024"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("hotspot on H200 hosts, strong scaling\n"));
  EXPECT_THAT(result.out, HasSubstr("\n      1  1024x1024x1024"));
  EXPECT_THAT(result.out, HasSubstr("\n   4096  "));
  EXPECT_THAT(result.out, HasSubstr("100%"));
  EXPECT_THAT(result.out, HasSubstr("kWh"));
  const std::string svg = read_text(picture);
  EXPECT_THAT(svg, HasSubstr("<svg"));
}

TEST(Predict, FilesAndCpusBesideGpusArePartOfIt) {
  const CommandResult result =
      goban({"predict", hotspot, "--machine", "h200", "--devices", "1", "--beside", "xeon-core",
             "--beside-threads", "96", "grid.cells=1024"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(", outputs "));
  EXPECT_THAT(result.out, HasSubstr(", checkpoints "));
  EXPECT_THAT(result.out, HasSubstr("beside Intel Xeon core on 96 threads of every node\n"));
  EXPECT_THAT(result.out, HasSubstr(" of 1024 planes, "));
}

TEST(Predict, TheMachineOfACaseMayBeOneOfGpus) {
  const CommandResult result = goban({"predict", hotspot, "run.machine=h200", "--devices", "1"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("NVIDIA H200"));
}

TEST(Predict, WeakScalingSaysWhatDoesNotFit) {
  const CommandResult result = goban(
      {"predict", hotspot, "--machine", "xk6m", "--devices", "2", "--weak", "grid.cells=1200"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("weak scaling"));
  EXPECT_THAT(result.out, HasSubstr("TOO LARGE for its memory"));
}

TEST(Predict, AllWaysAreShownAndRunsBesideThem) {
  const test::ScratchFolder folder;
  const std::string summary =
      folder.store("summary.json", R"({"cells": [64, 64, 64], "updates_per_second": 1e9,
                                       "devices": ["cpu: some"], "ranks": 4})");
  const CommandResult result =
      goban({"predict", hotspot, "--machine", "xeon-core", "--devices", "4", "--strategy", "all",
             "--measured", summary, "grid.cells=64"});
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* way : {"R = 1 ", "R = 2 ", "R = 8 ", "R = 1, one-kernel", "R = 4, two-kernel"}) {
    EXPECT_THAT(result.out, HasSubstr(way));
  }
  EXPECT_THAT(result.out, HasSubstr("measured\n      4  1 GLUP/s, 64x64x64: predicted "));
}

TEST(Predict, ANumberOfDevicesThatDoesNotFitSaysWhyInItsRow) {
  const CommandResult result =
      goban({"predict", hotspot, "--machine", "h200", "--devices", "1,1000000,8", "grid.cells=64"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\n1000000  1000000 devices are too many ("));
  EXPECT_THAT(result.out, HasSubstr("\n      8  64x64x8 "));
}

TEST(Predict, WhatTheCaseFixesIsKept) {
  const auto out_of = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", hotspot, "--machine", "xk6m", "grid.cells=840"});
    const CommandResult result = goban(more);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  const std::string cut = out_of({"run.patches=1,1,8", "--devices", "1,8"});
  EXPECT_THAT(cut, HasSubstr(" 1x1x8 "));
  EXPECT_THAT(cut, HasSubstr("\n      1  1 device does not fit (the case cuts the grid into 8 "
                             "patches); "));
  const std::string all = "--strategy=all";
  const std::string overlapped = out_of({"run.overlap=two-kernel", all, "--devices", "8"});
  EXPECT_THAT(overlapped, HasSubstr("R = 4, two-kernel"));
  EXPECT_THAT(overlapped, Not(HasSubstr("one-kernel")));
  EXPECT_THAT(overlapped, Not(HasSubstr("R = 1 ")));
  const std::string cycles = out_of({"run.steps_per_exchange=5", all, "--devices", "8"});
  EXPECT_THAT(cycles, HasSubstr("R = 5"));
  EXPECT_THAT(cycles, Not(HasSubstr("R = 1")));
  const std::string passes = out_of({"run.temporal_blocking=3", all, "--devices", "1"});
  EXPECT_THAT(passes, HasSubstr("3 steps a pass"));
  EXPECT_THAT(passes, Not(HasSubstr("R = 1")));
  EXPECT_THAT(out_of({"run.temporal_blocking=off", all, "--devices", "1"}),
              Not(HasSubstr("a pass")));
}

TEST(Predict, RefusesWhatItCannotDo) {
  const auto error_of = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", hotspot});
    const CommandResult result = goban(more);
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  EXPECT_THAT(error_of({"--machine", "abacus"}), HasSubstr("there is no machine abacus"));
  EXPECT_THAT(error_of({"--strategy", "some"}), HasSubstr("it is best or all"));
  EXPECT_THAT(error_of({"--machine", "h200", "--beside", "xk6m"}), HasSubstr("one of GPUs"));
  EXPECT_THAT(error_of({"--machine", "xeon-core", "--beside", "xeon-core"}),
              HasSubstr("there are no GPUs beside it"));
  EXPECT_THAT(error_of({"run.transport=host"}),
              HasSubstr("run.transport cannot be predicted (messages are those of the machine"));
  EXPECT_THAT(error_of({"run.halo_precision=half"}), HasSubstr("run.halo_precision cannot be"));
  EXPECT_THAT(error_of({"run.patches=3,5,7", "--devices", "8"}),
              HasSubstr("8 devices do not fit (the case cuts the grid into 105 patches)"));
  EXPECT_THAT(error_of({"--rounds", "0"}), HasSubstr("--rounds 0 is refused"));
  for (const char* devices : {"0", "1,-3", "1000001", "4294967297"}) {
    EXPECT_THAT(error_of({"--devices", devices}), HasSubstr("devices are refused (there are 1 to"));
  }
  EXPECT_THAT(error_of({"--devices", "1000000", "grid.cells=64"}), HasSubstr("too many"));
  EXPECT_THAT(error_of({"--picture", "scaling.gif"}),
              HasSubstr("pictures are PNG, SVG or PDF files"));
  EXPECT_THAT(error_of({"--measured", hotspot}), HasSubstr("is no summary of a run"));
  const test::ScratchFolder folder;
  for (const char* text :
       {R"({"cells": [64, 64, 64], "updates_per_second": 1e9, "devices": []})",
        R"({"cells": [64, 64], "updates_per_second": 1e9, "devices": ["cpu: some"]})",
        R"({"cells": [64, 64, 64], "updates_per_second": "1e9", "devices": ["cpu: some"]})",
        R"({"cells": [64, 64, 64], "updates_per_second": 0, "devices": ["cpu: some"]})", "[]"}) {
    EXPECT_THAT(error_of({"--measured", folder.store("summary.json", text)}),
                HasSubstr("is no summary of a run"))
        << text;
  }
}

}  // namespace
}  // namespace goban::cli::predict_test
