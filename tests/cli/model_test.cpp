#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <filesystem>

#include "goban/io/file/file.hpp"
#include "tests/cli/command_result.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::cli::model_test {
namespace {

using cli::testing::CommandResult;
using cli::testing::goban;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns the summary of 100 steps that were predicted to take 10 s: 6 s of sweeps, 4 s of halos.
std::string summary(const std::string& name, double loop, const std::string& device,
                    const std::string& steady = "null") {
  return fmt::format(
      R"({{"case": "{}", "cells": [64, 32, 16], "steps": 100, "loop_seconds": {}, "ranks": 2,
           "devices": ["{}"], "steps_per_exchange": 2, "steps_per_pass": 1, "overlap": "none",
           "predicted_step": {{"seconds": 0.1, "operations": 0.01, "bytes": 0.04, "launch": 0.01,
                              "halo": 0.02, "message": 0.03, "reduction": 0, "solver": 0.05}},
           "steady": {},
           "time_split": {{"compute": {{"max": 5}}, "halo": {{"max": 5}}, "output": {{"max": 1}}}}}})",
      name, loop, device, steady);
}

TEST(ModelReport, ShowsRunsWithErrorsByPart) {
  const test::ScratchFolder folder;
  for (const char* run : {"a", "b", "c"}) std::filesystem::create_directories(folder / run);
  folder.store("a/summary.json", summary("first", 8, "cpu: some"));
  folder.store("b/summary.json", summary("second", 10, "NVIDIA <H200>"));
  folder.store("c/summary.json", R"({"case": "third", "predicted_step": null})");
  const std::string page = folder / "page.html";
  const CommandResult result = goban({"model", "report", folder / ".", "--out", page});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("loop         2   12.5%   25.0%"));
  EXPECT_THAT(result.out, HasSubstr("compute      1   20.0%   20.0%"));
  EXPECT_THAT(result.out, HasSubstr("halo         1   20.0%   20.0%"));
  const std::string text = read_text(page);
  EXPECT_THAT(text, HasSubstr("<td>first</td><td>64 x 32 x 16</td><td>cpu: some, 2 ranks</td>"
                              "<td>R = 2, overlap none</td><td>8 s</td><td>10 s</td>"
                              "<td>+25.0 %</td><td>+20.0 %</td><td>-20.0 %</td>"));
  EXPECT_THAT(text, HasSubstr("NVIDIA &lt;H200&gt;"));
  EXPECT_THAT(text, HasSubstr("<svg"));
  EXPECT_THAT(text, Not(HasSubstr("third")));
}

TEST(ModelReport, ComparesStepsAfterAllTrials) {
  const test::ScratchFolder folder;
  folder.store("summary.json",
               summary("one", 100, "cpu: some", R"({"steps": 10, "seconds": 0.8, "compute": 0.6,
                                                    "halo": 0.4, "solver": 0.25})"));
  const CommandResult result =
      goban({"model", "report", folder / ".", "--out", folder / "page.html"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("loop         1   25.0%"));
  EXPECT_THAT(result.out, HasSubstr("compute      1    0.0%"));
  EXPECT_THAT(result.out, HasSubstr("solver       1  100.0%"));
}

TEST(ModelReport, RefusesWhereNothingWasPredicted) {
  const test::ScratchFolder folder;
  const CommandResult none = goban({"model", "report", folder / "."});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("there is nothing to report"));
  EXPECT_THAT(goban({"model", "report", folder / "nowhere"}).err, HasSubstr("is no folder"));
}

}  // namespace
}  // namespace goban::cli::model_test
