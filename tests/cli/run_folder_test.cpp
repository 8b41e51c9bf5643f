#include "cli/run_folder.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <memory>
#include <set>
#include <thread>

#include "cli/earlier_run.hpp"
#include "goban/base/error.hpp"
#include "goban/simulation/report/run_files.hpp"
#include "tests/long.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::cli::run_folder_test {
namespace {

namespace fs = std::filesystem;

class RunFolders : public ::testing::Test {
 protected:
  void leave_a_run(const fs::path& folder, const std::string& status) {
    RunFolder run(folder);
    run.make_room(Earlier::set_aside);
    std::ofstream(folder / "STATUS") << status;
    std::ofstream(folder / "run.toml") << "# goban: 0.1.0\n# case: heat\n# output: T\n"
                                       << "# output: series\n\napp = \"heat\"\n";
    fs::create_directories(folder / "chk/0000100");
  }
  static std::string status_of(const fs::path& folder) {
    std::ifstream in(folder / "STATUS");
    std::string line;
    std::getline(in, line);
    return line;
  }
  static std::string refusal(const fs::path& folder) {
    try {
      const RunFolder run(folder);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::files);
      return error.what();
    }
    return "accepted";
  }

  const test::ScratchFolder root_;
};

TEST_F(RunFolders, NewFolderIsMadeWithItsParents) {
  RunFolder run(root_ / "a/b/c/");
  run.make_room(Earlier::set_aside);
  EXPECT_TRUE(fs::is_directory(root_ / "a/b/c"));
  EXPECT_EQ(run.path(), root_ / "a/b/c");
  EXPECT_EQ(run.set_aside(), "");
}

TEST_F(RunFolders, EarlierRunsAreSetAsideUnderFreeNumbers) {
  leave_a_run(root_ / "run", "first");
  leave_a_run(root_ / "run", "second");
  RunFolder run(root_ / "run");
  EXPECT_EQ(status_of(root_ / "run"), "second") << "until it is known that the new run can be";
  run.make_room(Earlier::set_aside);
  EXPECT_EQ(run.set_aside(), root_ / "run.old.2");
  EXPECT_EQ(status_of(root_ / "run.old.1"), "first");
  EXPECT_EQ(status_of(root_ / "run.old.2"), "second");
  EXPECT_EQ(status_of(root_ / "run"), "");
}

TEST_F(RunFolders, OverwritingRemovesTheEarlierRun) {
  leave_a_run(root_ / "run", "first");
  root_.store("run/summary.json", R"({"outputs": ["heat_series.csv", "heat_T.0000000.png"]})");
  for (const char* file :
       {"heat_series.csv", "heat_T.0000000.png", "heat_T.0000100.vtkhdf", "heat_T.xdmf",
        "heat_T.vtkhdf.series", "heat_T.0000200.vtkhdf.partial", "chk/0000200.partial/x.bin",
        ".frames/heat_T.0000100.npy", "heat_diverged.0000200.vtkhdf"}) {
    root_.store(std::string("run/") + file, "x");
  }
  RunFolder run(root_ / "run");
  run.make_room(Earlier::remove);
  for (const auto& entry : fs::directory_iterator(root_ / "run")) {
    EXPECT_EQ(entry.path().filename(), ".lock");
  }
  EXPECT_TRUE(run.left().empty());
  EXPECT_FALSE(fs::exists(root_ / "run.old.1"));
}

