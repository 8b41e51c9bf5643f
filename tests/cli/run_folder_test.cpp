#include "cli/run_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "goban/base/error.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

class RunFolders : public ::testing::Test {
 protected:
  void leave_a_run(const fs::path& folder, const std::string& status) {
    const RunFolder run(folder, Earlier::set_aside);
    std::ofstream(folder / "STATUS") << status;
    fs::create_directories(folder / "checkpoint");
  }
  static std::string status_of(const fs::path& folder) {
    std::ifstream in(folder / "STATUS");
    std::string line;
    std::getline(in, line);
    return line;
  }
  static std::string refusal(const fs::path& folder, Earlier earlier) {
    try {
      const RunFolder run(folder, earlier);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::files);
      return error.what();
    }
    return "accepted";
  }

  const test::ScratchFolder root_;
};

TEST_F(RunFolders, NewFolderIsMadeWithItsParents) {
  const RunFolder run(root_ / "a/b/c/", Earlier::set_aside);
  EXPECT_TRUE(fs::is_directory(root_ / "a/b/c"));
  EXPECT_EQ(run.path(), root_ / "a/b/c");
  EXPECT_EQ(run.set_aside(), "");
}

TEST_F(RunFolders, EarlierRunsAreSetAsideUnderFreeNumbers) {
  leave_a_run(root_ / "run", "first");
  leave_a_run(root_ / "run", "second");
  const RunFolder run(root_ / "run", Earlier::set_aside);
  EXPECT_EQ(run.set_aside(), root_ / "run.old.2");
  EXPECT_EQ(status_of(root_ / "run.old.1"), "first");
  EXPECT_EQ(status_of(root_ / "run.old.2"), "second");
  EXPECT_EQ(status_of(root_ / "run"), "");
}

TEST_F(RunFolders, OverwritingRemovesTheEarlierRun) {
  leave_a_run(root_ / "run", "first");
  const RunFolder run(root_ / "run", Earlier::remove);
  EXPECT_FALSE(fs::exists(root_ / "run/STATUS"));
  EXPECT_FALSE(fs::exists(root_ / "run/checkpoint"));
  EXPECT_FALSE(fs::exists(root_ / "run.old.1"));
}

TEST_F(RunFolders, RestartingKeepsTheEarlierRunAndWorksWithoutOne) {
  leave_a_run(root_ / "run", "first");
  const RunFolder run(root_ / "run", Earlier::go_on);
  EXPECT_EQ(status_of(root_ / "run"), "first");
  const RunFolder fresh(root_ / "fresh", Earlier::go_on);
  EXPECT_TRUE(fs::is_directory(root_ / "fresh"));
}

TEST_F(RunFolders, ForeignFilesAreNeverTouched) {
  root_.store("thesis/chapter.txt", "x");
  for (const Earlier earlier : {Earlier::set_aside, Earlier::remove, Earlier::go_on}) {
    EXPECT_EQ(refusal(root_ / "thesis", earlier),
              "cannot write into " + (root_ / "thesis").string() +
                  " (it is not empty and not the output of a run) choose another --out");
    EXPECT_EQ(refusal(root_ / "thesis/chapter.txt", earlier),
              "cannot write into " + (root_ / "thesis/chapter.txt").string() +
                  " (it is a file) choose another --out");
  }
  EXPECT_TRUE(fs::exists(root_ / "thesis/chapter.txt"));
}

TEST_F(RunFolders, EmptyFolderIsUsedAsItIs) {
  fs::create_directories(root_ / "empty");
  const RunFolder run(root_ / "empty", Earlier::set_aside);
  EXPECT_EQ(run.set_aside(), "");
}

TEST_F(RunFolders, TwoRunsNeverShareAFolder) {
  const RunFolder run(root_ / "run", Earlier::set_aside);
  for (const Earlier earlier : {Earlier::set_aside, Earlier::remove, Earlier::go_on}) {
    EXPECT_EQ(refusal(root_ / "run", earlier),
              "cannot write into " + (root_ / "run").string() +
                  " (another run is writing there) choose another --out or wait for it to end");
  }
}

TEST_F(RunFolders, ImpossibleFolderIsRefused) {
  root_.store("file", "x");
  EXPECT_EQ(refusal(root_ / "file/run", Earlier::set_aside),
            "cannot write into " + (root_ / "file/run").string() +
                " (Not a directory) choose another --out");
  EXPECT_NE(refusal("", Earlier::set_aside), "accepted");
}

}  // namespace
}  // namespace goban::cli
