// A run that was interrupted and continued leaves what one run leaves: the same bits in the fields,
// the same bytes in the files.

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <random>
#include <thread>

#include "goban/checkpoint/inventory.hpp"
#include "tests/error_text.hpp"
#include "tests/long.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::restart_test {
namespace {

class Restarts : public SmallRuns {
 protected:
  fs::path whole() const { return root_ / "whole"; }
  fs::path parts() const { return root_ / "parts"; }

  static RunStatus run(SmallRunOptions options, const fs::path& directory) {
    options.directory = directory;
    SmallRun run(options);
    return run.simulation().run();
  }
  /// Once in one go, once up to step `cut` and from there on with `other` settings.
  void compare(SmallRunOptions options, Index cut, const Settings& other = {}) {
    run(options, whole());
    SmallRunOptions first = options;
    first.steps = cut;
    run(first, parts());
    options.settings = other;
    options.restart = restart_newest();
    run(options, parts());
    EXPECT_EQ(summary_of(parts())["restarted_from"], cut);
    expect_same_outputs(whole(), parts());
  }
};

TEST_F(Restarts, GoOnAsIfNothingHadHappened) { compare({.steps = 30}, 13); }

TEST_F(Restarts, KeepTheTimeOfARunThatWasNeverStopped) {
  compare({.steps = 30}, 13);
  EXPECT_EQ(summary_of(parts())["simulated_time"], 30 * 0.02);
  EXPECT_EQ(summary_of(parts())["simulated_time"], summary_of(whole())["simulated_time"]);
}

TEST_F(Restarts, GoOnFromAMomentOfTheSchedule) { compare({.steps = 30}, 10); }

TEST_F(Restarts, GoOnWithAnAdaptiveTimeStep) { compare({.steps = 40, .adaptive = true}, 17); }

TEST_F(Restarts, GoOnTowardsTheSameStopCondition) {
  compare({.steps = 100000, .stop_below = 0.6}, 8);  // one step after the last look
  EXPECT_EQ(summary_of(parts())["ended_by"], "seen < 0.6");
}

TEST_F(Restarts, GoOnWithOtherPatchesThreadsAndSchedules) {
  const Settings wide{.patches = {3, 2, 1}, .threads = 2, .steps_per_exchange = 2};
  compare({.steps = 30}, 13, wide);
  fs::remove_all(parts());
  SmallRunOptions back{.steps = 30, .settings = wide};
  compare(back, 8, {.backend = Backend::emulated, .patches = {1, 2, 2}, .delay_microseconds = 10});
}

TEST_F(Restarts, FindNothingLeftToDoWhenTheRunHadFinished) {
  run({.steps = 20}, whole());
  const auto before = outputs_in(whole());
  EXPECT_EQ(run({.steps = 20, .restart = restart_newest()}, whole()), RunStatus::finished);
  EXPECT_EQ(outputs_in(whole()), before);
  EXPECT_EQ(summary_of(whole())["steps"], 0);
}

TEST_F(Restarts, AreRefusedBehindTheEndOfTheRun) {
  run({.steps = 30}, whole());
  const auto before = outputs_in(whole());
  EXPECT_EQ(test::refusal(ExitCode::usage,
                          [&] { run({.steps = 10, .restart = restart_newest()}, whole()); }),
            "cannot go on from step 30 (it lies after the end of the run, step 10); choose a "
            "later end or an earlier checkpoint");
  EXPECT_EQ(outputs_in(whole()), before);
}

TEST_F(Restarts, AreHarmlessOnTheFirstRun) {
  run({.steps = 20}, whole());
  run({.steps = 20, .restart = restart_newest()}, parts());
  EXPECT_FALSE(summary_of(parts()).contains("restarted_from"));
  expect_same_outputs(whole(), parts());
}

TEST_F(Restarts, BeginAtTheStepTheyAreGiven) {
  run({.steps = 30}, whole());
  run({.steps = 30}, parts());
  const auto checkpoints = list_checkpoints(parts() / "chk");
  ASSERT_EQ(checkpoints.size(), 2u);
  EXPECT_EQ(checkpoints[1].step, 27);
  run({.steps = 30, .restart = restart_at(27)}, parts());
  EXPECT_EQ(summary_of(parts())["restarted_from"], 27);
  expect_same_outputs(whole(), parts());
}

TEST_F(Restarts, TakeTheOlderCheckpointWhenTheNewestIsDamaged) {
  run({.steps = 30}, whole());
  run({.steps = 20}, parts());
  const fs::path data = parts() / "chk/0000020/00_u.bin";
  std::string bytes = content_of(data);
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  std::ofstream(data, std::ios::binary) << bytes;
  ::testing::internal::CaptureStderr();
  run({.steps = 30, .restart = restart_newest()}, parts());
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("00_u.bin: block 0 is damaged"), std::string::npos) << log;
  EXPECT_EQ(summary_of(parts())["restarted_from"], 18);
  expect_same_outputs(whole(), parts());
}