TEST_F(RunFolders, OverwritingLeavesWhatNoRunWrote) {
  leave_a_run(root_ / "run", "first");
  root_.store("run/summary.json", R"({"outputs": ["heat_series.csv", "../mine.txt"]})");
  root_.store("mine.txt", "x");
  root_.store("run/heat_series.csv", "x");
  const std::vector<std::string> own = {
      "chk/notes.txt",         "figures/1.png",      "heat_fit.csv", "photo.0000001.png",
      "heat_mine.0000100.png", ".frames/notes.txt",  "thesis.xdmf",  "heat_T.0000100.png.replaced",
      "chk/0000200",           "chk/0000300/my.txt", "heat_T.txt"};
  for (const std::string& file : own) root_.store("run/" + file, "x");
  RunFolder run(root_ / "run");
  run.make_room(Earlier::remove);
  for (const std::string& file : own) EXPECT_TRUE(fs::exists(root_ / "run" / file)) << file;
  EXPECT_EQ(run.left().size(), own.size()) << "0000300 stays with what is in it";
  EXPECT_TRUE(fs::exists(root_ / "mine.txt"));
  for (const char* file : {"STATUS", "run.toml", "heat_series.csv", "chk/0000100"}) {
    EXPECT_FALSE(fs::exists(root_ / "run" / file)) << file;
  }
}

TEST_F(RunFolders, AStartThatIsRefusedChangesNothing) {
  leave_a_run(root_ / "run", "first");
  { const RunFolder run(root_ / "run"); }
  EXPECT_EQ(status_of(root_ / "run"), "first");
  EXPECT_FALSE(fs::exists(root_ / "run.old.1"));
  { const RunFolder run(root_ / "fresh"); }
  EXPECT_FALSE(fs::exists(root_ / "fresh"));
  root_.store("killed/.lock", "");
  RunFolder run(root_ / "killed");
  run.make_room(Earlier::set_aside);
  EXPECT_EQ(run.set_aside(), "") << "nothing to keep";
}

TEST_F(RunFolders, OfRunsThatDiedWhileTheyBeganAreUsed) {
  root_.store("killed/.lock", "");
  root_.store("killed/STATUS.partial", "runn");
  root_.store("killed/.probe-123", "");
  for (const Earlier earlier : {Earlier::set_aside, Earlier::remove, Earlier::go_on}) {
    RunFolder run(root_ / "killed");
    run.make_room(earlier);
    EXPECT_EQ(run.set_aside(), "") << "nothing to keep";
  }
  EXPECT_FALSE(fs::exists(root_ / "killed/.probe-123"));
  root_.store("killed/STATUS", "running");
  root_.store("killed/run.toml.partial", "# gob");
  RunFolder run(root_ / "killed");
  run.make_room(Earlier::remove);
  EXPECT_TRUE(run.left().empty());
  EXPECT_FALSE(fs::exists(root_ / "killed/run.toml.partial"));
}

TEST_F(RunFolders, TellOfRunsThatDied) {
  leave_a_run(root_ / "run", "finished\npid 1 on elsewhere, 2026-01-01T00:00:00Z\n");
  EXPECT_EQ(death_of(root_ / "run"), "");
  const auto says_running = [&](const std::string& writer) {
    root_.store("run/STATUS", "running\n" + writer + "\n");
  };
  says_running("pid 4711 on elsewhere, 2026-01-01T00:00:00Z");
  EXPECT_EQ(death_of(root_ / "run"), "the run in " + (root_ / "run").string() +
                                         " has died (pid 4711 on elsewhere, 2026-01-01T00:00:00Z)")
      << "nobody holds its lock";
  const RunFolder held(root_ / "run");
  EXPECT_EQ(death_of(root_ / "run"), "");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  says_running("pid " + std::to_string(child) + " on " + host_name() + ", 2026-01-01T00:00:00Z");
  EXPECT_NE(death_of(root_ / "run"), "");
  says_running("pid " + std::to_string(::getpid()) + " on " + host_name() + ", 2026-01-01");
  EXPECT_EQ(death_of(root_ / "run"), "");
}

TEST_F(RunFolders, ForgedSummariesAreNoTrouble) {
  leave_a_run(root_ / "run", "first");
  root_.store("run/summary.json", std::string(100000, '[') + std::string(100000, ']'));
  RunFolder run(root_ / "run");
  run.make_room(Earlier::remove);
  EXPECT_FALSE(fs::exists(root_ / "run/summary.json"));
}

