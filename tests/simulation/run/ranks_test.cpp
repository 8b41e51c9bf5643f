// Runs on several ranks leave the files of one, and go on from each other's checkpoints.

#include "tests/ranks.hpp"

#include <random>

#include "tests/error_text.hpp"
#include "tests/long.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::ranks_test {
namespace {

class RunsOnRanks : public SmallRuns {
 protected:
  fs::path whole() const { return root_ / "whole"; }
  fs::path parts() const { return root_ / "parts"; }

  /// Two ranks a machine.
  static void run(
      int ranks, const SmallRunOptions& options, const fs::path& directory,
      const std::function<void(SmallRun&)>& more = [](SmallRun&) {}) {
    std::vector<int> machines;
    for (int rank = 0; rank < ranks; ++rank) machines.push_back(rank / 2);
    const auto run_one = [&](const std::shared_ptr<Communicator>& communicator) {
      SmallRunOptions mine = options;
      mine.directory = directory;
      mine.settings.communicator = communicator;
      SmallRun run(mine);
      more(run);
      run.simulation().run();
    };
    test::run_ranks(ranks, run_one, machines);
  }
};

TEST_F(RunsOnRanks, WriteTheFilesOfOne) {
  run(1, {.steps = 30}, whole());
  for (const int ranks : {2, 3, 4, 6}) {
    fs::remove_all(parts());
    run(ranks, {.steps = 30}, parts());
    expect_same_outputs(whole(), parts());
    EXPECT_EQ(summary_of(parts())["ranks"], ranks);
    EXPECT_EQ(summary_of(parts())["checksum"], summary_of(whole())["checksum"]);
  }
}

TEST_F(RunsOnRanks, AgreeOnAdaptiveStepsAndOnWhenToStop) {
  run(1, {.steps = 40, .adaptive = true}, whole());
  run(3, {.steps = 40, .adaptive = true}, parts());
  expect_same_outputs(whole(), parts());
  fs::remove_all(whole());
  fs::remove_all(parts());
  run(1, {.steps = 100000, .stop_below = 0.6}, whole());
  run(4, {.steps = 100000, .stop_below = 0.6}, parts());
  expect_same_outputs(whole(), parts());
}

/// The checkpoints are of other numbers of ranks, on what computed otherwise, in the directory and
/// on nodes.
TEST_F(RunsOnRanks, GoOnFromAllCheckpointsOfOthers) {
  run(1, {.steps = 30}, whole());
  std::vector<std::pair<int, int>> pairs{{1, 3}, {4, 1}, {3, 2}, {2, 6}};
  if (test::is_long()) {
    pairs.clear();
    for (const int before : {1, 2, 3, 4, 6, 8}) {
      for (const int after : {1, 2, 3, 4, 6, 8}) pairs.emplace_back(before, after);
    }
  }
  std::mt19937 random(3);
  const auto options = [&](Index steps, bool is_emulated, bool on_nodes) {
    SmallRunOptions some{.steps = steps};
    some.settings.backend = is_emulated ? Backend::emulated : Backend::cpu;
    some.settings.threads = 1 + static_cast<int>(random() % 2);
    some.settings.steps_per_exchange = 1 + static_cast<int>(random() % 3);
    if (on_nodes) some.policy.nodes = {.folder = root_ / "nodes/{rank}", .local = every(13)};
    return some;
  };
  for (const auto& [before, after] : pairs) {
    for (const bool is_emulated : {false, true}) {
      for (const bool on_nodes : {false, true}) {
        SCOPED_TRACE(fmt::format("{} ranks, then {}, emulated {}, nodes {}", before, after,
                                 is_emulated, on_nodes));
        run(before, options(13, is_emulated, on_nodes), parts());
        if (on_nodes) fs::remove_all(parts() / "chk");
        SmallRunOptions rest = options(30, !is_emulated, on_nodes);
        rest.restart = restart_newest();
        run(after, rest, parts());
        EXPECT_EQ(summary_of(parts())["restarted_from"], 13);
        expect_same_outputs(whole(), parts());
        fs::remove_all(parts());
        fs::remove_all(root_ / "nodes");
      }
    }
  }
}

TEST_F(RunsOnRanks, WriteLinesPlanesAndOutlinesOfOne) {
  const auto more = [](SmallRun& run) {
    run.simulation()
        .line("askew", {run.u()}, {.from = {0.3, 0.4, 0.5}, .to = {9, 5.5, 4.4}}, every(7))
        .plane("cut", {{run.u(), "K"}}, {.axis = Axis::x, .position = 4.1}, every(8) | at_end())
        .picture(run.u(), {.outline = run.u()}, every(6));
  };
  const SmallRunOptions options{.steps = 30, .outputs = false};
  run(1, options, whole(), more);
  run(3, options, parts(), more);
  expect_same_outputs(whole(), parts());
  fs::remove_all(parts());
  SmallRunOptions first = options, second = options;
  first.steps = 13;
  second.restart = restart_newest();
  run(4, first, parts(), more);
  run(2, second, parts(), more);
  expect_same_outputs(whole(), parts());
}

TEST_F(RunsOnRanks, ProbesSeeEveryPositionFromEveryRank) {
  test::run_ranks(4, [&](const std::shared_ptr<Communicator>& communicator) {
    SmallRunOptions options;
    options.settings.communicator = communicator;
    options.outputs = false;
    SmallRun run(options);
    for (const Index3 cell : {Index3{0, 0, 0}, {18, 11, 8}, {9, 6, 4}, {10, 0, 8}}) {
      const Position center{0.5 * (static_cast<double>(cell[0]) + 0.5),
                            0.5 * (static_cast<double>(cell[1]) + 0.5),
                            0.5 * (static_cast<double>(cell[2]) + 0.5)};
      const double phase = 0.3 * static_cast<double>(cell[0] + 2 * cell[1] * cell[2]);
      EXPECT_EQ(value_at(run.u(), center).value(), static_cast<float>(std::sin(phase)));
    }
  });
}

TEST_F(RunsOnRanks, CountTheStatisticsAmongWhatTheyNeed) {
  double bytes[2];
  for (const bool with_statistics : {false, true}) {
    SmallRunOptions options;
    options.outputs = false;
    SmallRun run(options);
    if (with_statistics) run.simulation().statistics(run.u(), every(2));
    const std::string text = run.simulation().dry_run();
    bytes[with_statistics] = std::stod(text.substr(text.find("  memory") + 14));
  }
  EXPECT_NEAR(1024 * (bytes[1] - bytes[0]), 19 * 12 * 9 * 40, 200);
}

TEST_F(RunsOnRanks, FailAlikeWhereOneCannotWrite) {
  std::ofstream(root_ / "file") << "no directory";
  for (const int ranks : {1, 3}) {
    EXPECT_EQ(test::code_of([&] { run(ranks, {.steps = 5}, root_ / "file" / "run"); }),
              ExitCode::files)
        << "it ran";
  }
}

}  // namespace
}  // namespace goban::ranks_test
