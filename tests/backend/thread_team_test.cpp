#include "goban/backend/cpu/thread_team.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "goban/base/error.hpp"
#include "tests/long.hpp"

namespace goban::thread_team_test {
namespace {

/// Cores the calling thread may run on.
std::vector<int> own_cores() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof(set), &set);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

class ThreadTeamOf : public testing::TestWithParam<int> {};

TEST_P(ThreadTeamOf, CallsTheFunctionOnceOnEveryThread) {
  ThreadTeam team(GetParam());
  ASSERT_EQ(team.size(), GetParam());
  std::vector<int> calls(GetParam(), 0);
  std::vector<std::thread::id> ids(GetParam());
  for (int round = 1; round <= 50; ++round) {
    team.run_together([&](int thread) {
      calls[thread] += 1;
      ids[thread] = std::this_thread::get_id();
    });
    EXPECT_EQ(calls, std::vector<int>(GetParam(), round));
  }
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(), ids.size());
}

TEST_P(ThreadTeamOf, SeesAllWritesBeforeABarrierAfterIt) {
  const int n = GetParam();
  ThreadTeam team(n);
  std::vector<int> values(n, 0);  // not atomic: the barrier must order the accesses
  std::vector<int> wrong(n, 0);
  team.run_together([&](int thread) {
    for (int round = 1; round <= 300; ++round) {
      values[thread] = round;
      team.barrier();
      for (const int value : values) wrong[thread] += value != round;
      team.barrier();
    }
  });
  EXPECT_EQ(wrong, std::vector<int>(n, 0));
}

TEST_P(ThreadTeamOf, WakesThreadsThatHaveGoneToSleep) {
  ThreadTeam team(GetParam());
  std::atomic<int> calls = 0;
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    team.run_together([&](int thread) {
      if (thread == 1) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      team.barrier();
      calls += 1;
    });
  }
  EXPECT_EQ(calls, 3 * GetParam());
}

TEST_P(ThreadTeamOf, SplitsARangeWithoutGapsOrOverlap) {
  ThreadTeam team(GetParam());
  for (const Index n : {0, 1, 2, 3, 64, 65, 1000}) {
    std::vector<int> touched(n, 0);
    team.run_split(n, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) touched[i] += 1;
    });
    EXPECT_EQ(touched, std::vector<int>(n, 1)) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(, ThreadTeamOf, testing::Values(1, 2, 3, 7));

