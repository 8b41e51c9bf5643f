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

TEST(Predict, OrdersAndCutsActiveCellsForEveryNumberOfDevices) {
  const std::string pipe = std::string(GOBAN_SOURCE_DIR) + "/cases/blood/pipe.toml";
  const CommandResult result =
      goban({"predict", pipe, "--machine", "h200", "--devices", "1,4", "--strategy", "all"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(", the largest patch +"));
  EXPECT_THAT(result.out, HasSubstr(" % of the cells read of others\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("R = 2")));  // lists exchange halos in every step
}

TEST(Predict, NoBodiesArePlacedOnPaper) {
  const std::string tube = std::string(GOBAN_SOURCE_DIR) + "/cases/blood/fahraeus_lindqvist.toml";
  const CommandResult result = goban({"predict", tube, "--machine", "h200", "--devices", "1,2"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("% of the cells read of others"));
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

std::string out_of(std::vector<std::string> words) {
  words.insert(words.begin(), "predict");
  const CommandResult result = goban(words);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

/// The part of a line from its plan on.
std::string row_after(const std::string& out, const std::string& before) {
  const auto at = out.find(before);
  if (at == std::string::npos) return "no " + before + " in " + out;
  return out.substr(at + before.size(), out.find('\n', at) - at - before.size());
}

TEST(Predict, WorkIsToldByNumbersAlone) {
  const std::string out =
      out_of({"--work", "flops=13,bytes=32,halo=4", "grid.cells=512", "--machine", "tsubame2",
              "--devices", "1,36", "run.overlap=one-kernel", "run.steps_per_exchange=1"});
  EXPECT_THAT(out, HasSubstr("the work told on TSUBAME 2.0, strong scaling\n"));
  EXPECT_THAT(out, HasSubstr(" 56.8"));
  EXPECT_THAT(out, HasSubstr(" TFlops "));
  EXPECT_THAT(out, HasSubstr("R = 1, one-kernel"));
}

TEST(Predict, GrowthIsAlongTheAxesThatAreNamed) {
  const auto cells_of = [](std::vector<std::string> weak) {
    weak.insert(weak.end(), {"--work", "flops=13,bytes=32,halo=4", "grid.cells=64,48,1",
                             "--machine", "tsubame2", "--devices", "6"});
    const std::string row = row_after(out_of(weak), "\n      6  ");
    return row.substr(0, row.find(' '));
  };
  EXPECT_EQ(cells_of({"--weak"}), "192x96x1");  // a plane stays one
  EXPECT_EQ(cells_of({"--weak", "x"}), "384x48x1");
  EXPECT_EQ(cells_of({"--weak", "yz"}), "64x144x2");
  EXPECT_EQ(cells_of({"--weak", "xyz"}), "192x96x1");
}

/// The absorbing bottom ends with the grid and stays as thick as it is.
TEST(Predict, AGridThatHasGrownIsThatOfALargerCase) {
  const std::string basin = std::string(GOBAN_SOURCE_DIR) + "/cases/seismic/basin.toml";
  const std::string grown = out_of(
      {basin, "grid.cells=256,256,54", "--machine", "h200", "--devices", "16", "--weak", "z"});
  const std::string asked = out_of({basin, "grid.cells=256,256,864", "grid.spacing=150",
                                    "--machine", "h200", "--devices", "16"});
  const std::string plan = row_after(grown, "\n     16  256x256x864      ");
  EXPECT_THAT(asked, HasSubstr(plan.substr(0, plan.find(" us"))));
  EXPECT_THAT(plan, HasSubstr(" us"));
}

TEST(Predict, SeveralGridsArePredictedOnSeveralDevices) {
  const std::string cavity = std::string(GOBAN_SOURCE_DIR) + "/cases/flow/cavity.toml";
  const std::string out =
      out_of({cavity, "grid.cells=128", "--machine", "h200", "--devices", "1,16,64"});
  EXPECT_THAT(out, HasSubstr("\n     16  "));
  EXPECT_THAT(out, Not(HasSubstr("too many")));
}

TEST(Predict, StepsAnExchangeGoUpTo64) {
  const std::string out =
      out_of({"--work", "flops=13,bytes=8,halo=4", "grid.cells=1200", "--machine", "xk6m",
              "--devices", "64", "--strategy", "all", "run.overlap=none"});
  EXPECT_THAT(out, HasSubstr("R = 8 "));
  EXPECT_THAT(out_of({"--work", "flops=13,bytes=8,halo=4", "grid.cells=1200", "--machine", "xk6m",
                      "--devices", "27", "run.steps_per_exchange=50"}),
              HasSubstr("R = 50"));
}

TEST(Predict, FailuresOfNodesHaveChances) {
  const std::string out =
      out_of({"--failures", "nodes=384,mtbf=43200,bytes=1.2e9,local=360e6,group=8,lost=4",
              "--machine", "tsubame2"});
  EXPECT_THAT(out, HasSubstr("384 nodes of TSUBAME 2.0"));
  EXPECT_THAT(out, HasSubstr("\nparity 4+4"));
}

TEST(Predict, PicturesShowPlansPartsAndRoofs) {
  const test::ScratchFolder folder;
  const std::string split = folder / "split.svg", roof = folder / "roof.svg",
                    plans = folder / "plans.svg";
  out_of({hotspot, "--machine", "h200", "--devices", "16", "--strategy", "all", "--split", split,
          "--roofline", roof, "--picture", plans});
  for (const std::string& picture : {split, roof, plans}) {
    EXPECT_THAT(read_text(picture), HasSubstr("<svg"));
  }
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
  for (const char* way : {"R = 1 ", "R = 2 ", "R = 1, one-kernel", "R = 2, two-kernel"}) {
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
  const auto out_of = [](std::vector<std::string> more, const char* machine = "xk6m") {
    more.insert(more.begin(), {hotspot, "--machine", machine, "grid.cells=840"});
    return predict_test::out_of(more);
  };
  const std::string cut = out_of({"run.patches=1,1,8", "--devices", "1,8"});
  EXPECT_THAT(cut, HasSubstr(" 1x1x8 "));
  EXPECT_THAT(cut, HasSubstr("\n      1  1 device does not fit (the case cuts the grid into 8 "
                             "patches); "));
  const std::string all = "--strategy=all";
  const std::string overlapped = out_of({"run.overlap=two-kernel", all, "--devices", "8"});
  EXPECT_THAT(overlapped, HasSubstr("R = 2, two-kernel"));
  EXPECT_THAT(overlapped, Not(HasSubstr("one-kernel")));
  EXPECT_THAT(overlapped, Not(HasSubstr("R = 1 ")));
  const std::string cycles = out_of({"run.steps_per_exchange=5", all, "--devices", "8"});
  EXPECT_THAT(cycles, HasSubstr("R = 5"));
  EXPECT_THAT(cycles, Not(HasSubstr("R = 1")));
  const std::string passes = out_of({"run.temporal_blocking=3", all, "--devices", "1"}, "h200");
  EXPECT_THAT(passes, HasSubstr("3 steps a pass"));
  EXPECT_THAT(passes, Not(HasSubstr("R = 1")));
  EXPECT_THAT(out_of({"run.temporal_blocking=off", all, "--devices", "1"}, "h200"),
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
  EXPECT_THAT(error_of({"run.backend=reference"}), HasSubstr("run.backend cannot be predicted"));
  EXPECT_THAT(error_of({"run.kernels=evaluate"}), HasSubstr("run.kernels=evaluate cannot be"));
  EXPECT_THAT(error_of({"--machine", "h200", "run.threads=4"}),
              HasSubstr("run.threads cannot be predicted"));
  EXPECT_THAT(error_of({"--machine", "xk6m", "run.temporal_blocking=4"}),
              HasSubstr("caches of this machine hold no planes"));
  EXPECT_THAT(error_of({"--work", "flops=1,bytes=8,halo=4"}), HasSubstr("nothing is predicted"));
  EXPECT_THAT(error_of({hotspot}), HasSubstr("name one case"));
  EXPECT_THAT(error_of({"--failures", "nodes=8"}), HasSubstr("leave out the case"));
  for (const char* devices : {"0", "1,-3", "1000001", "4294967297"}) {
    EXPECT_THAT(error_of({"--devices", devices}), HasSubstr("devices are refused (there are 1 to"));
  }
  EXPECT_THAT(error_of({"--devices", "1000000", "grid.cells=64"}), HasSubstr("too many"));
  EXPECT_THAT(error_of({"--picture", "scaling.gif"}),
              HasSubstr("pictures are PNG, SVG or PDF files"));
  EXPECT_THAT(error_of({"--measured", hotspot}), HasSubstr("is no summary of a run"));
  const auto alone = [](std::vector<std::string> words) {
    words.insert(words.begin(), "predict");
    const CommandResult result = goban(words);
    EXPECT_EQ(result.code, 2) << result.out;
    return result.err;
  };
  EXPECT_THAT(alone({}), HasSubstr("no case is named"));
  EXPECT_THAT(alone({"--work", "flops=1,bytes=8", "grid.cells=64"}), HasSubstr("halo is missing"));
  EXPECT_THAT(alone({"--work", "flops=1,bytes=8,halo=4"}), HasSubstr("grid.cells"));
  EXPECT_THAT(alone({"--work", "flops=1,bytes=8,halo=4", "grid.cells=64", "physics.k=3"}),
              HasSubstr("physics.k"));
  EXPECT_THAT(alone({"--work", "flops=1,bytes=8,halo=4", "grid.cells=64", "--machine", "h200",
                     "run.temporal_blocking=4"}),
              HasSubstr("told of one sweep"));
  EXPECT_THAT(alone({"--failures", "nodes=8,mtbf=1,bytes=1", "--machine", "h200"}),
              HasSubstr("local is missing"));
  EXPECT_THAT(alone({"--failures", "nodes=8,mtbf=1,bytes=1,local=1,group=9", "--machine", "h200"}),
              HasSubstr("fewer nodes than in a group"));
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
