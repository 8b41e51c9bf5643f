#include "goban/simulation/run/simulation.hpp"

#include <sys/wait.h>

#include "goban/io/file/csv.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"
#include "tests/error_text.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::simulation_test {
namespace {

using Steps = std::vector<Index>;

struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};
struct Scale {
  GOBAN_FUNCTION void operator()(auto u, auto factor, auto scaled) const {
    scaled = factor() * u();
  }
};

class Simulations : public SmallRuns {
 protected:
  RunStatus run(SmallRunOptions options, RunReport* report = nullptr) {
    if (options.directory.empty()) options.directory = root_;
    SmallRun run(options);
    const RunStatus status = run.simulation().run();
    if (report) *report = run.simulation().report();
    return status;
  }
  Steps steps_in(const std::string& csv) const {
    Steps steps;
    const CsvTable table = read_csv(root_ / csv);
    for (const double step : table.values.at(0)) {
      steps.push_back(static_cast<Index>(step));
    }
    return steps;
  }
};

TEST_F(Simulations, LeaveTheFilesTheyWereAskedFor) {
  EXPECT_EQ(run({.steps = 12}), RunStatus::finished);
  EXPECT_EQ(status_of(root_), "finished");
  EXPECT_NE(content_of(root_ / "run.toml").find("app = \"simmer\""), std::string::npos);
  EXPECT_EQ(steps_in("simmer_norms.csv"), (Steps{0, 2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(steps_in("simmer_probes.csv"), (Steps{0, 3, 6, 9, 12}));
  for (const char* name :
       {"simmer_u_square.xdmf", "simmer_u_y.0000000.png", "simmer_u_y.0000006.png",
        "simmer_u_y.0000012.png", "simmer_square_z.0000012.png", "simmer_u_statistics.xdmf",
        "chk/0000009/manifest.json", "chk/0000012/manifest.json"}) {
    EXPECT_TRUE(fs::exists(root_ / name)) << name;
  }
  EXPECT_FALSE(fs::exists(root_ / "simmer_square_z.0000000.png"));
  const auto summary = summary_of(root_);
  for (const auto& file : summary["outputs"]) {
    EXPECT_TRUE(fs::exists(root_ / file.get<std::string>())) << file;
  }
}

TEST_F(Simulations, WriteTheSummaryWithAllItsKeys) {
  SmallRun run({.steps = 12, .directory = root_});
  run.simulation().results([](nlohmann::ordered_json& numbers) { numbers["answer"] = 42; });
  run.simulation().options().summary = root_ / "second.json";
  run.simulation().run();
  const auto summary = summary_of(root_);
  for (const char* key : {"goban",
                          "app",
                          "case",
                          "cells",
                          "steps",
                          "simulated_time",
                          "wall_seconds",
                          "loop_seconds",
                          "start_seconds",
                          "results_seconds",
                          "updates_per_second",
                          "bytes_per_update",
                          "flops_per_update",
                          "effective_bandwidth",
                          "copy_bandwidth",
                          "roofline_fraction",
                          "predicted_loop_seconds",
                          "predicted_step",
                          "steady",
                          "parts",
                          "devices",
                          "ranks",
                          "transports",
                          "halo_precision",
                          "subnormals",
                          "results_depend_on_ranks",
                          "patches",
                          "steps_per_exchange",
                          "overlap",
                          "vectorized",
                          "checksum",
                          "results",
                          "outputs",
                          "time_split",
                          "predicted_halo_share",
                          "peak_memory"}) {
    EXPECT_TRUE(summary.contains(key)) << key;
  }
  EXPECT_EQ(summary["case"], "simmer");
  EXPECT_EQ(summary["cells"], (Index3{19, 12, 9}));
  EXPECT_EQ(summary["steps"], 12);
  EXPECT_DOUBLE_EQ(summary["simulated_time"], 0.24);
  EXPECT_EQ(summary["bytes_per_update"], 8);
  EXPECT_EQ(summary["results"]["answer"], 42);
  EXPECT_EQ(summary["ended_by"], "steps");
  EXPECT_EQ(summary["vectorized"]["Simmer"], true);
  EXPECT_EQ(summary["checksum"]["u"], fmt::format("{:016x}", run.u().checksum()));
  EXPECT_FALSE(summary["checksum"].contains("next")) << "scratch has no checksum";
  for (const char* part : {"compute", "halo", "output", "checkpoint"}) {
    EXPECT_GE(summary["time_split"][part]["mean"], 0.0);
  }
  EXPECT_GT(summary["peak_memory"]["max"], 1 << 20);
  EXPECT_EQ(summary["peak_memory"]["min"], summary["peak_memory"]["max"]);
  const double rate = summary["updates_per_second"], seconds = summary["loop_seconds"];
  EXPECT_NEAR(rate * seconds, 19 * 12 * 9 * 12, 1e-3);
  EXPECT_EQ(content_of(root_ / "second.json"), content_of(root_ / "summary.json"));
}

TEST_F(Simulations, ShowFieldsAsTheyAre) {
  SmallRun run({.steps = 10, .directory = root_});
  run.simulation().run();
  const auto u = run.u().copy_out();
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5";
  const auto snapshot = read_snapshot(root_ / "simmer_u_square.0000010.vtkhdf");
  ASSERT_EQ(snapshot.fields.size(), 2u);
  const std::size_t temperature = snapshot.fields[0].name == "u" ? 0 : 1;
  const auto stored = snapshot.fields[temperature].as<float>();
  const auto squares = snapshot.fields[1 - temperature].as<float>();
  EXPECT_EQ(snapshot.units[temperature], "K");
  EXPECT_EQ(snapshot.step, 10);
  EXPECT_NE(snapshot.config.find("app = \"simmer\""), std::string::npos);
  ASSERT_EQ(stored.size(), u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    EXPECT_EQ(stored[i], u[i]);
    EXPECT_EQ(squares[i], u[i] * u[i]) << "the derived field is of this step";
  }
}

TEST_F(Simulations, KeepTheRowsOfAFileThatAnEditorReplaces) {
  run({.steps = 20, .directory = root_ / "plain"});
  const fs::path there = root_ / "edited", file = there / "simmer_norms.csv";
  for (const bool is_removed : {false, true}) {
    SmallRun run({.steps = 20, .directory = there});
    run.simulation().on(at_steps({5}), [&](const Clock&) {
      std::ofstream(there / "edited") << "an editor's";
      is_removed ? void(fs::remove(file)) : fs::rename(there / "edited", file);
      fs::remove(there / "edited");
    });
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run.simulation().run(), RunStatus::finished);
    const std::string log = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(log.find("simmer_norms.csv is back: another program had"), std::string::npos) << log;
    EXPECT_EQ(content_of(file.string() + ".replaced"), is_removed ? "" : "an editor's");
    fs::remove(file.string() + ".replaced");
    expect_same_outputs(root_ / "plain", there);
    fs::remove_all(there);
  }
}

TEST_F(Simulations, RowsThatAreCutMeanwhileAreMissed) {
  SmallRun run({.steps = 20, .directory = root_});
  run.simulation().on(at_steps({5}),
                      [&](const Clock&) { fs::resize_file(root_ / "simmer_norms.csv", 20); });
  try {
    run.simulation().run();
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::files);
    EXPECT_EQ(std::string(error.what()).find("rows of "), 0u) << error.what();
  }
}

TEST_F(Simulations, WriteNothingToFilesThatIsMeantForClosedStreams) {
  run({.steps = 12, .directory = root_ / "plain"});
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (const int stream : {0, 1, 2}) ::close(stream);
    SmallRun run({.steps = 12, .directory = root_ / "closed"});
    run.simulation().progress();
    _exit(run.simulation().run() == RunStatus::finished ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  expect_same_outputs(root_ / "plain", root_ / "closed");
}

TEST_F(Simulations, GiveTheSameBitsHoweverTheyAreComputed) {
  run({.steps = 17, .directory = root_ / "plain"});
  int number = 0;
  for (const Settings& settings :
       {Settings{.patches = {2, 1, 1}}, Settings{.patches = {3, 2, 1}, .threads = 2},
        Settings{.patches = {1, 2, 2}, .steps_per_exchange = 3},
        Settings{.patches = {1, 1, 1}, .temporal_blocking = 3},
        Settings{.backend = Backend::reference, .patches = {1, 1, 1}},
        Settings{.backend = Backend::emulated, .patches = {2, 2, 1}, .delay_microseconds = 10}}) {
    const fs::path other = root_ / std::to_string(number++);
    run({.steps = 17, .settings = settings, .directory = other});
    expect_same_outputs(root_ / "plain", other);
  }
}

TEST_F(Simulations, KeepStatisticsOfEveryCell) {
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5";
  SmallRun run({.steps = 11, .directory = root_, .outputs = false});
  std::vector<std::vector<float>> samples;
  run.simulation().statistics(run.u(), every(3), 0.05);
  run.simulation().on(every(3), [&](const Clock& now) {
    if (now.time >= 0.05) samples.push_back(run.u().copy_out());
  });
  run.simulation().run();
  ASSERT_EQ(samples.size(), 3u) << "steps 3, 6 and 9";
  const auto written = read_snapshot(root_ / "simmer_u_statistics.0000011.vtkhdf");
  std::map<std::string, std::span<const double>> stored;
  for (const Array& field : written.fields) stored[field.name] = field.as<double>();
  for (std::size_t i = 0; i < samples[0].size(); ++i) {
    constexpr double share[] = {0.25, 0.5, 0.25};  // of the time, by the trapezoidal rule
    double mean = 0, square = 0;
    for (std::size_t n = 0; n < 3; ++n) mean += share[n] * samples[n][i];
    for (std::size_t n = 0; n < 3; ++n) {
      square += share[n] * (samples[n][i] - mean) * (samples[n][i] - mean);
    }
    ASSERT_NEAR(stored["u_mean"][i], mean, 1e-14);
    ASSERT_NEAR(stored["u_variance"][i], square, 1e-14);
    ASSERT_EQ(stored["u_minimum"][i], std::min({samples[0][i], samples[1][i], samples[2][i]}));
    ASSERT_EQ(stored["u_maximum"][i], std::max({samples[0][i], samples[1][i], samples[2][i]}));
  }
}

TEST_F(Simulations, EndWhenTheConditionHolds) {
  RunReport report;
  run({.steps = 100000, .stop_below = 0.6}, &report);
  EXPECT_EQ(report.ended_by, "seen < 0.6");
  EXPECT_EQ(report.last_step % 7, 0);
  EXPECT_GT(report.last_step, 7);
  EXPECT_LT(report.last_step, 1000);
  EXPECT_EQ(summary_of(root_)["ended_by"], "seen < 0.6");
  EXPECT_EQ(steps_in("simmer_norms.csv").back(), report.last_step);
}

TEST_F(Simulations, EndAtTheSimulatedTime) {
  RunReport report;
  run({.steps = -1, .end = 0.3}, &report);
  EXPECT_EQ(report.last_step, 15) << "0.3 / 0.02";
  EXPECT_EQ(report.ended_by, "end");
  run({.steps = 3, .end = 0.3}, &report);
  EXPECT_EQ(report.last_step, 3) << "whichever comes first";
}

TEST_F(Simulations, MeetMomentsExactlyWhereTheStepMayShrink) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {8, 8, 8}});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill(1.0f);
  Parameter<double> limit("limit"), dt("dt", 0.0);
  Program step("shrinking");
  step.compute([](double at_most, double& step_size) { step_size = std::min(0.03, at_most); },
               in(limit), out(dt));
  step.apply(Square{}, in(u), out(next));
  step.swap(u, next);
  Simulation simulation(grid, step, {.end = 0.2, .dt = dt, .dt_limit = limit});
  std::vector<double> times;
  simulation.on(every_time(0.05), [&](const Clock& now) { times.push_back(now.time); });
  simulation.run();
  ASSERT_EQ(times.size(), 5u);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(times[i], 0.05 * static_cast<double>(i), 1e-12);
  }
  EXPECT_EQ(simulation.report().last_step, 8) << "0.03 + 0.02, four times";
}

