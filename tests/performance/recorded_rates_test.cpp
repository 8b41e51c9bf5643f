// Predictions beside rates that were recorded on H200s. They compare two sets of numbers: nothing
// is measured here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "benchmarks/kernels.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "goban/performance/predict/scaling.hpp"
#include "heat/stencils.hpp"
#include "life/stencils.hpp"
#include "tests/domain/decomposition/no_store.hpp"

namespace goban::recorded_rates_test {
namespace {

using nlohmann::json;

/// A program of a recorded kernel.
struct Recorded {
  Recorded(Index3 cells, const BoundarySet& boundary)
      : context(Settings{}), grid(context, {.cells = cells, .boundary = boundary}) {}

  template <class T, int Components, class Functor>
  void swaps(Functor functor) {
    Field<T, Components> u(grid, "u"), next(grid, "next");
    step.apply(functor, in(u), out(next));
    step.swap(u, next);
  }
  bool make(const std::string& name) {
    using namespace benchmarks;
    if (name == "heat7_float") {
      swaps<float, 1>(Heat7<float>{0.1f});
    } else if (name == "heat7_double") {
      swaps<double, 1>(Heat7<double>{0.1});
    } else if (name == "heat7_half") {
      swaps<half, 1>(Heat7<float>{0.1f});
    } else if (name == "heat25_float") {
      swaps<float, 1>(Heat25{});
    } else if (name == "d3q19_float") {
      swaps<float, 19>(Bgk{1.0f});
    } else if (name == "d3q19_half") {
      swaps<half, 19>(Bgk{1.0f});
    } else if (name == "gray_scott") {
      Field<float> u(grid, "u"), v(grid, "v"), u_next(grid, "u_next"), v_next(grid, "v_next");
      step.apply(GrayScott{}, in(u), in(v), out(u_next), out(v_next));
      step.swap(u, u_next);
      step.swap(v, v_next);
    } else if (name == "heat2") {
      swaps<float, 1>(heat::Diffuse<2, float>::with(0.05, {1, 1, 1}));
    } else if (name == "heat8") {
      swaps<float, 1>(heat::Diffuse<8, float>::with(0.05, {1, 1, 1}));
    } else if (name == "life") {
      swaps<std::uint8_t, 1>(life::LiveInRanges{5, 7, 6, 6});
    } else if (name == "d3q19") {
      swaps<float, 19>(Bgk{1.2f});
    } else {
      return false;
    }
    return true;
  }

