// Every call of a save on nodes that changes files fails, or is the last one of the process: what
// was committed before is never lost, and nothing is left over when the next one is saved.

#include <sys/wait.h>

#include <cerrno>

#include "goban/checkpoint/nodes/store.hpp"
#include "tests/checkpoint/made_up_run.hpp"
#include "tests/file_calls.hpp"
#include "tests/long.hpp"
#include "tests/ranks.hpp"

namespace goban::node_file_calls_test {
namespace {

constexpr int ranks = 3;

class NodeFileCalls : public CheckpointDirectory, public ::testing::WithParamInterface<Protection> {
 protected:
  NodeFileCalls() { lineage_.add("0123456789abcdef", -1); }

  NodeStoreOptions options() const {
    return {.folder = nodes() / "{rank}",
            .run = "run",
            .keep = 1,
            .parts = {.block_bytes = 4096},
            .lineage = lineage_};
  }
  fs::path nodes() const { return root_ / "nodes"; }
  void save(Index step) const {
    test::run_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
      NodeStore store(options(), communicator);
      MadeUpRun run({13, 7, 30});
      run.set(step);
      CheckpointState state;
      state.step = step;
      StateCopy copy;
      copy.take(run.subject(), state, ranks, communicator->rank());
      store.save(copy, GetParam());
    });
  }
  Index restored() const {
    NodeStore store(options(), self_communicator());
    return restored_from(store);
  }
  long calls_of_a_save() const {
    save(10);
    const long calls = test::count_file_calls({.under = nodes()}, [&] { save(20); });
    fs::remove_all(nodes());
    return calls;
  }
  void expect_the_next_alone() const {
    save(30);
    EXPECT_EQ(restored(), 30);
    for (int rank = 0; rank < ranks; ++rank) {
      const fs::path folder = nodes() / std::to_string(rank) / lineage_.folder_of("run");
      for (const auto& entry : fs::directory_iterator(folder)) {
        EXPECT_EQ(entry.path().filename(), "0000030") << entry.path() << " is left over";
      }
    }
    fs::remove_all(nodes());
  }

  Lineage lineage_;
};

TEST_P(NodeFileCalls, ThatFailTakeNothingAway) {
  const long calls = calls_of_a_save();
  const int stride = test::in_short_or_long(7, 1);
  int failed = 0;
  for (const int error_number : {EIO, ENOSPC}) {
    for (long at = error_number % stride; at < calls; at += stride) {
      SCOPED_TRACE(fmt::format("call {} of {}: {}", at, calls, error_number));
      save(10);
      Index newest = 20;
      try {
        test::count_file_calls({.under = nodes(), .at = at, .error_number = error_number},
                               [&] { save(20); });
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::files) << error.what();
        newest = 10;
        ++failed;
      }
      EXPECT_EQ(restored(), newest);
      expect_the_next_alone();
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(failed, 0) << "nothing failed: the test shows nothing";
}

TEST_P(NodeFileCalls, MayBeTheLast) {
  const long calls = calls_of_a_save();
  for (long at = 0; at < calls; at += test::in_short_or_long(5, 1)) {
    SCOPED_TRACE(fmt::format("call {} of {}", at, calls));
    save(10);
    const pid_t child = ::fork();
    if (child == 0) {
      test::count_file_calls({.under = nodes(), .at = at}, [&] { save(20); });
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(WEXITSTATUS(status), 99);
    EXPECT_GE(restored(), 10);
    expect_the_next_alone();
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(With, NodeFileCalls,
                         ::testing::Values(Protection::none, Protection::copies,
                                           Protection::parity),
                         [](const auto& info) {
                           return info.param == Protection::none     ? "nothing"
                                  : info.param == Protection::copies ? "copies"
                                                                     : "parity";
                         });

}  // namespace
}  // namespace goban::node_file_calls_test
