// What stops a run before its end, and what it leaves then.

#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <thread>

#include "goban/checkpoint/inventory.hpp"
#include "goban/simulation/report/run_files.hpp"
#include "tests/error_text.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::interruption_test {
namespace {

class Interruptions : public SmallRuns {
 protected:
  /// Runs, calling `meanwhile` at step 5; the directory is root_ unless options say otherwise.
  template <class F>
  RunStatus run(SmallRunOptions options, F&& meanwhile) {
    if (options.directory.empty()) options.directory = root_ / "run";
    SmallRun run(options);
    run.simulation().on(at_steps({5}), [&](const Clock&) { meanwhile(run); });
    return run.simulation().run();
  }
  fs::path directory() const { return root_ / "run"; }
};

TEST_F(Interruptions, TerminationSavesAndStops) {
  for (const int signal : {SIGTERM, SIGINT}) {
    fs::remove_all(directory());
    const auto status = run({.steps = 1000}, [&](SmallRun&) { ::raise(signal); });
    EXPECT_EQ(status, RunStatus::stopped);
    EXPECT_EQ(exit_code(status), ExitCode::resubmit);
    EXPECT_EQ(list_checkpoints(directory() / "chk").front().step, 6) << "within one step";
    EXPECT_TRUE(verify_checkpoint(directory() / "chk/0000006").good);
    EXPECT_EQ(summary_of(directory())["ended_by"], signal == SIGTERM ? "SIGTERM" : "SIGINT");
    EXPECT_EQ(status_of(directory()).rfind("stopped: SIG", 0), 0u) << status_of(directory());
    EXPECT_FALSE(fs::exists(directory() / "simmer_square_z.0000006.png"))
        << "what belongs to the end is not made when a run is to go on";
  }
}

TEST_F(Interruptions, AStoppedRunGoesOnAsIfItHadNotBeenStopped) {
  SmallRun whole({.steps = 30, .directory = root_ / "whole"});
  whole.simulation().run();
  {
    SmallRun first({.steps = 30, .directory = directory()});
    first.simulation().on(at_steps({12}), [](const Clock&) { ::raise(SIGTERM); });
    EXPECT_EQ(first.simulation().run(), RunStatus::stopped);
  }
  SmallRun second({.steps = 30, .directory = directory(), .restart = restart_newest()});
  EXPECT_EQ(second.simulation().run(), RunStatus::finished);
  const auto step = summary_of(directory())["restarted_from"].get<Index>();
  EXPECT_TRUE(step > 12 && step < 30) << step;  // after the steps that ran together
  expect_same_outputs(root_ / "whole", directory());
}

TEST_F(Interruptions, AUserSignalSavesAndGoesOn) {
  ::testing::internal::CaptureStderr();
  const auto status = run({.steps = 8}, [](SmallRun&) { ::raise(SIGUSR1); });
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("checkpoint of step 6 saved"),
            std::string::npos);
  EXPECT_EQ(status, RunStatus::finished);
  EXPECT_TRUE(verify_checkpoint(directory() / "chk/0000006").good);
}

TEST_F(Interruptions, ASecondInterruptQuits) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (std::freopen((root_ / "log").c_str(), "w", stderr) == nullptr) _exit(2);
    run({.steps = 1000, .checkpoints = every(4)}, [this](SmallRun&) {
      std::ofstream(directory() / "simmer_u.0000005.vtkhdf.partial") << "x";
      fs::create_directories(directory() / "chk/0000005.partial");
      ::raise(SIGINT);
      ::raise(SIGINT);
      for (;;) ::pause();
    });
    _exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const std::string why = "SIGINT, twice: quit at once, go on from step 4 with --goban-restart";
  EXPECT_EQ(status_of(directory()), "stopped: " + why);
  EXPECT_EQ(content_of(root_ / "log"), "\ngoban: " + why + "\n");
  for (const auto& entry : fs::recursive_directory_iterator(directory())) {
    EXPECT_NE(entry.path().extension(), ".partial") << entry.path();
  }
}