TEST_F(Simulations, AreAdjustedBeforeAnythingLooksAtTheState) {
  Settings settings;
  settings.steps_per_exchange = 2;  // cycles end where an adjustment is due
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {8, 8, 8}});
  Field<float> u(grid, "u"), next(grid, "next"), square(grid, "square");
  u.fill(1.0f);
  Program step("squares"), derived("derived");
  step.apply(Square{}, in(u), out(next));
  step.swap(u, next);
  derived.apply(Square{}, in(u), out(square));
  Simulation simulation(grid, step, {.steps = 7});
  simulation.derive(derived);
  Steps adjusted;
  simulation.adjust(3, [&](const Clock& now) {
    adjusted.push_back(now.step);
    if (now.step == 3) u.fill(2.0f);
  });
  std::vector<float> seen;
  simulation.on(every(1), [&](const Clock&) { seen.push_back(square.get({3, 4, 5})); });
  simulation.run();
  EXPECT_EQ(adjusted, (Steps{0, 3, 6}));
  EXPECT_EQ(seen, (std::vector<float>{1, 1, 1, 4, 16, 256, 65536, 0x1p32f}));
  EXPECT_THROW(simulation.adjust(0, [](const Clock&) {}), Error);
}

TEST_F(Simulations, DeriveNumbersAndWhatFollowsFromThem) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {8, 8, 8}});
  Field<float> u(grid, "u"), next(grid, "next"), scaled(grid, "scaled");
  u.fill(2.0f);
  Parameter<double> total("total"), half("half"), most("most");
  Program step("squares"), look("look"), scale("scale"), call("call");
  step.apply(Square{}, in(u), out(next));
  step.swap(u, next);
  look.reduce(Value{}, in(u), sum, into(total));
  scale.compute([](auto total, auto& half) { half = total / 2; }, in(total), out(half));
  scale.apply(Scale{}, in(u), param(half), out(scaled));
  call.call([&] { most.set(u.maximum()); }, std::tie(u), std::tie());
  Simulation simulation(
      grid, step, {.steps = 2, .directory = root_, .name = "run", .measure_bandwidth = false});
  simulation.derive(look).derive(scale).derive(call);
  simulation.series("numbers", {total, half}, every(1));
  simulation.series("fields", {sum_of(scaled)}, every(1));
  simulation.series("calls", {most}, every(1));
  simulation.run();
  using Numbers = std::vector<double>;
  EXPECT_EQ(read_csv(root_ / "run_numbers.csv").values.at(2), (Numbers{1024, 2048, 8192}));
  EXPECT_EQ(read_csv(root_ / "run_numbers.csv").values.at(3), (Numbers{512, 1024, 4096}));
  EXPECT_EQ(read_csv(root_ / "run_fields.csv").values.at(2), (Numbers{0x1p19, 0x1p21, 0x1p25}));
  EXPECT_EQ(read_csv(root_ / "run_calls.csv").values.at(2), (Numbers{2, 4, 16}));
}

