// Every call of a run that changes files fails, or is the last one it makes, or the last before the
// power is lost: a run that then goes on leaves what one leaves that nothing happened to.

#include <linux/magic.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <random>

#include "goban/checkpoint/inventory.hpp"
#include "tests/file_calls.hpp"
#include "tests/long.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::file_calls_test {
namespace {

/// How a run saves, and which of `parts` equal shares of the calls are tried: shares run beside
/// each other.
struct Saving {
  const char* name;
  bool background, nodes;
  int share = 0;
};
constexpr int shares = 4;

/// In names of tests; GoogleTest would print bytes, addresses among them.
void PrintTo(const Saving& saving, std::ostream* out) {
  *out << saving.name << ", share " << saving.share + 1;
}

class FileCalls : public SmallRuns, public ::testing::WithParamInterface<Saving> {
 protected:
  FileCalls() { run(whole()); }

  fs::path whole() const { return root_ / "whole"; }
  static RunStatus run(const fs::path& directory, Restart restart = {}) {
    SmallRunOptions options{
        .steps = 16, .directory = directory, .restart = restart, .checkpoints = every(7)};
    options.policy.background = GetParam().background;
    if (GetParam().nodes) {
      options.policy.nodes = {.folder = directory.parent_path() / "nodes", .local = every(3)};
    }
    SmallRun run(options);
    return run.simulation().run();
  }
  /// Calls of a run into `directory`.
  static long calls_of_run(const fs::path& directory) {
    const long calls =
        test::count_file_calls({.under = directory.parent_path()}, [&] { run(directory); });
    fs::remove_all(directory);
    fs::remove_all(directory.parent_path() / "nodes");
    return calls;
  }
  /// The exit code of a run in a process of its own.
  static int code_of_run(const fs::path& directory, const test::FileCallPlan& plan) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(2);
      test::count_file_calls(plan, [&] { run(directory); });
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void expect_the_rest(const fs::path& directory) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run(directory, restart_newest()), RunStatus::finished);
    const std::string log = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(log.find("refused"), std::string::npos) << log;
    EXPECT_EQ(status_of(directory), "finished");
    expect_same_outputs(whole(), directory);
  }
};

/// What becomes durable is noted call by call, which other threads must not make meanwhile.
class PowerLosses : public FileCalls {};

TEST_P(FileCalls, ThatFailEndTheRunOrTakeNothingAway) {
  const fs::path parts = root_ / "failing" / "parts";
  const long calls = calls_of_run(parts);
  const int stride = test::in_short_or_long(67, 1);
  int ended = 0;
  for (const int error_number : {EIO, ENOSPC}) {
    for (long at = error_number % stride + GetParam().share * stride; at < calls;
         at += shares * stride) {
      SCOPED_TRACE(fmt::format("call {} of {}: {}", at, calls, error_number));
      bool has_ended = false;
      ::testing::internal::CaptureStderr();
      try {
        test::count_file_calls(
            {.under = parts.parent_path(), .at = at, .error_number = error_number},
            [&] { run(parts); });
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::files) << error.what();
        has_ended = true;
      }
      ::testing::internal::GetCapturedStderr();
      if (has_ended) {
        ++ended;
        expect_the_rest(parts);
      } else {
        expect_same_outputs(whole(), parts);
      }
      fs::remove_all(parts.parent_path());
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(ended, 0) << "nothing failed: the test shows nothing";
}

TEST_P(FileCalls, MayBeTheLast) {
  const fs::path parts = root_ / "dying" / "parts";
  const long calls = calls_of_run(parts);
  const int stride = test::in_short_or_long(41, 1);
  for (long at = 5 % stride + GetParam().share * stride; at < calls; at += shares * stride) {
    SCOPED_TRACE(fmt::format("call {} of {}", at, calls));
    ASSERT_EQ(code_of_run(parts, {.under = parts.parent_path(), .at = at}), 99);
    expect_the_rest(parts);
    fs::remove_all(parts.parent_path());
    if (HasFailure()) return;
  }
}

TEST_P(PowerLosses, LeaveOnTheDiskWhatARestartNeeds) {
  const fs::path before = root_ / "lost", after = root_ / "found", durable = root_ / "durable";
  fs::create_directories(before);
  struct statfs system {};
  ASSERT_EQ(::statfs(before.c_str(), &system), 0);
  if (system.f_type != TMPFS_MAGIC) GTEST_SKIP() << "files are told apart by inodes used once";
  const long calls = calls_of_run(before / "parts");
  const int trials = test::in_short_or_long(4, 2500);
  std::mt19937 random(11 + static_cast<unsigned>(GetParam().share));
  for (int trial = 0; trial <= trials; ++trial) {
    SCOPED_TRACE(fmt::format("trial {}", trial));
    fs::remove_all(durable);
    test::note_durable(before, durable);
    // The last trials lose power when the run has finished.
    const bool finishes = trial + 2 > trials;
    const long at = finishes ? -1 : static_cast<long>(random() % static_cast<unsigned>(calls));
    const int code =
        code_of_run(before / "parts", {.under = before, .at = at, .durable_in = durable});
    ASSERT_EQ(code, finishes ? 0 : 99);
    // From nothing that was not made durable to nearly all of it.
    const unsigned chance = finishes ? 0 : random() % 3;
    test::lose_power(before, durable, after, [&] { return random() % 3 < chance; });
    if (finishes) {
      expect_same_outputs(whole(), after / "parts");
    } else {
      const auto saved = list_checkpoints(before / "parts" / "chk");
      if (saved.size() > 1) {
        const auto kept = list_checkpoints(after / "parts" / "chk");
        EXPECT_TRUE(!kept.empty() && kept.front().step >= saved[1].step) << "a checkpoint is lost";
      }
      expect_the_rest(after / "parts");
    }
    fs::remove_all(before / "parts");
    fs::remove_all(after);
    if (HasFailure()) return;
  }
}

std::vector<Saving> in_shares(std::initializer_list<Saving> savings) {
  std::vector<Saving> all;
  for (Saving saving : savings) {
    for (saving.share = 0; saving.share < shares; ++saving.share) all.push_back(saving);
  }
  return all;
}
const auto name_of_saving = [](const auto& info) {
  return fmt::format("{}{}", info.param.name, info.param.share + 1);
};
INSTANTIATE_TEST_SUITE_P(Runs, FileCalls,
                         ::testing::ValuesIn(in_shares({{"ThatWait", false, false},
                                                        {"ThatGoOn", true, false},
                                                        {"OnNodes", true, true}})),
                         name_of_saving);
INSTANTIATE_TEST_SUITE_P(Runs, PowerLosses,
                         ::testing::ValuesIn(in_shares({{"ThatWait", false, false}})),
                         name_of_saving);

}  // namespace
}  // namespace goban::file_calls_test