TEST_F(Interruptions, TellHowToGoOn) {
  ::testing::internal::CaptureStderr();
  run({.steps = 1000}, [](SmallRun&) { ::raise(SIGINT); });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "SIGINT: saving a checkpoint to stop\n"
            "SIGINT: checkpoint of step 6 saved, go on with --goban-restart\n");
  EXPECT_EQ(status_of(directory()), "stopped: SIGINT at step 6, go on with --goban-restart");
}

TEST_F(Interruptions, StatusTellsWhoWroteItAndWhen) {
  std::string running;
  run({.steps = 8}, [&](SmallRun&) { running = content_of(directory() / "STATUS"); });
  const std::string writer = fmt::format("\npid {} on {}, 20", ::getpid(), host_name());
  EXPECT_EQ(running.rfind("running" + writer, 0), 0u) << running;
  EXPECT_TRUE(running.ends_with("Z\n")) << running;
  EXPECT_EQ(content_of(directory() / "STATUS").rfind("finished" + writer, 0), 0u);
}

TEST_F(Interruptions, ATimeLimitThatLeavesNoStepIsRefused) {
  run({.steps = 8}, [](SmallRun&) {});
  for (int again = 0; again < 2; ++again) {
    SmallRun late({.steps = 20, .directory = directory(), .restart = restart_newest()});
    late.simulation().options().max_time = 1e-9;
    try {
      late.simulation().run();
      FAIL() << "it would be started again for ever";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_EQ(
          std::string(error.what()).rfind("the time limit leaves no time for a single step", 0),
          0u);
    }
  }
  EXPECT_EQ(list_checkpoints(directory() / "chk").front().step, 8);
}

TEST_F(Interruptions, TheTimeLimitIsKept) {
  Index reached = 0;
  for (const double limit : {1.0, 4.0, 16.0}) {  // of which a busy machine may need some to begin
    fs::remove_all(directory());
    SmallRun run({.steps = 100'000'000, .directory = directory(), .outputs = false});
    const auto start = std::chrono::steady_clock::now();
    run.simulation().options().started = start;
    run.simulation().options().max_time = limit;
    try {
      EXPECT_EQ(run.simulation().run(), RunStatus::stopped);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
      continue;
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    EXPECT_LT(passed.count(), limit + 20);
    EXPECT_EQ(summary_of(directory())["ended_by"], "max time");
    const auto newest = list_checkpoints(directory() / "chk").front();
    EXPECT_TRUE(verify_checkpoint(newest.path).good);
    reached = newest.step;
    if (reached > 0) break;
  }
  EXPECT_GT(reached, 0);
}

TEST_F(Interruptions, ControlFilesAreHonouredAndRemoved) {
  fs::create_directories(directory());
  std::ofstream(directory() / "STOP") << "of an earlier run";
  ::testing::internal::CaptureStderr();
  std::jthread user;
  const auto status = run({.steps = 100'000'000, .outputs = false}, [&](SmallRun&) {
    std::ofstream(directory() / "CHECKPOINT") << "";
    user = std::jthread([this](const std::stop_token& is_over) {
      while (fs::exists(directory() / "CHECKPOINT")) {
        if (is_over.stop_requested()) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      std::ofstream(directory() / "STOP") << "";
    });
  });
  user.join();
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("saved"), std::string::npos);
  EXPECT_EQ(status, RunStatus::stopped);
  EXPECT_EQ(summary_of(directory())["ended_by"], "STOP");
  EXPECT_FALSE(fs::exists(directory() / "STOP"));
}

/// Where NaN was planted and what came of it.
class BlownUpRuns : public Interruptions,
                    public ::testing::WithParamInterface<std::pair<Index3, float>> {};

TEST_P(BlownUpRuns, AreStoppedBeforeTheySpoilTheCheckpoint) {
  const auto [where, value] = GetParam();
  SmallRun run(
      {.steps = 1000, .directory = directory(), .outputs = false, .checkpoints = every(4)});
  run.simulation().options().nan_check = 6;
  run.simulation().options().advice_on_divergence = "stir more slowly";
  run.simulation().output({run.u()}, at_end());
  run.simulation().on(at_steps({5}), [&](const Clock&) { run.u().set(where, value); });
  try {
    run.simulation().run();
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::diverged);
    EXPECT_NE(std::string(error.what()).find("field 'u' holds NaN or infinity (step 6, cell ("),
              std::string::npos)
        << error.what();
    EXPECT_TRUE(std::string(error.what()).ends_with("); stir more slowly")) << error.what();
  }
  EXPECT_EQ(list_checkpoints(directory() / "chk").front().step, 4);
  EXPECT_TRUE(verify_checkpoint(directory() / "chk/0000004").good);
  EXPECT_EQ(status_of(directory()).rfind("failed: field 'u' holds NaN", 0), 0u);
  EXPECT_TRUE(fs::exists(directory() / "simmer_diverged.xdmf")) << "a last look at the fields";
}