TEST_F(RunFolders, RestartingKeepsTheEarlierRunAndWorksWithoutOne) {
  leave_a_run(root_ / "run", "first");
  RunFolder run(root_ / "run");
  run.make_room(Earlier::go_on);
  EXPECT_EQ(status_of(root_ / "run"), "first");
  RunFolder fresh(root_ / "fresh");
  fresh.make_room(Earlier::go_on);
  EXPECT_TRUE(fs::is_directory(root_ / "fresh"));
}

TEST_F(RunFolders, ForeignFilesAreNeverTouched) {
  root_.store("thesis/chapter.txt", "x");
  root_.store("marks/STATUS", "of something else");
  root_.store("marks/data.bin", "x");
  for (const char* folder : {"thesis", "marks"}) {
    EXPECT_EQ(refusal(root_ / folder),
              "cannot write into " + (root_ / folder).string() +
                  " (it is not empty and not the output of a run); choose another --out");
  }
  EXPECT_EQ(refusal(root_ / "thesis/chapter.txt"), "cannot write into " +
                                                       (root_ / "thesis/chapter.txt").string() +
                                                       " (it is a file); choose another --out");
  EXPECT_TRUE(fs::exists(root_ / "thesis/chapter.txt"));
}

TEST_F(RunFolders, EmptyFolderIsUsedAsItIs) {
  fs::create_directories(root_ / "empty");
  RunFolder run(root_ / "empty");
  run.make_room(Earlier::set_aside);
  EXPECT_EQ(run.set_aside(), "");
}

TEST_F(RunFolders, TwoRunsNeverShareAFolder) {
  RunFolder run(root_ / "run");
  const std::string expected =
      "cannot write into " + (root_ / "run").string() +
      " (another run is writing there); choose another --out or wait for it to end";
  EXPECT_EQ(refusal(root_ / "run"), expected) << "from the first moment on";
  run.make_room(Earlier::set_aside);
  EXPECT_EQ(refusal(root_ / "run"), expected);
}

TEST_F(RunFolders, ARunThatIsEndingIsWaitedFor) {
  auto ending = std::make_unique<RunFolder>(root_ / "run");
  ending->make_room(Earlier::set_aside);
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ending.reset();
  });
  EXPECT_EQ(refusal(root_ / "run"), "accepted");
  end.join();
}

/// Short runs that begin at once in one folder: what each of them wrote is there in the end, in the
/// folder or where another one set it aside, or it was refused.
TEST_F(RunFolders, OfRunsThatBeginTogetherNoResultIsLost) {
  constexpr int runs = 3;
  const int trials = test::in_short_or_long(15, 300);
  for (int trial = 0; trial < trials; ++trial) {
    const fs::path folder = root_ / ("run" + std::to_string(trial));
    if (trial % 2 == 0) leave_a_run(folder, "first");
    std::array<pid_t, runs> children{};
    for (pid_t& child : children) {
      child = ::fork();
      if (child != 0) continue;
      try {
        RunFolder run(folder);
        run.make_room(Earlier::set_aside);
        std::ofstream(folder / "STATUS") << "finished";
        std::ofstream(folder / "run.toml") << "# goban: 0.1.0\n# pid " << ::getpid() << "\n";
      } catch (const Error&) {
        ::_exit(4);
      }
      ::_exit(0);
    }
    std::set<std::string> written, found;
    for (const pid_t child : children) {
      int status = -1;
      ::waitpid(child, &status, 0);
      if (status == 0) written.insert("# pid " + std::to_string(child));
    }
    for (const auto& entry : fs::directory_iterator(root_.path())) {
      std::ifstream record(entry.path() / "run.toml");
      for (std::string line; std::getline(record, line);) found.insert(line);
    }
    EXPECT_GE(written.size(), 1u);
    for (const std::string& run : written) EXPECT_TRUE(found.contains(run)) << "in " << folder;
  }
}

TEST_F(RunFolders, ImpossibleFolderIsRefused) {
  root_.store("file", "x");
  EXPECT_EQ(refusal(root_ / "file/run"), "cannot create directory " +
                                             (root_ / "file/run").string() +
                                             " (Not a directory); check the path");
  EXPECT_NE(refusal(""), "accepted");
}

}  // namespace
}  // namespace goban::cli::run_folder_test
