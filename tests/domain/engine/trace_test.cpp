// What a program leaves on the timeline, on every kind of executor.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "goban/backend/timeline.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::trace_test {
namespace {

using Bar = Timeline::Bar;
using Kind = Timeline::Kind;
using Row = Timeline::Row;

struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};

struct Traced {
  std::vector<Bar> bars;
  std::vector<std::string> processes;
  Timeline::Time start, end;
  std::uint64_t checksum = 0;

  int count(Kind kind) const {
    int n = 0;
    for (const Bar& bar : bars) n += bar.kind == kind;
    return n;
  }
};

constexpr int steps = 8;

/// Rows that hold bars. Halos travel beside the computation only where work is to overlap.
std::set<Row> rows_of(const Traced& traced, int process) {
  std::set<Row> rows;
  for (const Bar& bar : traced.bars) {
    if (bar.process == process) rows.insert(bar.row);
  }
  return rows;
}
std::set<Row> rows_expected(Overlap overlap) {
  if (overlap == Overlap::none) return {Row::compute};
  return {Row::compute, Row::halo};
}

/// Diffusion on two patches and the sum of its last values.
Traced run(Settings settings, bool is_traced = true) {
  const test::ScratchFolder folder;
  const auto file = folder / "trace.json";
  settings.cuts = {"", "", "20,21"};
  settings.threads = 1;
  if (is_traced) settings.trace = file.string();
  Traced traced;
  {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {33, 19, 41}, .boundary = periodic});
    Field<float> u(grid, "u"), next(grid, "next");
    u.fill(test::pattern);
    Program step("diffusion");
    step.apply(test::Diffusion<float>{}, in(u), out(next)).name("diffuse");
    step.swap(u, next);
    Parameter<double> total("total");
    Program look("look");
    look.reduce(Value{}, in(u), sum, into(total));
    StepClock clock;
    Engine engine(step);
    engine.run(steps, clock);
    Engine(look).run(1, clock);
    engine.synchronize();
    traced.checksum = u.checksum();
    if (const Timeline* timeline = runtime.timeline()) {
      traced.bars.assign(timeline->bars().begin(), timeline->bars().end());
      traced.processes = timeline->processes();
      traced.start = timeline->start();
      traced.end = std::chrono::steady_clock::now();
    }
  }
  EXPECT_EQ(std::filesystem::exists(file), is_traced);
  std::filesystem::remove(file);
  return traced;
}

/// Rows of executors are queues: one thing after the other, however the clocks were aligned.
void expect_queues_in_order(const Traced& traced) {
  constexpr std::chrono::milliseconds tolerance{1};
  std::map<std::pair<int, Row>, Timeline::Time> latest;
  for (const Bar& bar : traced.bars) {
    EXPECT_LE(bar.begin, bar.end);
    EXPECT_GE(bar.begin, traced.start - tolerance);
    EXPECT_LE(bar.end, traced.end + tolerance);
    if (bar.row == Row::host) continue;
    auto& before = latest[{bar.process, bar.row}];
    EXPECT_LE(before, bar.begin) << traced.processes[static_cast<std::size_t>(bar.process)] << ", "
                                 << name_of(bar.row) << ", step " << bar.step;
    before = bar.end;
  }
}

/// Every cell of both patches, in every step.
void expect_every_step_swept(const Traced& traced) {
  std::map<std::pair<int, Index>, Index> cells;
  for (const Bar& bar : traced.bars) {
    if (bar.kind != Kind::sweep || bar.name != "diffuse") continue;
    EXPECT_NE(bar.row, Row::host);
    EXPECT_TRUE(bar.box.empty() || bar.cells == bar.box.volume());  // several boxes in one launch
    cells[{bar.patch, bar.step}] += bar.cells;
  }
  EXPECT_EQ(cells.size(), 2u * steps);
  for (const auto& [what, count] : cells) {
    EXPECT_EQ(count, 33 * 19 * (what.first == 0 ? 20 : 21)) << "patch " << what.first;
  }
}

class Traces : public ::testing::TestWithParam<Overlap> {};

TEST_P(Traces, OfTheCpuHoldSweepsAndHalos) {
  Settings settings;
  settings.steps_per_exchange = 1;
  settings.overlap = GetParam();
  const Traced traced = run(settings);
  expect_queues_in_order(traced);
  expect_every_step_swept(traced);
  EXPECT_GT(traced.count(Kind::copy), 0);
  EXPECT_EQ(traced.count(Kind::wait), 0);
  EXPECT_EQ(traced.checksum, run(settings, false).checksum);
}