TEST_F(Restarts, NeverFallBackToTheBeginning) {
  run({.steps = 20}, parts());
  for (const auto& entry : list_checkpoints(parts() / "chk")) {
    fs::resize_file(entry.path / "00_u.bin", 10);
  }
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(test::code_of([&] { run({.steps = 30, .restart = restart_newest()}, parts()); }),
            ExitCode::no_checkpoint)
      << "it began anew";
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(status_of(parts()), "finished");
}

/// Every file that is there, the state of the process too.
std::map<fs::path, std::string> all_in(const fs::path& directory) {
  std::map<fs::path, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

TEST_F(Restarts, ThatAreRefusedLeaveTheEarlierRunAsItIs) {
  run({.steps = 20}, parts());
  const auto before = all_in(parts());
  const std::vector<SmallRunOptions> refused = {
      {.steps = 30, .restart = restart_at(77)},
      {.steps = 10, .restart = restart_newest()},
      {.steps = 30, .settings = {.seed = 2}, .restart = restart_newest()},
      {.steps = 30, .restart = restart_newest(), .case_values = {{"medium.conductivity", "60"}}}};
  for (const SmallRunOptions& options : refused) {
    ::testing::internal::CaptureStderr();
    EXPECT_THROW(run(options, parts()), Error);
    ::testing::internal::GetCapturedStderr();
    EXPECT_TRUE(all_in(parts()) == before) << &options - refused.data();
  }
}

using Values = std::vector<std::pair<std::string, std::string>>;

/// Why a run with these values does not go on with one that had `before`; empty: it does.
class ChangedCases : public Restarts {
 protected:
  std::string refusal(const Values& before, const Values& now, bool allow = false) {
    fs::remove_all(parts());
    SmallRunOptions options{
        .steps = 20, .outputs = false, .case_values = before, .allow_changes = allow};
    run(options, parts());
    options.steps = 30;
    options.case_values = now;
    options.restart = restart_newest();
    ::testing::internal::CaptureStderr();
    std::string why;
    try {
      run(options, parts());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      why = error.what();
    }
    log_ = ::testing::internal::GetCapturedStderr();
    return why;
  }
  std::string log_;
};

TEST_F(ChangedCases, AreRefusedUnasked) {
  EXPECT_EQ(refusal({{"medium.conductivity", "130"}, {"run.seed", "1"}},
                    {{"medium.conductivity", "60"}, {"run.seed", "1"}}),
            "cannot go on from step 20 (the case has changed: medium.conductivity = 60 (was 130)); "
            "change it back, or ask for it with --allow-changes");
  for (const char* key :
       {"time.dt", "scheme.order", "rule", "fluid.viscosity", "run.precision", "run.seed",
        "run.halo_precision", "run.subnormals", "receiver.0.position", "output.probe.0.position",
        "output.statistics.every", "initial.0.value", "boundary.x"}) {
    EXPECT_NE(refusal({{key, "1"}}, {{key, "2"}}), "") << key;
  }
  EXPECT_NE(refusal({{"rule", "1"}}, {}), "");
  EXPECT_EQ(refusal({}, {{"run.subnormals", "keep"}}), "") << "of a version that had no such key";
  EXPECT_NE(refusal({}, {{"source.0.value", "1"}}), "");
}

TEST_F(ChangedCases, AreSeenInTheFilesThatTheyName) {
  const test::ScratchFolder files;
  const auto pulse = files.store("pulse.csv", "t,v\n0,1\n");
  files.store("slices/1.png", "one");
  const auto run_with = [&](bool allow = false) {
    SmallRunOptions options{.steps = fs::exists(parts()) ? 30 : 20,
                            .directory = parts(),
                            .outputs = false,
                            .allow_changes = allow};
    if (options.steps == 30) options.restart = restart_newest();
    SmallRun run(options);
    run.simulation().options().case_files = {{"heat.power", pulse},
                                             {"solid.image", files / "slices"}};
    run.simulation().options().case_values = {{"heat.power", "file(t, pulse.csv)"}};
    run.simulation().run();
  };
  ::testing::internal::CaptureStderr();
  fs::remove_all(parts());
  run_with();
  files.store("pulse.csv", "t,v\n0,2\n");
  const std::string refusal = test::error_of([&] { run_with(); });
  EXPECT_NE(refusal.find("(the case has changed: the content of heat.power = hash "),
            std::string::npos)
      << refusal;
  run_with(true);
  files.store("slices/2.png", "two");
  EXPECT_NE(test::error_of([&] { run_with(); }).find("the content of solid.image"),
            std::string::npos);
  files.store("pulse.csv", "t,v\n0,2\n");  // the same again
  fs::remove(files / "slices/2.png");
  run_with();
  ::testing::internal::GetCapturedStderr();
}

TEST_F(ChangedCases, MayEndLaterAndWriteOtherThings) {
  for (const char* key : {"time.steps", "time.end", "title", "checkpoint.every",
                          "output.series.every", "output.picture.0.at_end"}) {
    EXPECT_EQ(refusal({{key, "1"}}, {{key, "2"}}), "") << key;
    EXPECT_NE(log_.find(std::string("the case changes at step 20: ") + key + " = 2 (was 1)\n"),
              std::string::npos)
        << log_;
  }
  EXPECT_EQ(refusal({}, {{"output.picture.0.field", "u"}, {"output.picture.0.axis", "x"}}), "");
  EXPECT_EQ(refusal({{"run.threads", "1"}}, {{"run.threads", "2"}}), "");
  EXPECT_EQ(log_.find("the case changes"), std::string::npos) << log_;
}

TEST_F(ChangedCases, AreRecordedStepByStep) {
  EXPECT_EQ(refusal({{"medium.conductivity", "130"}}, {{"medium.conductivity", "60"}}, true), "");
  EXPECT_NE(log_.find("the case changes at step 20: medium.conductivity = 60 (was 130)\n"),
            std::string::npos)
      << log_;
  run({.steps = 40,
       .restart = restart_newest(),
       .outputs = false,
       .case_values = {{"medium.conductivity", "70"}},
       .allow_changes = true},
      parts());
  const std::string record = content_of(parts() / "run.toml");
  EXPECT_NE(record.find("# restarted from step: 30\n"
                        "# changed at step 20: medium.conductivity = 60 (was 130)\n"
                        "# changed at step 30: medium.conductivity = 70 (was 60)\n"),
            std::string::npos)
      << record;
  const auto changes = summary_of(parts())["changes"];
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[1]["step"], 30);
  EXPECT_EQ(changes[1]["key"], "medium.conductivity");
  EXPECT_EQ(changes[1]["was"], "60");
  EXPECT_EQ(changes[1]["is"], "70");
}