TEST_F(Simulations, EndWhereTheNumberThatShouldEndThemIsNan) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {8, 8, 8}});
  Field<float> u(grid, "u"), next(grid, "next");
  u.fill(1.0f);
  Parameter<double> total("total"), share("share");
  Program step("squares"), look("look");
  step.apply(Square{}, in(u), out(next));
  step.swap(u, next);
  look.compute([](auto total, auto& share) { share = total / total; }, in(total), out(share));
  Simulation simulation(grid, step);
  simulation.stop_when(share < 0.5, 3, look);
  const std::string said = test::error_of([&] { simulation.run(); });
  EXPECT_TRUE(
      said.starts_with("share < 0.5 cannot end the run any more (the number is NaN at step 3)"))
      << said;
}

TEST_F(Simulations, KeepTheSummaryWhereResultsFail) {
  SmallRun run({.steps = 12, .directory = root_});
  run.simulation().results([](nlohmann::ordered_json& numbers) { numbers["answer"] = 42; });
  run.simulation().results(
      [](nlohmann::ordered_json&) { throw Error(ExitCode::usage, "this is no number"); });
  EXPECT_EQ(test::error_of([&] { run.simulation().run(); }), "this is no number");
  EXPECT_EQ(summary_of(root_)["results"]["answer"], 42);
  EXPECT_TRUE(fs::exists(root_ / "chk/0000012/manifest.json"));
}

