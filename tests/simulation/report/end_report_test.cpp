// What a run says when it is over.

#include "goban/simulation/report/reports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace goban::end_report_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EndReport, ShowsResultsThatFitOnALine) {
  const nlohmann::ordered_json results = {{"drag_coefficient", 5.579535233},
                                          {"converged", true},
                                          {"tensor", {{2.0392583, 0.0}, {0.0, 2.0392583}}},
                                          {"profile", std::vector<double>(10, 1.0)},
                                          {"parts", {{"upper", 1}}}};
  const std::string text = end_report({}, {}, {}, results);
  EXPECT_THAT(text, HasSubstr("result      drag_coefficient 5.57954\n"));
  EXPECT_THAT(text, HasSubstr("converged true\n"));
  EXPECT_THAT(text, HasSubstr("tensor [[2.03926, 0], [0, 2.03926]]\n"));
  EXPECT_THAT(text, Not(HasSubstr("profile")));
  EXPECT_THAT(text, Not(HasSubstr("parts")));
}

TEST(EndReport, SaysHowLongKernelsWereCompiled) {
  RunMeasures measures;
  EXPECT_THAT(end_report({}, {}, measures, {}), Not(HasSubstr("kernels")));
  measures.kernels = {5, 2, 0.75};
  EXPECT_THAT(end_report({}, {}, measures, {}),
              HasSubstr("kernels     5 compiled, 2 found compiled, in 0.75 s\n"));
}

TEST(EndReport, NumbersHaveTheirUnits) {
  RunFacts facts;
  facts.result_units = {{"heat_content", "J"}, {"force", "N"}, {"time_step", "s"}};
  facts.time_unit = "s";
  RunReport report;
  report.ended_by = "end";
  report.last_step = 500;
  report.time = 0.01;
  const nlohmann::ordered_json results = {
      {"heat_content", 134.35}, {"force", {1.0, 0.5, 0.0}}, {"time_step", 1.6e-5}, {"count", 3}};
  const std::string text = end_report(facts, report, {}, results);
  EXPECT_THAT(text, HasSubstr("end at step 500, t = 10 ms\n"));
  EXPECT_THAT(text, HasSubstr("heat_content 134.35 J\n"));
  EXPECT_THAT(text, HasSubstr("force [1, 0.5, 0] N\n"));
  EXPECT_THAT(text, HasSubstr("time_step 16 us\n"));
  EXPECT_THAT(text, HasSubstr("count 3\n"));
}

TEST(EndReport, SaysWhatIsMissingAndWhatThePredictionIsOf) {
  RunFacts facts;
  facts.cells = {10, 10, 10};
  facts.bytes_per_update = 8;
  RunReport report;
  report.last_step = 10;
  report.unwritten = 1;
  RunMeasures measures;
  measures.loop_seconds = 1;
  measures.copy_bandwidth = 1e5;
  std::string text = end_report(facts, report, measures, {});
  EXPECT_THAT(text, HasSubstr("one output or checkpoint could not be written"));
  EXPECT_THAT(text, HasSubstr("at which these steps take 0.8 s\n"));
  report.unwritten = 3;
  text = end_report(facts, report, measures, {});
  EXPECT_THAT(text, HasSubstr("3 outputs or checkpoints could not be written"));
}