TEST_F(Restarts, WithAnotherTimeStepAreRefusedUnasked) {
  run({.steps = 20}, parts());
  const auto again = [&](bool allow) {
    SmallRun later(
        {.steps = 30, .directory = parts(), .restart = restart_newest(), .allow_changes = allow});
    later.simulation().options().dt = 0.01;
    return later.simulation().run();
  };
  EXPECT_THROW(again(false), Error);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(again(true), RunStatus::finished);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("dt = 0.01 (was 0.02)"),
            std::string::npos);
}

/// u grows by a field that no step writes.
struct Grow {
  GOBAN_FUNCTION void operator()(auto u, auto rate, auto next) const { next = u() + rate(); }
};

TEST_F(Restarts, OfAChangedCaseHaveItsFieldsThatNoStepWrites) {
  const auto grown = [&](Index steps, float rate_value, bool allow) {
    Runtime runtime(Settings{});
    Grid grid(runtime, {.cells = {8, 6, 4}});
    Field<float> u(grid, "u"), next(grid, "next"), rate(grid, "rate");
    u.fill(0.0f);
    rate.fill(rate_value);
    Program step("grow");
    step.apply(Grow{}, in(u), in(rate), out(next));
    step.swap(u, next);
    Simulation simulation(grid, step,
                          {.steps = steps,
                           .directory = parts(),
                           .case_values = {{"rate", std::to_string(rate_value)}},
                           .restart = restart_newest(),
                           .allow_changes = allow,
                           .measure_bandwidth = false});
    simulation.checkpoint(at_end());
    simulation.run();
    return u.maximum();
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(grown(4, 1, false), 4);
  EXPECT_EQ(grown(6, 1, false), 6);
  EXPECT_THROW(grown(8, 10, false), Error);
  EXPECT_EQ(grown(8, 10, true), 26);
  ::testing::internal::GetCapturedStderr();
}

TEST_F(Restarts, MissRowsThatAreGone) {
  run({.steps = 30}, whole());
  run({.steps = 20}, parts());
  const fs::path file = parts() / "simmer_norms.csv";
  const std::string rows = content_of(file);
  for (const std::string& left : {std::string(), rows.substr(0, rows.size() / 2)}) {
    left.empty() ? void(fs::remove(file)) : void(std::ofstream(file) << left);
    try {
      run({.steps = 30, .restart = restart_newest()}, parts());
      ADD_FAILURE() << "it went on";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::files);
      EXPECT_NE(std::string(error.what()).find(" of the 11 rows that were written up to step 20)"),
                std::string::npos)
          << error.what();
    }
    EXPECT_EQ(content_of(file), left) << "what is left stays";
  }
  std::ofstream(file) << rows;
  run({.steps = 30, .restart = restart_newest()}, parts());
  expect_same_outputs(whole(), parts());
}