TEST_P(Traces, OfEmulatedDevicesHoldBothQueuesOfEach) {
  Settings settings;
  settings.backend = Backend::emulated;
  settings.delay_microseconds = 20;
  settings.steps_per_exchange = 1;
  settings.overlap = GetParam();
  const Traced traced = run(settings);
  expect_queues_in_order(traced);
  expect_every_step_swept(traced);
  for (const Bar& bar : traced.bars) {
    const bool is_of_an_exchange = bar.kind == Kind::copy && bar.patch >= 0;
    if (!is_of_an_exchange) continue;
    EXPECT_EQ(bar.process, bar.patch + 1);
  }
  EXPECT_EQ(rows_of(traced, Timeline::host), std::set{Row::host});
  EXPECT_EQ(rows_of(traced, 1), rows_expected(GetParam()));
  EXPECT_EQ(rows_of(traced, 2), rows_expected(GetParam()));
  EXPECT_GT(traced.count(Kind::wait), 0);
  EXPECT_EQ(traced.checksum, run(settings, false).checksum);
}

TEST_P(Traces, OfGpusHoldBothQueuesWithTheirTimes) {
  if (!test::has_gpu()) GTEST_SKIP() << "no GPU";
  Settings settings;
  settings.backend = Backend::cuda;
  settings.devices = {0};
  settings.steps_per_exchange = 1;
  settings.temporal_blocking = 0;
  settings.overlap = GetParam();
  const Traced traced = run(settings);
  expect_queues_in_order(traced);
  expect_every_step_swept(traced);
  EXPECT_EQ(rows_of(traced, 1), rows_expected(GetParam()));
  std::map<Row, std::chrono::nanoseconds> busy;
  for (const Bar& bar : traced.bars) busy[bar.row] += bar.end - bar.begin;
  for (const Row row : rows_expected(GetParam())) EXPECT_GT(busy[row].count(), 0);
  EXPECT_GT(traced.count(Kind::wait), 0);
  EXPECT_EQ(traced.checksum, run(settings, false).checksum);
}

INSTANTIATE_TEST_SUITE_P(Overlaps, Traces,
                         ::testing::Values(Overlap::none, Overlap::one_kernel,
                                           Overlap::two_kernel));

/// Expects passes of four steps each.
void expect_passes(const Settings& settings) {
  const Traced traced = run(settings);
  expect_queues_in_order(traced);
  int passes = 0;
  for (const Bar& bar : traced.bars) {
    if (bar.kind != Kind::pass) continue;
    ++passes;
    EXPECT_EQ(bar.steps, 4);
    EXPECT_EQ(bar.step % 4, 0);
    EXPECT_EQ(bar.name, "diffuse");
    EXPECT_GE(bar.cells, 4 * bar.box.volume());
  }
  EXPECT_EQ(passes, 2 * steps / 4);
}

TEST(TracesOfPasses, HoldTheirSteps) {
  Settings settings;
  settings.steps_per_exchange = 4;
  settings.temporal_blocking = 4;
  expect_passes(settings);
  if (!test::has_gpu()) return;
  settings.backend = Backend::cuda;
  settings.devices = test::first_gpus(2);
  expect_passes(settings);
}

/// Patches fetch their halos for the first two steps, as there are two buffers; from then on what a
/// sweep computes is in them already. Where work is to overlap they are fetched in every step.
TEST(Trace, SweepsSendHalosWhereNothingOverlaps) {
  for (const Overlap overlap : {Overlap::none, Overlap::one_kernel}) {
    Settings settings;
    settings.backend = Backend::emulated;
    settings.steps_per_exchange = 1;
    settings.overlap = overlap;
    std::set<Index> steps_with_copies;
    for (const Bar& bar : run(settings).bars) {
      if (bar.kind == Kind::copy && bar.step >= 0) steps_with_copies.insert(bar.step);
    }
    EXPECT_EQ(steps_with_copies.size(), overlap == Overlap::none ? 2u : std::size_t{steps})
        << name_of(overlap);
  }
}

}  // namespace
}  // namespace goban::trace_test
