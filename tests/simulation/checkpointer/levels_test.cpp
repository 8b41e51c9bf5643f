// Runs that save on nodes, in the background, compressed or at intervals of their own go on as any
// others do.

#include <linux/magic.h>
#include <signal.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <thread>

#include "goban/checkpoint/inventory.hpp"
#include "goban/simulation/checkpointer/failure_count.hpp"
#include "goban/simulation/checkpointer/save_record.hpp"
#include "goban/simulation/output/output.hpp"
#include "goban/simulation/run/signals.hpp"
#include "tests/error_text.hpp"
#include "tests/ranks.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::levels_test {
namespace {

class Levels : public SmallRuns {
 protected:
  fs::path whole() const { return root_ / "whole"; }
  fs::path parts() const { return root_ / "parts"; }
  fs::path node(int rank) const { return root_ / "nodes" / std::to_string(rank); }

  /// Parity over all ranks for the loss of one; nothing in the run's directory.
  CheckpointPolicy on_nodes() const {
    return {.at_end = false,
            .background = true,
            .nodes = {.folder = root_ / "nodes/{rank}", .local = every(2), .parity = every(6)}};
  }
  static void run(
      int ranks, const SmallRunOptions& options, const fs::path& directory,
      const std::function<void(SmallRun&)>& more = [](SmallRun&) {}) {
    test::run_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
      SmallRunOptions mine = options;
      mine.directory = directory;
      mine.settings.communicator = communicator;
      SmallRun run(mine);
      more(run);
      run.simulation().run();
    });
  }
  /// Up to step `cut` and from there on with other ranks; returns where that began.
  Index run_in_parts(
      const SmallRunOptions& options, Index cut, int before, int after,
      const std::function<void()>& meanwhile = [] {}) {
    SmallRunOptions first = options, second = options;
    first.steps = cut;
    second.restart = restart_newest();
    run(before, first, parts());
    meanwhile();
    run(after, second, parts());
    return summary_of(parts())["restarted_from"];
  }
};

/// A file that cannot be made durable at first.
class BusyDisk : public SimulationOutput {
 public:
  BusyDisk() : SimulationOutput("busy", every(1000000)) {}
  void open(const RunPlace&, std::optional<Index>) override {}
  void write(const Moment&) override {}
  void sync() override {
    if (++calls_ == 1) throw Error(ExitCode::files, "the disk is busy");
  }
  std::string describe() const override { return "nothing"; }

 private:
  int calls_ = 0;
};

/// A save that never began must not be waited for.
TEST_F(Levels, InTheBackgroundGoOnAfterASaveBeforeWhichAnOutputFailed) {
  SmallRun run({.directory = parts(),
                .checkpoints = every(4),
                .policy = {.background = true},
                .file_trouble = FileTrouble::warn});
  run.simulation().add(std::make_unique<BusyDisk>());
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run.simulation().run(), RunStatus::finished);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("the disk is busy"), std::string::npos) << log;
  EXPECT_EQ(list_checkpoints(parts() / "chk").front().step, 20);
  EXPECT_EQ(summary_of(parts())["checkpoints"]["saved"]["shared"], 4);
}

TEST_F(Levels, GoOnFromWhatWasSavedInTheBackground) {
  run(1, {.steps = 30}, whole());
  for (const auto& [before, after] : {std::pair{1, 1}, {3, 2}}) {
    fs::remove_all(parts());
    const SmallRunOptions options{.steps = 30, .policy = {.background = true}};
    EXPECT_EQ(run_in_parts(options, 13, before, after), 13);
    expect_same_outputs(whole(), parts());
  }
}

TEST_F(Levels, GoOnFromCompressedOnes) {
  run(1, {.steps = 30}, whole());
  const SmallRunOptions options{.steps = 30, .policy = {.compress = true}};
  EXPECT_EQ(run_in_parts(options, 13, 2, 3), 13);
  expect_same_outputs(whole(), parts());
  const auto saved = summary_of(parts())["checkpoints"];
  EXPECT_LT(saved["stored_bytes"], saved["bytes"]);
}

TEST_F(Levels, GoOnFromTheNodes) {
  run(1, {.steps = 30}, whole());
  const SmallRunOptions options{.steps = 30, .checkpoints = {}, .policy = on_nodes()};
  EXPECT_EQ(run_in_parts(options, 16, 4, 3), 16) << "the newest, of its own node alone";
  expect_same_outputs(whole(), parts());
  EXPECT_FALSE(fs::exists(parts() / "chk"));
}