TEST_F(Restarts, GoOnWithoutRowsIfTheUserSaysSo) {
  run({.steps = 20}, parts());
  fs::remove(parts() / "simmer_norms.csv");
  SmallRun run({.steps = 30, .directory = parts(), .restart = restart_newest()});
  run.simulation().options().file_trouble = FileTrouble::warn;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run.simulation().run(), RunStatus::finished);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("warning: cannot continue "), std::string::npos) << log;
  EXPECT_EQ(status_of(parts()), "finished, but files could not be written");
}

TEST_F(Restarts, MakeAnIndexAgainThatIsGone) {
  run({.steps = 30}, whole());
  run({.steps = 20}, parts());
  for (const char* name : {"simmer_u_square", "simmer_u_statistics"}) {
    fs::remove(parts() / (name + std::string(".xdmf")));
    fs::remove(parts() / (name + std::string(".vtkhdf.series")));
  }
  run({.steps = 30, .restart = restart_newest()}, parts());
  expect_same_outputs(whole(), parts());
}

TEST_F(Restarts, NameTheFilesOfACaseWithSignsOfXml) {
  SmallRunOptions options{.steps = 20, .directory = whole()};
  for (const auto& [steps, restart] : {std::pair{20, Restart{}}, {30, restart_newest()}}) {
    options.steps = steps;
    options.restart = restart;
    SmallRun run(options);
    run.simulation().options().name = "a&b<\"c\">";
    run.simulation().run();
  }
  for (const auto& entry : fs::directory_iterator(whole())) {
    if (entry.path().extension() != ".series") continue;
    for (const auto& file : nlohmann::json::parse(content_of(entry.path())).at("files")) {
      EXPECT_TRUE(fs::exists(whole() / file.at("name").get<std::string>())) << file;
    }
  }
}