TEST_F(Simulations, NeedAnEnd) {
  SmallRun run({.steps = -1, .directory = root_});
  EXPECT_EQ(test::code_of([&] { run.simulation().run(); }), ExitCode::usage);
  EXPECT_TRUE(fs::is_empty(root_)) << "nothing is written for a run that cannot start";
}

TEST_F(Simulations, RunOnce) {
  SmallRun run({.steps = 1, .directory = root_});
  run.simulation().run();
  EXPECT_THROW(run.simulation().run(), Error);
}

TEST_F(Simulations, MakeNoFilesUnlessAsked) {
  const fs::path before = fs::current_path();
  fs::current_path(root_);
  Runtime runtime;
  Grid grid(runtime, {.cells = {8, 8, 8}});
  Field<float> u(grid, "u"), next(grid, "next");
  Program step("silent");
  step.apply(Square{}, in(u), out(next));
  step.swap(u, next);
  Simulation silent(grid, step, {.steps = 5});
  Index calls = 0;
  silent.on(every(1), [&](const Clock&) { ++calls; });
  silent.run();
  EXPECT_EQ(calls, 6);
  Simulation limited(grid, step, {.steps = 5, .max_time = 10});
  EXPECT_THROW(limited.run(), Error) << "there is nothing to go on from";
  EXPECT_TRUE(fs::is_empty(root_));
  Simulation talking(grid, step, {.steps = 5, .measure_bandwidth = false});
  talking.output({u}, every(100)).checkpoint(minutes(5));
  talking.run();
  fs::current_path(before);
  EXPECT_TRUE(fs::exists(root_ / "out/silent/silent_u.0000000.vtkhdf") || !have_hdf5());
  EXPECT_TRUE(fs::exists(root_ / "out/silent/summary.json"));
}

