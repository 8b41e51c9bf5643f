// Ranks that save to nodes, or make lost files again, are killed at random instants: what was
// committed is never lost.

#include <signal.h>
#include <sys/wait.h>

#include <random>
#include <thread>

#include "goban/checkpoint/nodes/store.hpp"
#include "tests/checkpoint/made_up_run.hpp"
#include "tests/long.hpp"
#include "tests/ranks.hpp"

namespace goban::node_kill_test {
namespace {

constexpr int ranks = 3;

class KilledNodes : public CheckpointDirectory {
 protected:
  NodeStoreOptions options() const {
    return {.folder = root_ / "node{rank}", .run = "run", .parts = {.block_bytes = 4096}};
  }
  fs::path node(int rank) const { return root_ / ("node" + std::to_string(rank)); }

  /// Saves `count` steps from `first` on, with every kind of protection in turn; tells the number
  /// of each that is committed.
  void save(Index first, Index count, int tell) const {
    test::run_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
      NodeStore store(options(), communicator);
      StateCopy copy;
      MadeUpRun run({13, 7, 30});
      for (Index step = first; step < first + count; ++step) {
        run.set(step);
        CheckpointState state;
        state.step = step;
        copy.take(run.subject(), state, ranks, communicator->rank());
        store.save(copy, static_cast<Protection>(step % 3));
        if (communicator->rank() != 0 || tell < 0) continue;
        if (::write(tell, &step, sizeof(step)) != sizeof(step)) _exit(1);
      }
    });
  }
  /// -1: none.
  Index restored() const {
    NodeStore store(options(), self_communicator());
    return restored_from(store);
  }
  /// Kills a process that does `work` after a random time.
  template <class Work>
  void kill_during(Work&& work) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      work();
      _exit(1);
    }
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::uniform_int_distribution<>(1000, 30000)(random_)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
  }

  std::mt19937 random_{20240607};
};

TEST_F(KilledNodes, NeverLoseACommittedCheckpoint) {
  save(0, 3, -1);
  Index told = 2;
  for (int kill = 0; kill < test::in_short_or_long(40, 1000); ++kill) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    kill_during([&] { save(told + 1, 1'000'000, ends[1]); });
    ::close(ends[1]);
    for (Index step; ::read(ends[0], &step, sizeof(step)) == sizeof(step);) told = step;
    ::close(ends[0]);
    const Index step = restored();
    ASSERT_GE(step, told) << "after kill " << kill;
    ASSERT_LE(step, told + 1) << "after kill " << kill;
    told = step;
  }
  EXPECT_GT(told, 2) << "nothing was ever saved: the test shows nothing";
}

TEST_F(KilledNodes, MakeLostPartsAgainWhereverTheyWereInterrupted) {
  save(2, 1, -1);  // with parity
  const auto lose_one = [&] {
    fs::remove_all(node(1));
    for (const int rank : {0, 2}) fs::remove(node(rank) / "run/0000002/part-00001");
  };
  for (int kill = 0; kill < test::in_short_or_long(30, 200); ++kill) {
    kill_during([&] {
      for (;;) {
        lose_one();
        restored();
      }
    });
    ASSERT_EQ(restored(), 2) << "after kill " << kill;
  }
}

}  // namespace
}  // namespace goban::node_kill_test