TEST_F(Restarts, TakeNoDamageOfAnyFileForTheTruth) {
  run({.steps = 24}, whole());
  const fs::path good = root_ / "good";
  run({.steps = 16}, good);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(good)) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), good));
  }
  std::sort(files.begin(), files.end());
  std::mt19937 random(21);
  const int trials = test::in_short_or_long(20, 3000);
  int finished = 0;
  for (int trial = 0; trial < trials; ++trial) {
    fs::remove_all(parts());
    fs::copy(good, parts(), fs::copy_options::recursive);
    const fs::path file = files[random() % files.size()];
    std::string bytes = content_of(parts() / file);
    if (bytes.empty()) continue;
    const std::size_t at = random() % bytes.size();
    switch (random() % 3) {
      case 0: bytes[at] = static_cast<char>(random()); break;
      case 1: bytes.resize(at); break;
      default: bytes.insert(at, bytes.substr(random() % bytes.size(), 30));
    }
    std::ofstream(parts() / file, std::ios::binary) << bytes;
    SCOPED_TRACE(fmt::format("trial {}, {} at {}", trial, file.string(), at));
    ::testing::internal::CaptureStderr();
    try {
      run({.steps = 24, .restart = restart_newest()}, parts());
      EXPECT_EQ(summary_of(parts())["checksum"], summary_of(whole())["checksum"]);
      ++finished;
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ExitCode::files || error.code() == ExitCode::no_checkpoint)
          << error.what();
    }
    ::testing::internal::GetCapturedStderr();
  }
  EXPECT_GT(finished, 0);
}

TEST_F(Restarts, RefuseAnotherSeed) {
  run({.steps = 20}, parts());
  ::testing::internal::CaptureStderr();
  EXPECT_THROW(run({.steps = 30, .settings = {.seed = 2}, .restart = restart_newest()}, parts()),
               Error);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("its seed of random numbers is 1, this run has 2"), std::string::npos) << log;
}

TEST_F(Restarts, AcceptOtherOutputs) {
  run({.steps = 20, .outputs = false}, parts());
  run({.steps = 30, .restart = restart_newest()}, parts());
  const std::string rows = content_of(parts() / "simmer_norms.csv");
  EXPECT_EQ(rows.find("\n20,"), std::string::npos) << "a new series begins with its next moment";
  EXPECT_NE(rows.find("\n22,"), std::string::npos) << rows;
  run({.steps = 40, .restart = restart_newest(), .outputs = false}, parts());
  EXPECT_EQ(summary_of(parts())["restarted_from"], 30);
}

TEST_F(Restarts, AFreshRunMovesTheCheckpointsOfEarlierOnes) {
  run({.steps = 30}, parts());
  ::testing::internal::CaptureStderr();
  run({.steps = 20}, parts());
  run({.steps = 10}, parts());
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(list_checkpoints(parts() / "chk").front().step, 10);
  EXPECT_EQ(list_checkpoints(parts() / "chk.old.1").front().step, 30);
  EXPECT_EQ(list_checkpoints(parts() / "chk.old.2").front().step, 20);
}

TEST_F(Restarts, OfTheCommandLineHaveTheLastWord) {
  run({.steps = 30}, parts());
  run({.steps = 35, .settings = {.restart = "newest"}}, parts());
  EXPECT_EQ(summary_of(parts())["restarted_from"], 30);
  run({.steps = 35, .settings = {.restart = "30"}, .restart = restart_newest()}, parts());
  EXPECT_EQ(summary_of(parts())["restarted_from"], 30);
  EXPECT_THROW(run({.settings = {.restart = "oldest"}}, parts()), Error);
}

TEST_F(Restarts, SurviveKillsAtRandomInstants) {
  SmallRunOptions options{.steps = 120};
  run(options, whole());
  options.restart = restart_newest();
  options.directory = parts();
  std::mt19937 random(7);
  int kills = 0;
  for (bool done = false; !done;) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(2);
      SmallRun run(options);
      _exit(run.simulation().run() == RunStatus::finished ? 0 : 1);
    }
    // Later and later, so that the test ends on a slow machine, too.
    std::uniform_int_distribution<int> milliseconds(10, 200 + 40 * kills);
    for (int waited = 0, patience = milliseconds(random); waited < patience; ++waited) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      int status = 0;
      if (::waitpid(child, &status, WNOHANG) != child) continue;
      ASSERT_EQ(status, 0) << "a restarted run failed";
      done = true;
      break;
    }
    if (done) break;
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ++kills;
    ASSERT_LT(kills, 500);
  }
  EXPECT_GT(kills, 0) << "the test shows nothing";
  expect_same_outputs(whole(), parts());
}

}  // namespace
}  // namespace goban::restart_test