constexpr float infinity = std::numeric_limits<float>::infinity();
INSTANTIATE_TEST_SUITE_P(
    Everywhere, BlownUpRuns,
    ::testing::Values(std::pair{Index3{0, 0, 0}, std::numeric_limits<float>::quiet_NaN()},
                      std::pair{Index3{18, 11, 8}, std::numeric_limits<float>::quiet_NaN()},
                      std::pair{Index3{7, 5, 4}, infinity},
                      std::pair{Index3{18, 0, 3}, -infinity}));

TEST_F(Interruptions, NothingIsSavedOfARunThatBlewUpBetweenLooks) {
  SmallRun run(
      {.steps = 1000, .directory = directory(), .outputs = false, .checkpoints = every(4)});
  run.simulation().options().nan_check = 0;
  run.simulation().on(at_steps({5}), [&](const Clock&) { run.u().set({3, 3, 3}, infinity); });
  EXPECT_THROW(run.simulation().run(), Error);
  EXPECT_EQ(list_checkpoints(directory() / "chk").front().step, 4);
  for (const auto& file : fs::directory_iterator(directory())) {
    EXPECT_EQ(file.path().filename().string().find("diverged"), std::string::npos)
        << file.path() << ": nobody asked for snapshots";
  }
}

TEST_F(Interruptions, ARunThatBlowsUpInItsLastStepsHasNotFinished) {
  for (const Index nan_check : {0, 100}) {
    SmallRun run({.steps = 10, .directory = directory(), .outputs = false});
    run.simulation().checkpoint(every(100), {.at_end = false}).options().nan_check = nan_check;
    run.simulation().on(at_steps({8}), [&](const Clock&) { run.u().set({3, 3, 3}, infinity); });
    EXPECT_EQ(test::code_of([&] { run.simulation().run(); }), ExitCode::diverged) << "it finished";
    EXPECT_EQ(status_of(directory()).rfind("failed: field 'u' holds NaN", 0), 0u);
  }
}

TEST_F(Interruptions, ANumberOfASeriesThatBecomesInfiniteEndsTheRun) {
  const auto run = [&](double before, Index nan_check) {
    SmallRun run({.steps = 10, .directory = directory(), .outputs = false});
    Index step = 0;
    run.simulation().options().nan_check = nan_check;
    run.simulation().on(every(1), [&](const Clock& clock) { step = clock.step; });
    run.simulation().series(
        "balance", {{"energy", "J", [&] { return step < 4 ? before : infinity; }}}, every(2));
    return run.simulation().run();
  };
  try {
    run(1, 100);
    ADD_FAILURE() << "it finished";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::diverged);
    EXPECT_EQ(std::string(error.what())
                  .find("'energy' of series 'balance' has become NaN or infinite (step 4); "),
              0u)
        << error.what();
  }
  EXPECT_EQ(run(infinity, 100), RunStatus::finished) << "it never was a number";
  EXPECT_EQ(run(1, 0), RunStatus::finished) << "nobody wants to know";
}