  test::NoStore context;
  Grid grid;
  Program step{"step"};
};

/// Relative error of the predicted rate of a row of a record; nothing where its kernel is another.
std::optional<double> error_of(const json& row) {
  const Index3 cells = row["cells"].get<Index3>();
  const bool is_periodic = row["boundary"] == "periodic";
  Recorded recorded(cells, is_periodic ? BoundarySet{periodic} : BoundarySet{constant(0)});
  if (!recorded.make(row["name"])) return {};
  const ScalingQuestion question{Engine(recorded.step).straight_runs(),
                                 test::shipped_machine("h200"), false};
  for (const ScalingPoint& point : predict_strategies(question, row["gpus"].get<Index>())) {
    const bool is_same = point.plan.steps_per_pass == row["steps_per_pass"].get<int>() &&
                         name_of(point.plan.overlap) == row["overlap"];
    if (is_same) return point.updates_per_second() / row["updates_per_second"].get<double>() - 1;
  }
  return {};
}

/// Returns the relative error of the time of a row of goban-exchange, on GPUs of one host: those of
/// a process, or one for each. Returns nothing for kernels that are not known here.
std::optional<double> error_of_exchange(const json& row, Index devices,
                                        const std::string& transport, MachineRates machine) {
  Recorded recorded(row["cells"].get<Index3>(), BoundarySet{periodic});
  if (!recorded.make(row["name"])) return {};
  if (transport == "host" || transport == "nccl") machine.peer = {};
  if (transport == "host") machine.nccl = {};
  const StraightRun run = Engine(recorded.step).straight_runs().front();
  const std::vector<int> nodes(row["ranks"].get<std::size_t>(), 0);
  const Index devices_each = devices / static_cast<Index>(nodes.size());
  const GridState& grid = *recorded.grid.state();
  const PaperRank rank =
      rank_on_paper(decomposition_on_paper(grid, nodes, devices_each, step_model_of(grid, machine)),
                    {}, grid, nodes, machine);
  StepPlan plan{.steps_per_exchange = row["steps_per_exchange"].get<int>()};
  for (const Overlap overlap : {Overlap::one_kernel, Overlap::two_kernel}) {
    if (name_of(overlap) == row["overlap"].get<std::string>()) plan.overlap = overlap;
  }
  const double measured = row["seconds_per_step"].get<double>();
  const StepPrediction step = predict_step(run, plan, rank, machine);
  std::printf("%-6s %4d x %4d x %4d  %d ranks  %-10s %-10s R = %d  %8.2f us  %8.2f us  %+5.1f %%\n",
              row["name"].get<std::string>().c_str(), row["cells"][0].get<int>(),
              row["cells"][1].get<int>(), row["cells"][2].get<int>(), row["ranks"].get<int>(),
              transport.c_str(), row["overlap"].get<std::string>().c_str(), plan.steps_per_exchange,
              1e6 * measured, 1e6 * step.seconds, 100 * (step.seconds / measured - 1));
  return step.seconds / measured - 1;
}

struct Errors {
  std::vector<double> of_sweeps, of_passes, of_passes_of_two_fields;
};

Errors errors_of(const std::vector<std::string>& records) {
  Errors errors;
  for (const std::string& name : records) {
    std::ifstream file(std::string(GOBAN_SOURCE_DIR) + "/benchmarks/records/" + name + ".json");
    const json record = json::parse(file);
    for (const json& run : record["runs"]) {
      if (!run.contains("rows")) continue;
      for (const json& row : run["rows"]) {
        if (row.value("program", "") != "goban-gpu-rates" || !row.contains("steps_per_pass"))
          continue;
        if (row["name"] == "life") continue;  // its kernel was another in the older record
        const auto error = error_of(row);
        if (!error) continue;
        const bool is_pass = row["steps_per_pass"] != 1;
        const bool is_of_two = row["name"] == "gray_scott";
        (!is_pass    ? errors.of_sweeps
         : is_of_two ? errors.of_passes_of_two_fields
                     : errors.of_passes)
            .push_back(std::abs(*error));
        std::printf("%-14s %5d x %5d x %5d  %d GPU  %-8s %-10s T = %d  %8.1f GLUP/s  %+5.1f %%\n",
                    row["name"].get<std::string>().c_str(), row["cells"][0].get<int>(),
                    row["cells"][1].get<int>(), row["cells"][2].get<int>(), row["gpus"].get<int>(),
                    row["boundary"].get<std::string>().c_str(),
                    row["overlap"].get<std::string>().c_str(), row["steps_per_pass"].get<int>(),
                    row["updates_per_second"].get<double>() * 1e-9, 100 * *error);
      }
    }
  }
  return errors;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

TEST(RecordedRates, ArePredicted) {
  const Errors errors = errors_of({"2026-11-22-h200-sweeps", "2026-11-23-h200x2-rates-2"});
  ASSERT_GE(errors.of_sweeps.size(), 40u);
  ASSERT_GT(errors.of_passes.size(), 8u);
  EXPECT_LT(median_of(errors.of_sweeps), 0.05);
  EXPECT_LT(*std::max_element(errors.of_sweeps.begin(), errors.of_sweeps.end()), 0.15);
  EXPECT_LT(median_of(errors.of_passes), 0.07);
  EXPECT_LT(*std::max_element(errors.of_passes.begin(), errors.of_passes.end()), 0.15);
  EXPECT_LT(median_of(errors.of_passes_of_two_fields), 0.5);
}

TEST(RecordedRates, HalosAndGhostExpansionArePredicted) {
  std::ifstream file(std::string(GOBAN_SOURCE_DIR) +
                     "/benchmarks/records/2026-11-22-h200x2-exchange.json");
  const json record = json::parse(file);
  std::vector<double> stored, by_hosts, of_shells;
  for (const json& run : record["runs"]) {
    const auto command = run["command"].get<std::string>();
    const bool has_two = !command.ends_with("cuda:0");
    const bool is_by_host = command.ends_with("transport host");
    for (const json& row : run["rows"]) {
      // Sweeps of small grids have been made faster since.
      if (row["steps_per_exchange"] > 4 || row["chosen"] || row["cells"][0] < 256) continue;
      const auto error = error_of_exchange(row, has_two ? 2 : 1, is_by_host ? "host" : "automatic",
                                           test::shipped_machine("h200"));
      if (!error) continue;
      // Shells of every step slow down what is within more than is predicted.
      const bool has_shells = row["overlap"] == "two-kernel" && row["steps_per_exchange"] == 1;
      (is_by_host ? by_hosts : has_shells ? of_shells : stored).push_back(std::abs(*error));
    }
  }
  ASSERT_GE(stored.size(), 35u);
  EXPECT_LT(median_of(stored), 0.07);
  EXPECT_LT(*std::max_element(stored.begin(), stored.end()), 0.15);
  ASSERT_GE(of_shells.size(), 5u);
  EXPECT_LT(*std::max_element(of_shells.begin(), of_shells.end()), 0.25);
  ASSERT_GE(by_hosts.size(), 20u);
  EXPECT_LT(median_of(by_hosts), 0.2);  // whose times vary from run to run
}

}  // namespace
}  // namespace goban::recorded_rates_test