TEST_F(Levels, GoOnWhereANodeIsLost) {
  run(1, {.steps = 30}, whole());
  const SmallRunOptions options{.steps = 30, .checkpoints = {}, .policy = on_nodes()};
  for (int lost = 0; lost < 4; ++lost) {
    fs::remove_all(parts());
    EXPECT_EQ(run_in_parts(options, 16, 4, 2, [&] { fs::remove_all(node(lost)); }), 12)
        << "the newest that has parity";
    expect_same_outputs(whole(), parts());
  }
}

TEST_F(Levels, NeverBeginAnewWhereTheNodesAreGone) {
  const SmallRunOptions options{.steps = 16, .checkpoints = {}, .policy = on_nodes()};
  run(2, options, parts());
  const auto before = outputs_in(parts());
  fs::rename(root_ / "nodes", root_ / "away");
  SmallRunOptions second = options;
  second.steps = 30;
  second.restart = restart_newest();
  EXPECT_EQ(test::code_of([&] { run(2, second, parts()); }), ExitCode::no_checkpoint)
      << "it has begun anew";
  EXPECT_EQ(outputs_in(parts()), before);
  fs::rename(root_ / "away", root_ / "nodes");
  run(2, second, parts());
  EXPECT_EQ(summary_of(parts())["restarted_from"], 16);
}

TEST_F(Levels, GoOnWhereverTheRunHasNotedThatItSaves) {
  run(1, {.steps = 30}, whole());
  const SmallRunOptions first{.steps = 16, .checkpoints = {}, .policy = on_nodes()};
  SmallRunOptions second = first;
  second.steps = 30;
  second.restart = restart_newest();
  for (const char* change : {"another directory", "another folder", "no level"}) {
    SCOPED_TRACE(change);
    second.policy = on_nodes();
    run(2, first, parts());
    fs::path directory = parts();
    if (change == std::string("another directory")) {
      directory = root_ / "moved";
      fs::rename(parts(), directory);
    } else if (change == std::string("another folder")) {
      second.policy.nodes.folder = root_ / "others/{rank}";
    } else {
      second.policy = {.at_end = false};
    }
    run(3, second, directory);
    EXPECT_EQ(summary_of(directory)["restarted_from"], 16);
    expect_same_outputs(whole(), directory);
    fs::remove_all(directory);
  }
}

TEST_F(Levels, LeaveThePastsThatAreNotTheirOwn) {
  SmallRunOptions options{.steps = 30, .checkpoints = {}, .policy = on_nodes()};
  run(2, options, parts());
  options.steps = 12;
  run(2, options, parts());
  options.restart = restart_newest();
  options.steps = 30;
  run(2, options, parts());
  EXPECT_EQ(summary_of(parts())["restarted_from"], 12) << "not from 30 of the run before";
  options.restart = restart_at(28);
  options.steps = 29;
  fs::copy(root_ / "nodes", root_ / "away", fs::copy_options::recursive);
  run(2, options, parts());
  fs::remove_all(root_ / "nodes");
  fs::rename(root_ / "away", root_ / "nodes");
  options.restart = restart_newest();
  options.steps = 30;
  run(2, options, parts());
  EXPECT_EQ(summary_of(parts())["restarted_from"], 28) << "not from 30 of the past it has left";
}

TEST_F(Levels, GoOnOnFewerNodesThanTheirLevelsWant) {
  run(1, {.steps = 30}, whole());
  const SmallRunOptions options{.steps = 30, .checkpoints = {}, .policy = on_nodes()};
  EXPECT_EQ(run_in_parts(options, 12, 2, 1, [&] { fs::remove_all(node(1)); }), 12);
  EXPECT_EQ(summary_of(parts())["checkpoints"]["saved"]["parity"], 0) << "of one node";
  expect_same_outputs(whole(), parts());
  fs::remove_all(parts());
  EXPECT_THROW(run(1, options, parts()), Error) << "one that begins may choose";
}

TEST_F(Levels, AreSavedWhateverFailsAtAnother) {
  for (const bool background : {false, true}) {
    SCOPED_TRACE(background);
    const SmallRunOptions options{
        .steps = 13,
        .outputs = false,
        .checkpoints = every(4),
        .policy = {.at_end = false,
                   .background = background,
                   .nodes = {.folder = root_ / "nodes/{rank}", .local = every(2)}},
        .file_trouble = FileTrouble::warn};
    ::testing::internal::CaptureStderr();
    run(1, options, parts(), [&](SmallRun& run) {
      run.simulation().on(at_steps({5}), [&](const Clock&) {
        fs::remove_all(root_ / "nodes");
        std::ofstream(root_ / "nodes") << "no folder";
      });
    });
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("warning: cannot"), std::string::npos) << said;
    EXPECT_EQ(list_checkpoints(parts() / "chk").front().step, 12);
    EXPECT_GE(summary_of(parts())["unwritten"], 4) << "steps 6, 8, 10, 12: none is forgotten";
    fs::remove_all(parts());
    fs::remove_all(root_ / "nodes");
  }
}

