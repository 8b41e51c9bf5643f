#include "goban/io/file/file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <set>
#include <thread>

#include "tests/error_text.hpp"
#include "tests/io/scratch.hpp"

namespace goban::file_test {
namespace {

using FileTest = ScratchTest;

TEST_F(FileTest, ReadsWhatWasStored) {
  const std::string text("a\0b\n", 4);
  store("f", text);
  EXPECT_EQ(read_text(path("f")), text);
  EXPECT_EQ(read_bytes(path("f")).size(), 4u);
  EXPECT_EQ(size_of_file(path("f")), 4);
}

TEST_F(FileTest, AnEmptyFileIsEmpty) {
  store("f", "");
  EXPECT_EQ(read_text(path("f")), "");
  EXPECT_TRUE(read_bytes(path("f")).empty());
}

TEST_F(FileTest, WhatCannotBeReadIsNamedWithTheReason) {
  const auto files = ExitCode::files;
  EXPECT_EQ(refusal([&] { read_text(path("none")); }, files),
            "cannot read none (No such file or directory); check the path");
  EXPECT_EQ(refusal([&] { size_of_file(path("none")); }, files),
            "cannot read none (No such file or directory); check the path");
  store("file", "x");
  EXPECT_EQ(refusal([&] { read_text(path("file") / "below"); }, files),
            "cannot read file/below (Not a directory); check the path");
  std::filesystem::create_directory(path("d"));
  EXPECT_EQ(refusal([&] { read_bytes(path("d")); }, files),
            refusal([&] { size_of_file(path("d")); }, files));
  EXPECT_TRUE(
      refusal([&] { read_bytes(path("d")); }, files).starts_with("cannot read d (Is a dir"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal([&] { read_bytes(path("pipe")); }, files),
            "cannot read pipe (it is not a regular file)");
}

TEST_F(FileTest, AFileOverTheLimitIsNotRead) {
  store("f", std::string(3000, 'x'));
  EXPECT_EQ(refusal([&] { read_text(path("f"), 1024); }, ExitCode::files),
            "cannot read f (it has 2.9 KiB, at most 1.0 KiB are expected)");
  EXPECT_EQ(read_text(path("f"), 3000).size(), 3000u);
}

TEST_F(FileTest, DirectoriesAreMadeWithTheirParents) {
  make_directory(path("a") / "b" / "c");
  EXPECT_TRUE(std::filesystem::is_directory(path("a") / "b" / "c"));
  make_directory(path("a") / "b" / "c");
  store("file", "x");
  EXPECT_TRUE(refusal([&] { make_directory(path("file") / "below"); }, ExitCode::files)
                  .starts_with("cannot create directory file/below (Not a directory)"));
  std::filesystem::create_symlink("nowhere", path("link"));
  EXPECT_EQ(refusal([&] { make_directory(path("link") / "below"); }, ExitCode::files),
            "cannot create directory link/below (link is a link to nowhere, which is not there); "
            "make that directory, or remove the link");
}

TEST_F(FileTest, EverythingBelowAFolderIsListedButNotWhatLinksPointTo) {
  make_directory(path("a") / "b");
  store("a/b/c", "c");
  std::filesystem::create_symlink("..", path("a") / "b" / "up");
  std::set<std::string> names;
  for (const auto& entry : entries_below(path("a"))) {
    names.insert(entry.path().lexically_relative(path("a")).string());
  }
  EXPECT_EQ(names, (std::set<std::string>{"b", "b/c", "b/up"}));
  EXPECT_TRUE(entries_below(path("none")).empty());
}

/// A run saves and removes checkpoints while somebody looks.
TEST_F(FileTest, FoldersMayGoWhileTheyAreListed) {
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    while (!is_over) {
      std::filesystem::create_directories(path("a") / "b" / "c");
      std::filesystem::remove_all(path("a") / "b");
    }
  });
  for (int i = 0; i < 2000; ++i) {
    for (const auto& entry : entries_below(path("a"))) {
      const auto name = entry.path().lexically_relative(path("a"));
      EXPECT_TRUE(name == "b" || name == "b/c") << entry.path();
    }
  }
  is_over = true;
  other.join();
}

TEST_F(FileTest, AFullDiskSaysHowMuchIsNeededAndFree) {
  const std::string text =
      refusal([&] { throw_file_error("write", path("f"), ENOSPC, 5 << 20); }, ExitCode::files);
  EXPECT_TRUE(text.starts_with("cannot write f (No space left on device: 5.0 MiB needed, "));
  EXPECT_NE(text.find(" free); "), std::string::npos) << text;
}

TEST(OpenFiles, MayBeAsManyAsTheSystemLets) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  require_open_files(1);
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(low.rlim_cur, 100u) << "no more than is needed";
  require_open_files(200);
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_GE(low.rlim_cur, 264u);
  EXPECT_EQ(low.rlim_max, before.rlim_max);
  EXPECT_EQ(test::code_of([&] { require_open_files(Index{1} << 50); }), ExitCode::resources)
      << "it was not refused";
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(ByteText, UsesBinaryUnits) {
  EXPECT_EQ(byte_text(80), "80 bytes");
  EXPECT_EQ(byte_text(1024), "1.0 KiB");
  EXPECT_EQ(byte_text(3 << 19), "1.5 MiB");
  EXPECT_EQ(byte_text(Index{1} << 62), "4.0 EiB");
}

}  // namespace
}  // namespace goban::file_test
