// Runs that save on nodes, in the background, compressed or at intervals of their own go on as any
// others do.

#include <thread>

#include "goban/checkpoint/inventory.hpp"
#include "tests/ranks.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban {
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
        while (!fs::exists(parts() / "chk")) std::this_thread::yield();  // that of step 2
        fs::rename(parts() / "chk", parts() / "elsewhere");
        std::ofstream(parts() / "chk") << "no directory";
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
}  // namespace goban