TEST_F(Interruptions, AFolderThatIsTakenAwayIsNoSuccess) {
  for (const bool is_replaced : {false, true}) {
    SmallRun run({.steps = 10, .directory = directory(), .outputs = false});
    run.simulation().on(at_steps({5}), [&](const Clock&) {
      fs::remove_all(directory());
      if (is_replaced) fs::create_directories(directory());
    });
    EXPECT_EQ(test::code_of([&] { run.simulation().run(); }), ExitCode::files);
    EXPECT_FALSE(fs::exists(directory() / "summary.json"));
  }
}

/// A file system of its own that fills up.
class FullDisks : public Interruptions {
 protected:
  void SetUp() override {
    Interruptions::SetUp();
    fs::create_directories(directory());
    mounted_ = ::mount("none", directory().c_str(), "tmpfs", 0, "size=300k") == 0;
    if (!mounted_) GTEST_SKIP() << "mounting a small tmpfs needs privileges";
  }
  void TearDown() override {
    if (mounted_) ::umount2(directory().c_str(), MNT_DETACH);
    Interruptions::TearDown();
  }
  /// Leaves `kib` free.
  void fill_up(int kib) const {
    const auto free = static_cast<int>(fs::space(directory()).available / 1024);
    std::ofstream(directory() / "ballast") << std::string(1024u * std::max(0, free - kib), 'x');
  }
  bool mounted_ = false;
};

TEST_F(FullDisks, EndTheRunAndSpareTheCheckpoint) {
  EXPECT_EQ(test::code_of([&] {
              run({.steps = 100, .outputs = false, .checkpoints = every(4)},
                  [&](SmallRun&) { fill_up(8); });
            }),
            ExitCode::files)
      << "it went on";
  EXPECT_EQ(list_checkpoints(directory() / "chk").front().step, 4);
  EXPECT_TRUE(verify_checkpoint(directory() / "chk/0000004").good);
  fs::remove(directory() / "ballast");
  SmallRun again({.steps = 12,
                  .directory = directory(),
                  .restart = restart_newest(),
                  .outputs = false,
                  .checkpoints = every(4)});
  EXPECT_EQ(again.simulation().run(), RunStatus::finished);
  for (const auto& entry : fs::recursive_directory_iterator(directory())) {
    EXPECT_EQ(entry.path().string().find("partial"), std::string::npos) << entry.path();
  }
}

TEST_F(FullDisks, ALastCheckpointThatIsMissingIsSaidWhenAllElseIsWritten) {
  for (const Trigger& when : {every(5), every(100)}) {  // due in the last step, or not
    SmallRun run({.steps = 10, .directory = directory(), .outputs = false, .checkpoints = when});
    run.simulation().on(at_steps({9}), [&](const Clock&) { fill_up(12); });
    EXPECT_EQ(test::code_of([&] { run.simulation().run(); }), ExitCode::files);
    EXPECT_EQ(summary_of(directory())["unwritten"], 1);
    EXPECT_EQ(status_of(directory()), "finished, but files could not be written");
    fs::remove(directory() / "ballast");
  }
}

TEST_F(FullDisks, AreAWarningIfTheUserSaysSo) {
  SmallRun run({.steps = 10, .directory = directory(), .outputs = false, .checkpoints = every(4)});
  run.simulation().options().file_trouble = FileTrouble::warn;
  run.simulation().on(at_steps({5}), [&](const Clock&) { fill_up(8); });
  run.simulation().on(at_steps({9}), [&](const Clock&) { fs::remove(directory() / "ballast"); });
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run.simulation().run(), RunStatus::finished);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("warning: cannot write"), std::string::npos) << log;
  EXPECT_EQ(summary_of(directory())["unwritten"], 1);
  EXPECT_EQ(status_of(directory()), "finished, but files could not be written");
  EXPECT_EQ(list_checkpoints(directory() / "chk").front().step, 10);
}

}  // namespace
}  // namespace goban::interruption_test