TEST_F(Simulations, HaveTheirFilesWhereTheCommandLineSays) {
  run({.steps = 9, .settings = {.out = root_ / "there"}, .directory = root_ / "own"});
  EXPECT_FALSE(fs::exists(root_ / "own"));
  EXPECT_EQ(status_of(root_ / "there"), "finished");
  EXPECT_TRUE(fs::exists(root_ / "there/chk/0000009/manifest.json"));
  RunReport report;
  run({.settings = {.out = root_ / "there", .restart = "newest"}, .directory = root_ / "own"},
      &report);
  EXPECT_EQ(report.first_step, 9);
  run({.steps = 2, .settings = {.out = root_ / "{name}.1/{name}"}, .directory = root_ / "own/"});
  EXPECT_EQ(status_of(root_ / "own.1/own"), "finished");
}

TEST_F(Simulations, OfOtherFoldersAreRefusedInOneOfTheCommandLine) {
  const Settings settings{.out = root_ / "there"};
  run({.steps = 2, .settings = settings, .directory = root_ / "a"});
  const std::string summary = content_of(root_ / "there/summary.json");
  EXPECT_EQ(test::refusal(ExitCode::usage,
                          [&] { run({.settings = settings, .directory = root_ / "b"}); }),
            fmt::format("--goban-out={0}/there is refused for {0}/b (the program has the files of "
                        "{0}/a there); write --goban-out={0}/there/{{name}}",
                        root_.string()));
  EXPECT_EQ(content_of(root_ / "there/summary.json"), summary);
}

TEST_F(Simulations, RefuseColumnsAndPlacesThatAreNotThere) {
  SmallRun run({.directory = root_});
  EXPECT_THROW(run.simulation().probe({run.u()}, {{-1, 0, 0}}, every(1)), Error);
  EXPECT_THROW(run.simulation().probe({run.u()}, {{0, 6.1, 0}}, every(1)), Error);
  EXPECT_THROW(run.simulation().picture(run.u(), {.index = 9}, every(1)), Error);
  EXPECT_THROW(run.simulation().picture(run.u(), {.position = 4.6}, every(1)), Error);
  EXPECT_THROW(run.simulation().picture(run.u(), {.component = 1}, every(1)), Error);
  EXPECT_THROW(sum_of(run.u(), 1), Error);
  EXPECT_THROW(run.simulation().series("empty", {}, every(1)), Error);
  EXPECT_THROW(run.simulation().output({}, every(1)), Error);
}

TEST_F(Simulations, SayWhichSettingsAreNotUsed) {
  SmallRun idle({.settings = {.transport = Transport::host}, .directory = root_ / "none"});
  EXPECT_NE(idle.simulation().dry_run().find("not used    transport host ("), std::string::npos);
  SmallRun plain({.directory = root_ / "none"});
  EXPECT_EQ(plain.simulation().dry_run().find("not used"), std::string::npos);
}