TEST(ThreadTeam, RethrowsTheExceptionOfTheLowestThread) {
  ThreadTeam team(3);
  try {
    team.run([&](int thread) {
      if (thread > 0) throw std::runtime_error("thread " + std::to_string(thread));
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "thread 1");
  }
}

/// The caller is done before a thread that sleeps has woken up, in all but a few of many runs.
TEST(ThreadTeam, TheCallerMakesTheCallsOfThreadsThatHaveNotBegun) {
  ThreadTeam team(3, false);
  std::vector<int> calls(3, 0);
  int by_caller = 0;
  for (int round = 1; round <= 50; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    std::vector<std::thread::id> ids(3);
    team.run([&](int thread) {
      calls[thread] += 1;
      ids[thread] = std::this_thread::get_id();
    });
    EXPECT_EQ(calls, std::vector<int>(3, round));
    EXPECT_EQ(ids[0], std::this_thread::get_id());
    by_caller += ids[1] == ids[0] || ids[2] == ids[0];
  }
  EXPECT_GT(by_caller, 0);
}

/// Calls that the caller and threads both want, again and again.
TEST(ThreadTeam, EveryCallIsMadeOnce) {
  ThreadTeam team(4, false);
  std::vector<std::atomic<int>> calls(4);
  for (int round = 1; round <= 20000; ++round) {
    team.run([&](int thread) { ++calls[thread]; });
    for (const auto& count : calls) ASSERT_EQ(count, round);
  }
}

/// A thread that wakes for a run which the caller has done alone may find that the team ends.
TEST(ThreadTeam, EndsWhileItsThreadsWake) {
  constexpr int threads = 4;
  const int teams = test::is_long() ? 100000 : 500;
  for (int n = 0; n < teams; ++n) {
    std::atomic<int> calls = 0;
    {
      ThreadTeam team(threads, false);
      team.run([&](int) { ++calls; });
      for (volatile int wait = 37 * n % 3000; wait > 0;) wait = wait - 1;
    }
    ASSERT_EQ(calls, threads);
  }
}

TEST(ThreadTeam, HasNoBarriersWhereCallsMayFollowEachOther) {
  ThreadTeam team(2);
  EXPECT_THROW(team.run([&](int) { team.barrier(); }), Error);
}

TEST(ThreadTeam, LeavesBarriersWhenAThreadThrowsAndWorksOn) {
  ThreadTeam team(3);
  for (int culprit = 0; culprit < 3; ++culprit) {
    std::vector<int> reached(3, 0);
    EXPECT_THROW(team.run_together([&](int thread) {
      if (thread == culprit) throw std::runtime_error("stop");
      team.barrier();
      reached[thread] = 1;
    }),
                 std::runtime_error);
    EXPECT_EQ(reached, std::vector<int>(3, 0));
    team.run_together([&](int thread) {
      team.barrier();
      reached[thread] = 1;
    });
    EXPECT_EQ(reached, std::vector<int>(3, 1));
  }
}

TEST(ThreadTeam, RefusesARunWithinARun) {
  for (const int threads : {1, 2}) {
    ThreadTeam team(threads);
    try {
      team.run([&](int thread) {
        if (thread == threads - 1) team.run([](int) {});
      });
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
    }
    std::atomic<int> calls = 0;
    team.run([&](int) { calls += 1; });
    EXPECT_EQ(calls, threads);
  }
}

TEST(ThreadTeam, RefusesToBeEmpty) {
  EXPECT_THROW(ThreadTeam(0), Error);
  EXPECT_THROW(ThreadTeam(-2), Error);
}

TEST(ThreadTeam, KeepsThreadsNearTheirCoresAndFreesTheCallerAgain) {
  const std::vector<int> before = own_cores();
  if (ThreadTeam::usable_cores() < 2) GTEST_SKIP() << "one usable core";
  {
    ThreadTeam team(2);
    ASSERT_TRUE(team.is_pinned());
    std::vector<std::vector<int>> cores(2);
    team.run_together([&](int thread) { cores[thread] = own_cores(); });
    EXPECT_EQ(cores[0].front(), before.front());
    for (const std::vector<int>& place : cores) {
      EXPECT_FALSE(place.empty());
      EXPECT_TRUE(std::ranges::includes(before, place));
    }
  }
  EXPECT_EQ(own_cores(), before);
}

TEST(ThreadTeam, IsNotPinnedWhereThereAreFewerCoresThanThreads) {
  const std::vector<int> before = own_cores();
  ThreadTeam many(ThreadTeam::usable_cores() + 1);
  EXPECT_FALSE(many.is_pinned());
  ThreadTeam beyond(2, true, ThreadTeam::usable_cores());
  EXPECT_FALSE(beyond.is_pinned());
  ThreadTeam unwanted(2, false);
  EXPECT_FALSE(unwanted.is_pinned());
  EXPECT_EQ(own_cores(), before);
}

TEST(SplitEvenly, CutsOnGrainsAndDiffersByAtMostOneGrain) {
  for (const Index n : {0, 5, 64, 100, 1001})
    for (const Index grain : {1, 4, 64})
      for (const int parts : {1, 2, 3, 8}) {
        Index at = 0, least = n, most = 0;
        for (int p = 0; p < parts; ++p) {
          const Part part = split_evenly(n, parts, p, grain);
          ASSERT_EQ(part.begin, at);
          ASSERT_GE(part.end, part.begin);
          ASSERT_TRUE(part.end == n || part.end % grain == 0);
          at = part.end;
          least = std::min(least, part.end - part.begin);
          most = std::max(most, part.end - part.begin);
        }
        ASSERT_EQ(at, n);
        ASSERT_LE(most - least, n % grain == 0 ? grain : 2 * grain);
      }
}

/// What a child that is forked now makes of it; -1: it has not ended in ten seconds.
int exit_code_of_child(const std::function<bool()>& works) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    ::_exit(works() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ThreadTeam, StartsAnewInAProcessThatIsForked) {
  std::atomic<int> calls = 0;
  {
    ThreadTeam team(3);
    const auto run = [&] {
      calls = 0;
      for (int n = 0; n < 2; ++n) {
        team.run_together([&](int) {
          ++calls;
          team.barrier();
        });
      }
      return calls == 6;
    };
    EXPECT_TRUE(run());
    EXPECT_EQ(exit_code_of_child([&] { return run() && exit_code_of_child(run) == 0; }), 0);
    EXPECT_TRUE(run()) << "the parent goes on with its own";
  }
  auto left = std::make_unique<ThreadTeam>(3);
  EXPECT_EQ(exit_code_of_child([&] {
              left.reset();
              return true;
            }),
            0)
      << "a team that the child never runs ends";
}

/// Processor time that the process takes while it sleeps after a run of a team.
double busy_seconds_after_run(std::chrono::microseconds between_runs) {
  ThreadTeam team(2, false, 0, between_runs);
  team.run([](int) {});
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

/// On a machine with much else to do a thread may have to wait for its turn to wait.
TEST(ThreadTeam, WaitsBusilyForTheNextRunForAsLongAsIsAskedFor) {
  bool was_busy = false, was_idle = false;
  for (int attempt = 0; attempt < 50 && !(was_busy && was_idle); ++attempt) {
    was_busy = was_busy || busy_seconds_after_run(std::chrono::seconds(1)) > 0.002;
    was_idle = was_idle || busy_seconds_after_run(Backoff::usual) < 0.002;
  }
  EXPECT_TRUE(was_busy);
  EXPECT_TRUE(was_idle);
}

}  // namespace
}  // namespace goban::thread_team_test
