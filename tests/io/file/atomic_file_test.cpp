#include "goban/io/file/atomic_file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/io/scratch.hpp"

namespace goban::atomic_file_test {
namespace {

using AtomicFileTest = ScratchTest;
using AppendFileTest = ScratchTest;

TEST_F(AtomicFileTest, NothingIsThereBeforeCommitAndAllAfter) {
  {
    AtomicFile file(path("f"));
    file.write("one ");
    file.write("two");
    EXPECT_FALSE(std::filesystem::exists(path("f")));
    file.commit();
  }
  EXPECT_EQ(content("f"), "one two");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStays) {
  store("f", "old");
  {
    AtomicFile file(path("f"));
    file.write("new");
  }
  EXPECT_EQ(content("f"), "old");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(AtomicFileTest, LargeWritesArriveInOrder) {
  std::string expected;
  AtomicFile file(path("f"));
  for (int n = 0; n < 40; ++n) {
    const std::string piece(static_cast<std::size_t>(n * n * 377 % 300'000),
                            static_cast<char>('a' + n % 26));
    file.write(piece);
    expected += piece;
  }
  file.commit();
  EXPECT_EQ(content("f"), expected);
}

TEST_F(AtomicFileTest, ReservingMoreThanIsWrittenLeavesNoTail) {
  AtomicFile file(path("f"));
  file.reserve(1 << 20);
  file.write("short");
  file.commit();
  EXPECT_EQ(content("f"), "short");
  struct stat status {};
  ASSERT_EQ(::stat(path("f").c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 1 << 20);
}

TEST_F(AtomicFileTest, APartialFileOfAKilledRunIsReplaced) {
  store("f.partial", "rubbish that is longer than the new file");
  write_file(path("f"), "new");
  EXPECT_EQ(content("f"), "new");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(AtomicFileTest, TwoWritersOfOneFileDoNotMix) {
  AtomicFile first(path("f"));
  first.write("first");
  AtomicFile second(path("f"));
  second.write("second");
  EXPECT_EQ(
      refusal([&] { first.commit(); }, ExitCode::files),
      "cannot write f (another process replaced f.partial); let one run at a time write there");
  second.commit();
  EXPECT_EQ(content("f"), "second");
}

TEST_F(AtomicFileTest, ADirectoryInTheWayIsSaidAtOnce) {
  std::filesystem::create_directory(path("d"));
  EXPECT_TRUE(refusal([&] { AtomicFile file(path("d")); }, ExitCode::files)
                  .starts_with("cannot write d (Is a directory)"));
  EXPECT_EQ(refusal([&] { AtomicFile file(path("none") / "f"); }, ExitCode::files),
            "cannot write none/f (No such file or directory); check the path");
}

TEST_F(AppendFileTest, RowsAreThereAsSoonAsAppended) {
  store("f", "a\n");
  AppendFile file(path("f"));
  EXPECT_EQ(file.size(), 2);
  file.append("b\n");
  EXPECT_EQ(content("f"), "a\nb\n");
  AppendFile moved(std::move(file));
  moved.append("c\n");
  moved.sync();
  EXPECT_EQ(content("f"), "a\nb\nc\n");
  EXPECT_EQ(moved.size(), 6);
}

/// A limit on the size of files written by this process while in scope.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(AtomicFileTest, AWriteThatFailsLeavesTheOldFileAndNothingElse) {
  store("f", "old");
  std::string text;
  {
    const FileSizeLimit limit(100'000);
    text = refusal([&] { write_file(path("f"), std::string(1'000'000, 'x')); }, ExitCode::files);
  }
  EXPECT_TRUE(text.starts_with("cannot write f (File too large")) << text;
  EXPECT_EQ(content("f"), "old");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(AppendFileTest, ARowThatDoesNotFitIsTakenBack) {
  AppendFile file(path("f"));
  file.append("first row\n");
  {
    const FileSizeLimit limit(15);
    EXPECT_TRUE(refusal([&] { file.append("second row\n"); }, ExitCode::files)
                    .starts_with("cannot append to f (File too large"));
  }
  EXPECT_EQ(content("f"), "first row\n");
  file.append("third row\n");
  EXPECT_EQ(content("f"), "first row\nthird row\n");
}

}  // namespace
}  // namespace goban::atomic_file_test
