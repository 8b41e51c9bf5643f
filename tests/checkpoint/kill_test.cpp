// A process that saves checkpoints as fast as it can is killed at random instants, again and again.

#include <signal.h>
#include <sys/wait.h>

#include <random>
#include <thread>

#include "tests/checkpoint/made_up_run.hpp"
#include "tests/long.hpp"

namespace goban::kill_test {
namespace {

/// On a disk most of the time goes into fsync, in memory into everything else.
class KilledRuns : public CheckpointDirectory,
                   public ::testing::WithParamInterface<test::ScratchPlace> {
 protected:
  KilledRuns() : CheckpointDirectory(GetParam()) {}
};

/// Saves step after step; tells every commit by its number.
[[noreturn]] void save_for_ever(DirectoryStore store, Index first, int tell) {
  MadeUpRun run({31, 17, 11});
  for (Index step = first;; ++step) {
    run.save(store, step);
    if (::write(tell, &step, sizeof(step)) != sizeof(step)) _exit(1);
  }
}

TEST_P(KilledRuns, NeverLoseACommittedCheckpoint) {
  const int kills = test::in_short_or_long(100, 5000);
  std::mt19937 random(20240607);
  const auto start = std::chrono::steady_clock::now();
  for (Index step = 0; step < 3; ++step) {
    MadeUpRun run({31, 17, 11});
    auto first = store();
    run.save(first, step);
  }
  const std::chrono::duration<double, std::micro> one_save =
      (std::chrono::steady_clock::now() - start) / 3;
  std::uniform_real_distribution<double> microseconds(500, 1000 + 3 * one_save.count());
  Index told = 2;
  for (int kill = 0; kill < kills; ++kill) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(ends[0]);
      save_for_ever(store(), told + 1, ends[1]);
    }
    ::close(ends[1]);
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(microseconds(random)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
    for (Index step; ::read(ends[0], &step, sizeof(step)) == sizeof(step);) told = step;
    ::close(ends[0]);

    MadeUpRun run({31, 17, 11});
    const Index step = restored(run);
    ASSERT_GE(step, told) << "after kill " << kill;
    ASSERT_LE(step, told + 1) << "after kill " << kill;
    ASSERT_EQ(log_.find("refused"), std::string::npos) << log_;
    told = step;
  }
  EXPECT_GT(told, 2) << "nothing was ever saved: the test shows nothing";
  MadeUpRun run({31, 17, 11});
  auto next = store();
  run.save(next, told + 1);
  for (const auto& entry : fs::directory_iterator(directory())) {
    EXPECT_EQ(entry.path().extension(), "") << entry.path() << " is left over";
  }
}

INSTANTIATE_TEST_SUITE_P(On, KilledRuns,
                         ::testing::Values(test::ScratchPlace::disk, test::ScratchPlace::memory),
                         [](const auto& info) {
                           return info.param == test::ScratchPlace::disk ? "disk" : "memory";
                         });

}  // namespace
}  // namespace goban::kill_test