TEST_F(Levels, StopWithACheckpointInTheDirectory) {
  SmallRunOptions options{.steps = 16, .checkpoints = {}, .policy = on_nodes()};
  options.policy.nodes.parity = {};
  run(1, options, parts());
  options.steps = 30;
  options.restart = restart_newest();
  options.directory = parts();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(2);
    SignalWatch::begin_for_process();
    ::raise(SIGTERM);  // before the first step
    SmallRun run(options);
    ::_exit(run.simulation().run() == RunStatus::stopped ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const auto saved = list_checkpoints(parts() / "chk");
  ASSERT_FALSE(saved.empty()) << "those on nodes are not what outlasts the job";
  EXPECT_EQ(saved.front().step, 16);
}

TEST_F(Levels, StopWellWhateverFailedBefore) {
  const SmallRunOptions options{
      .steps = 1000,
      .directory = parts(),
      .outputs = false,
      .checkpoints = {},
      .policy = {.background = true,
                 .nodes = {.folder = root_ / "nodes/{rank}", .local = every(2)}},
      .file_trouble = FileTrouble::warn};
  ::testing::internal::CaptureStderr();
  SmallRun run(options);
  run.simulation().on(at_steps({3}), [&](const Clock&) {
    fs::remove_all(root_ / "nodes");
    std::ofstream(root_ / "nodes") << "no folder";
  });
  run.simulation().on(at_steps({5}), [](const Clock&) { ::raise(SIGTERM); });
  EXPECT_EQ(run.simulation().run(), RunStatus::stopped);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("checkpoint of step 6 saved"), std::string::npos) << said;
}

TEST_F(Levels, SayThatOneIsSavedOnlyWhereItIs) {
  const SmallRunOptions options{.steps = 9,
                                .directory = parts(),
                                .outputs = false,
                                .checkpoints = {},
                                .policy = {.at_end = false, .background = true},
                                .file_trouble = FileTrouble::warn};
  ::testing::internal::CaptureStderr();
  SmallRun run(options);
  run.simulation().on(at_steps({5}), [&](const Clock&) {
    std::ofstream(parts() / "chk") << "no directory";
    ::raise(SIGUSR1);
  });
  EXPECT_EQ(run.simulation().run(), RunStatus::finished);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("warning: cannot"), std::string::npos) << said;
  EXPECT_EQ(said.find("saved"), std::string::npos) << said;
}

TEST_F(Levels, CountWhatWasSaved) {
  SmallRunOptions options{.steps = 12, .outputs = false, .checkpoints = {}, .policy = on_nodes()};
  options.policy.nodes.copies = every(3);
  run(2, options, parts());
  const auto saved = summary_of(parts())["checkpoints"]["saved"];
  EXPECT_EQ(saved["local"], 4) << "2, 4, 8, 10";
  EXPECT_EQ(saved["copies"], 2) << "3, 9; parity stands for those of 6 and 12";
  EXPECT_EQ(saved["parity"], 2);
  EXPECT_EQ(saved["shared"], 0);
}

TEST_F(Levels, CostWhatTheyCostEach) {
  SaveRecord record;
  record.add(0, 10, 0.5);
  record.add(shared_level, 10, 90);
  record.add(0, 20, 0.25);
  EXPECT_EQ(record.level(0).seconds, 0.25);
  EXPECT_EQ(record.level(0).longest, 0.5);
  EXPECT_EQ(record.level(shared_level).longest, 90);
  EXPECT_TRUE(record.has_shared(10));
  EXPECT_FALSE(record.has_shared(20)) << "it is on the nodes alone";
  EXPECT_TRUE(record.has_on_nodes(20));
}