TEST(EndReport, SaysWhereItDiffersFromTheModel) {
  RunFacts facts;
  facts.cells = {10, 10, 10};
  RunReport report;
  report.last_step = 10;
  RunMeasures measures;
  measures.loop_seconds = 1;
  EXPECT_THAT(end_report(facts, report, measures, {}), Not(HasSubstr("  model")));
  measures.predicted.seconds = 0.095;
  measures.predicted.busy.bytes = 0.06;
  facts.rates = "xeon-core";
  EXPECT_THAT(end_report(facts, report, measures, {}),
              HasSubstr("; rates of xeon-core: goban calibrate measures this machine's\n"));
  facts.rates_are_of_this_host = true;
  measures.compute_seconds = 0.62;
  measures.halo_seconds = 0.38;
  EXPECT_THAT(end_report(facts, report, measures, {}),
              HasSubstr("model       95 ms a step predicted, 100 ms measured (+5 %, with what was "
                        "tried and compiled)\n"));
  measures.steady = {5, 0.95, {0.35, 0.6, 0.25}};
  measures.predicted.solver = 0.01;
  EXPECT_THAT(end_report(facts, report, measures, {}),
              HasSubstr("model       95 ms a step predicted, 190 ms measured (+100 %); halo 120 ms "
                        "instead of 35 ms; solver 50 ms instead of 10 ms\n"));
  EXPECT_THAT(end_report(facts, report, measures, {}), Not(HasSubstr("  part")));
  measures.predicted.parts = {{"advect", {8, 8, 8}, 1, 0.06},
                              {"Smooth<Divergence, 0> to sum", {4, 4, 4}, 3, 0.03}};
  measures.steady.split.parts = {0.4, 0.3};
  EXPECT_THAT(
      end_report(facts, report, measures, {}),
      HasSubstr("  part        advect, 8 x 8 x 8 cells: 80 ms a step, 60 ms predicted (+33 %)\n"
                "  part        Smooth to sum, 4 x 4 x 4 cells, 3 times: 60 ms a step, 30 ms "
                "predicted (+100 %)\n"));
  measures.predicted_output_seconds = 1;
  measures.output_seconds = 1.5;
  EXPECT_THAT(end_report(facts, report, measures, {}),
              HasSubstr("instead of 10 ms; output 1.5 s instead of 1 s\n"));
  facts.gpus = {"cuda:0"};
  EXPECT_THAT(end_report(facts, report, measures, {}), Not(HasSubstr("halo 120")));
}

TEST(EndReport, NamesOnlyTheLongestPartsInPlainWords) {
  RunReport report;
  report.last_step = 10;
  RunMeasures measures;
  measures.loop_seconds = 1;
  measures.predicted.seconds = 0.1;
  measures.steady = {10, 1, {1, 0, 0}};
  for (int n = 0; n < 9; ++n) {
    measures.predicted.parts.push_back({"Stage" + std::to_string(n), {8, 8, 8}, 1, 0.01});
    measures.steady.split.parts.push_back(n == 7 ? 9.0 : 0.03 + 0.01 * n);
  }
  const std::string text = end_report({}, report, measures, {});
  EXPECT_THAT(text, HasSubstr("  part        Stage7, 8 x 8 x 8 cells: 900 ms a step, 10 ms "
                              "predicted (over 10 times as long)\n  part        Stage8"));
  EXPECT_THAT(text, HasSubstr("  part        and 5 more; all of them in summary.json\n"));
  EXPECT_THAT(text, Not(HasSubstr("Stage6")));
}

TEST(EndReport, SaysWhatTheStartTook) {
  RunMeasures measures;
  measures.start.total = 3.4;
  measures.start.of[static_cast<std::size_t>(Preparation::fields)] = 1.25;
  measures.start.of[static_cast<std::size_t>(Preparation::bandwidth)] = 0.31;
  measures.start.of[static_cast<std::size_t>(Preparation::memory)] = 1e-3;  // not worth a word
  EXPECT_THAT(end_report({}, {}, measures, {}),
              HasSubstr("start       3.4 s: fields 1.25 s, copy bandwidth 0.31 s\n"));
}

TEST(EndReport, ManyChecksumsAreOneLineThatEachOfThemChanges) {
  RunMeasures measures;
  for (int n = 0; n < 25; ++n) measures.checksums.emplace_back("field", 1000 + n);
  const auto line = [&] {
    const std::string text = end_report({}, {}, measures, {});
    const auto at = text.find("  checksum");
    EXPECT_EQ(text.find("  checksum", at + 1), std::string::npos);
    return text.substr(at, text.find('\n', at) - at);
  };
  const std::string before = line();
  EXPECT_NE(before.find("of all 25 fields"), std::string::npos) << before;
  std::swap(measures.checksums[3], measures.checksums[4]);
  EXPECT_NE(line(), before);
  std::swap(measures.checksums[3], measures.checksums[4]);
  EXPECT_EQ(line(), before);
  measures.checksums[24].second ^= 1;
  EXPECT_NE(line(), before);
  measures.checksums.resize(2);
  EXPECT_NE(end_report({}, {}, measures, {}).find("field 00000000000003e8"), std::string::npos);
}

}  // namespace
}  // namespace goban::end_report_test
