// Runs that die are started again, as long as that may help.

#include "cli/retries.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "goban/simulation/run/signals.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::cli::retries_test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class RetriedRuns : public ::testing::Test {
 protected:
  /// A run that is this script; it finds $OUT and, in $N, how often it was started.
  static Words script(const std::string& text) {
    return {"/bin/sh", "-c", "echo x >> log; N=$(wc -l < log); " + text};
  }
  void SetUp() override { fs::current_path(folder_.path()); }
  void TearDown() override { fs::current_path(before_); }
  int run(const std::string& first, const std::string& again = "exit 99", int most = 9) {
    said_.str("");
    return run_again({script(first), script(again)}, "out",
                     {.most = most,
                      .delay = std::chrono::milliseconds(1),
                      .longest_delay = std::chrono::milliseconds(2)},
                     said_);
  }
  int starts() const {
    std::ifstream log("log");
    int count = 0;
    for (std::string line; std::getline(log, line);) ++count;
    return count;
  }

  const test::ScratchFolder folder_;
  const fs::path before_ = fs::current_path();
  std::ostringstream said_;
};

TEST_F(RetriedRuns, GoOnFromTheirCheckpoints) {
  const std::string save = "mkdir -p out/chk/000000$N; ";
  EXPECT_EQ(run("mkdir out; touch out/run.toml; " + save + "kill -9 $$",
                save + "echo again >> said; test $N -gt 3 || kill -9 $$"),
            0);
  EXPECT_EQ(starts(), 4);
  EXPECT_NE(said_.str().find("the run has died (SIGKILL), it is started again in 1 ms, 1 of 9\n"),
            std::string::npos)
      << said_.str();
}

TEST_F(RetriedRuns, BeginAgainWhereTheyHadNotBegun) {
  fs::create_directories("out/chk/0000100");
  std::ofstream("out/run.toml") << "of an earlier run";
  EXPECT_EQ(run("test $N -gt 1 || exit 4"), 0) << "it does not go on from the earlier run";
}

TEST_F(RetriedRuns, AreNotStartedAgainWhereThatDoesNotHelp) {
  EXPECT_EQ(run("kill -SEGV $$"), 128 + SIGSEGV);
  EXPECT_EQ(starts(), 2);
  EXPECT_NE(said_.str().find("(SIGSEGV), as before from the beginning: it is not started again"),
            std::string::npos)
      << said_.str();
  for (const int code : {0, 2, 3, 5, 7, 75, 130}) {
    fs::remove("log");
    EXPECT_EQ(run("exit " + std::to_string(code)), code);
    EXPECT_EQ(starts(), 1) << code;
  }
}

TEST_F(RetriedRuns, GoOnWhereMemoryHasErred) {
  EXPECT_EQ(run("test $N -gt 1 || exit 8"), 0);
  EXPECT_EQ(starts(), 2);
}

TEST_F(RetriedRuns, AreStartedAgainSoOften) {
  EXPECT_EQ(run("test $((N % 2)) -eq 0 && exit 4; exit 6", "", 3), 4);
  EXPECT_EQ(starts(), 4);
}

TEST_F(RetriedRuns, AreNotStartedAgainWhereNoTimeIsLeft) {
  const Words words = script("sleep 0.1; exit 4");
  EXPECT_EQ(run_again({words, words}, "out",
                      {.most = 9, .delay = std::chrono::milliseconds(1), .max_time = 0.05}, said_),
            4);
  EXPECT_EQ(starts(), 1);
  EXPECT_NE(said_.str().find("(exit code 4), and no time is left"), std::string::npos)
      << said_.str();
}

TEST_F(RetriedRuns, AreHeardOfWhereEndsOfProcessesAreIgnored) {
  ::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(run("exit 3"), 3);
}

TEST_F(RetriedRuns, HearSignals) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SignalWatch::begin_for_process();
    ::_exit(
        run("trap 'touch saved' USR1; trap 'exit 75' TERM; mkdir out; touch out/run.toml ready; "
            "while :; do sleep 0.01; done"));
  }
  const auto wait_for = [](const char* file) {
    for (int look = 0; look < 3000 && !fs::exists(file); ++look) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(fs::exists(file)) << file;
  };
  wait_for("ready");
  ::kill(child, SIGUSR1);
  wait_for("saved");
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 75);
  EXPECT_EQ(starts(), 1);
}

TEST_F(RetriedRuns, HearSignalsBetweenTwoStarts) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SignalWatch::begin_for_process();
    const Words words = script("touch died; kill -9 $$");
    ::_exit(run_again({words, words}, "out", {.most = 9, .delay = std::chrono::minutes(1)}, said_));
  }
  for (int look = 0; look < 3000 && !fs::exists("died"); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ::kill(child, SIGUSR1);
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 75);
  EXPECT_EQ(starts(), 1);
}

/// A request to save that comes before the run can hear it does not kill it.
TEST_F(RetriedRuns, AreAskedToSaveOnceTheyHaveBegun) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SignalWatch::begin_for_process();
    ::_exit(
        run("touch early; sleep 0.1; trap 'exit 75' USR1; mkdir out; touch out/run.toml; "
            "while :; do sleep 0.01; done"));
  }
  for (int look = 0; look < 3000 && !fs::exists("early"); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(child, SIGUSR1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 75);
  EXPECT_EQ(starts(), 1);
}

TEST_F(RetriedRuns, AreTheCommandsThatWereTyped) {
  const RunCommands commands =
      run_commands({"run", "a b.toml", "--retries", "3", "--overwrite", "--max-time=1 h",
                    "--launcher=mpirun -n 4", "x=1", "--restart=7"},
                   "/bin/goban", "mpirun -n 4");
  EXPECT_EQ(commands.first, (Words{"mpirun", "-n", "4", "/bin/goban", "run", "a b.toml",
                                   "--overwrite", "x=1", "--restart=7"}));
  EXPECT_EQ(commands.again,
            (Words{"mpirun", "-n", "4", "/bin/goban", "run", "a b.toml", "x=1", "--restart"}));
}

}  // namespace
}  // namespace goban::cli::retries_test