TEST_F(Simulations, DescribeAndDryRunWithoutFiles) {
  SmallRun run({.directory = root_ / "none"});
  const std::string text = run.simulation().dry_run();
  EXPECT_NE(text.find("19 x 12 x 9"), std::string::npos) << text;
  EXPECT_NE(text.find("every 6 steps"), std::string::npos) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 22) << text;
  const std::string all = run.simulation().describe();
  EXPECT_NE(all.find("Simmer"), std::string::npos);
  EXPECT_NE(all.find("every 9 steps"), std::string::npos) << all;
  EXPECT_FALSE(fs::exists(root_ / "none"));
}

TEST_F(Simulations, ADryRunPredictsShortTimesToo) {
  SmallRun run({.directory = root_ / "none"});
  run.simulation().options().measure_bandwidth = true;
  const std::string text = run.simulation().dry_run();
  const auto at = text.find("  duration    ");
  ASSERT_NE(at, std::string::npos) << text;
  const double seconds = std::stod(text.substr(at + 14));
  EXPECT_GT(seconds, 0) << text;
  EXPECT_LT(seconds, 0.1) << text;
}

TEST_F(Simulations, ADryRunTellsStepsAndDisk) {
  SmallRun run({.steps = -1, .end = 0.4, .directory = root_ / "none"});
  run.simulation().options().time_unit = "s";
  const std::string text = run.simulation().dry_run();
  EXPECT_NE(text.find("  steps       20 steps of 20 ms, to t = 400 ms\n"), std::string::npos)
      << text;
  const auto at = text.find("  disk        about ");
  ASSERT_NE(at, std::string::npos) << text;
  const std::string disk = text.substr(at, text.find('\n', at) - at);
  // Two fields of 19 x 12 x 9 floats at steps 0, 5, ..., 20; pictures at 0, 6, 12, 18.
  EXPECT_NE(disk.find("u_square 5 x 16.0 KiB"), std::string::npos) << disk;
  EXPECT_NE(disk.find("u_y 4 x "), std::string::npos) << disk;
  EXPECT_NE(disk.find(" free"), std::string::npos) << disk;
}

TEST_F(Simulations, ADryRunSaysThatAConditionMayEndItSooner) {
  SmallRun run({.steps = 5000, .directory = root_ / "none", .stop_below = 0.5});
  EXPECT_NE(run.simulation().dry_run().find("  steps       at most 5000 steps of 0.02"),
            std::string::npos);
}

TEST_F(Simulations, PredictWhatHalosCost) {
  // What --dry-run prints, and summary.json beside what was measured.
  for (const Index3 patches : {Index3{1, 1, 1}, {1, 1, 2}, {1, 2, 2}}) {
    const fs::path directory = root_ / std::to_string(product(patches));
    SmallRun run({.steps = 5, .settings = {.patches = patches}, .directory = directory});
    const std::string text = run.simulation().dry_run();
    run.simulation().run();
    const double share = summary_of(directory)["predicted_halo_share"];
    if (product(patches) == 1) {
      EXPECT_EQ(share, 0);
      EXPECT_EQ(text.find("halos"), std::string::npos) << text;
    } else {
      EXPECT_GT(share, 0);
      EXPECT_LT(share, 1);
      EXPECT_NE(text.find(fmt::format(", halos {:.2g} % (predicted)\n", 100 * share)),
                std::string::npos)
          << text;
    }
  }
}

TEST_F(Simulations, RefuseMoreMemoryThanThereIs) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {1 << 15, 1 << 15, 1 << 15}});
  Field<float> u(grid, "u"), next(grid, "next");
  Program step("huge");
  step.apply(Square{}, in(u), out(next));
  step.swap(u, next);
  Simulation simulation(grid, step, {.steps = 1});
  EXPECT_EQ(test::code_of([&] { simulation.run(); }), ExitCode::resources);
}

TEST_F(Simulations, CountOutputsOfOneNameApart) {
  SmallRun run({.steps = 2, .directory = root_, .outputs = false});
  run.simulation()
      .series("a", {sum_of(run.u())}, every(1))
      .series("a", {sum_of(run.u())}, every(2));
  run.simulation().run();
  EXPECT_EQ(steps_in("simmer_a.csv"), (Steps{0, 1, 2}));
  EXPECT_EQ(steps_in("simmer_a_2.csv"), (Steps{0, 2}));
}

}  // namespace
}  // namespace goban::simulation_test