TEST_F(Levels, InMemoryAreCounted) {
  const test::ScratchFolder disk(test::ScratchPlace::disk);
  const auto memory = [&](const fs::path& folder, int keep) {
    SmallRun run({.directory = parts(),
                  .outputs = false,
                  .policy = {.keep = keep, .nodes = {.folder = folder, .local = every(2)}}});
    const std::string text = run.simulation().dry_run();
    const auto begin = text.find("  memory ");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  struct statfs system {};
  ASSERT_EQ(::statfs(root_.c_str(), &system), 0);
  if (system.f_type != TMPFS_MAGIC) GTEST_SKIP() << "no folder in memory";
  EXPECT_NE(memory(root_, 1000), memory(root_, 2)) << "8 MiB more";
  if (::statfs(disk.path().c_str(), &system) != 0 || system.f_type == TMPFS_MAGIC) return;
  EXPECT_EQ(memory(disk.path(), 1000), memory(disk.path(), 2));
}

TEST_F(Levels, AreNamedByTheLastWordsOfARun) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (std::freopen((root_ / "log").c_str(), "w", stderr) == nullptr) ::_exit(2);
    SmallRun run({.steps = 1000,
                  .directory = parts(),
                  .outputs = false,
                  .checkpoints = {},
                  .policy = {.nodes = {.folder = root_ / "nodes/{rank}", .local = every(2)}}});
    run.simulation().on(at_steps({5}), [](const Clock&) {
      ::raise(SIGINT);
      ::raise(SIGINT);
      for (;;) ::pause();
    });
    run.simulation().run();
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_NE(status_of(parts()).find("go on from step 2 or a later one on its nodes"),
            std::string::npos)
      << status_of(parts());
}

TEST_F(Levels, TakeTheNewestWhereverItIs) {
  SmallRunOptions options{.steps = 20, .checkpoints = every(5), .policy = on_nodes()};
  run(2, options, parts());
  options.restart = restart_newest();
  run(2, options, parts());
  EXPECT_EQ(summary_of(parts())["restarted_from"], 20);
  options.restart = restart_at(15);
  run(2, options, parts());
  EXPECT_EQ(summary_of(parts())["restarted_from"], 15);
  EXPECT_EQ(list_checkpoints(parts() / "chk").front().step, 20);
}

TEST_F(Levels, SaveAsOftenAsItPays) {
  SmallRunOptions options{.steps = 30, .checkpoints = automatically(), .policy = {.mtbf = 1e-3}};
  run(2, options, parts());
  const auto saved = summary_of(parts())["checkpoints"];
  EXPECT_GT(saved["saved"]["shared"], 3) << saved;
  EXPECT_EQ(saved["mtbf_source"], "given");
  EXPECT_GT(saved["intervals"]["shared"], 0);
  options.policy.mtbf = 1e9;
  fs::remove_all(parts());
  run(2, options, parts());
  EXPECT_EQ(summary_of(parts())["checkpoints"]["saved"]["shared"], 1) << "at its end";
}

TEST_F(Levels, CountDeathsForTheirIntervals) {
  SmallRunOptions options{.steps = 20, .checkpoints = every(5) | automatically()};
  run(1, options, parts());
  EXPECT_EQ(summary_of(parts())["checkpoints"]["mtbf_source"], "assumed");
  std::ofstream(parts() / "STATUS") << "running\n";
  options.steps = 30;
  options.restart = restart_newest();
  run(1, options, parts());
  const auto saved = summary_of(parts())["checkpoints"];
  EXPECT_EQ(saved["mtbf_source"], "measured");
  EXPECT_LT(saved["mtbf"], 86400);
  const Index counted = failures_so_far(parts(), true);
  std::ofstream(parts() / "STATUS") << "failed: rank 2 has died\n";
  count_failure(parts());  // as the watch of a rank that is left does
  EXPECT_EQ(failures_so_far(parts(), true), counted + 1);
}

TEST_F(Levels, WhatFailsInTheBackgroundIsSaid) {
  for (const FileTrouble trouble : {FileTrouble::stop, FileTrouble::warn}) {
    const SmallRunOptions options{.steps = 60,
                                  .outputs = false,
                                  .checkpoints = every(2),
                                  .policy = {.at_end = false, .background = true},
                                  .file_trouble = trouble};
    const auto spoil = [&](SmallRun& run) {
      run.simulation().on(at_steps({6}), [&](const Clock&) {
        // The directory is made again by a save that goes on meanwhile, before the file is there.
        const fs::path place = parts() / "chk";
        for (int n = 0; !fs::is_regular_file(place); ++n) {
          std::error_code nothing_there;
          fs::rename(place, parts() / ("elsewhere" + std::to_string(n)), nothing_there);
          std::ofstream(place) << "no directory";
        }
      });
    };
    fs::remove_all(parts());
    ::testing::internal::CaptureStderr();
    ExitCode code = ExitCode::done;
    try {
      run(1, options, parts(), spoil);
    } catch (const Error& error) {
      code = error.code();
    }
    const std::string said = ::testing::internal::GetCapturedStderr();
    if (trouble == FileTrouble::stop) {
      EXPECT_EQ(code, ExitCode::files);
    } else {
      EXPECT_EQ(code, ExitCode::done);
      EXPECT_NE(said.find("warning: cannot"), std::string::npos) << said;
      EXPECT_GT(summary_of(parts())["unwritten"], 0);
    }
  }
}

}  // namespace
}  // namespace goban::levels_test
