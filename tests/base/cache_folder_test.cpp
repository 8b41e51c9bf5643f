#include "goban/base/process/cache_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/cache_of_test.hpp"

namespace goban::cache_folder_test {
namespace {

namespace fs = std::filesystem;

/// What cache_folder() says while standard error is looked at, and that.
struct Answer {
  fs::path folder;
  std::string said;
};

Answer ask(const std::string& name = {}) {
  testing::internal::CaptureStderr();
  const fs::path folder = cache_folder(name);
  return {folder, testing::internal::GetCapturedStderr()};
}

bool is_for_user_alone(const fs::path& folder) {
  return (fs::status(folder).permissions() & fs::perms(077)) == fs::perms::none;
}

TEST(CacheFolder, IsMadeForTheUserAlone) {
  const test::CacheOfTest cache;
  const fs::path folder = cache.folder() / "goban/kernels";
  EXPECT_EQ(ask("kernels").folder, folder);
  EXPECT_TRUE(fs::is_directory(folder));
  EXPECT_TRUE(is_for_user_alone(folder));
  EXPECT_TRUE(is_for_user_alone(folder.parent_path()));
  EXPECT_EQ(ask().folder, folder.parent_path());
}

TEST(CacheFolder, WhereOthersMayWriteNothingIsKept) {
  const test::CacheOfTest cache;
  for (const char* open : {"goban", "goban/kernels"}) {
    const fs::path folder = cache.folder() / open;
    fs::create_directories(folder);
    fs::permissions(folder, fs::perms(0777));
    const Answer answer = ask("kernels");
    EXPECT_EQ(answer.folder, "");
    EXPECT_NE(answer.said.find(folder.string() + " or taken from it (others may write to it)"),
              std::string::npos)
        << answer.said;
    EXPECT_EQ(ask("kernels").said, "") << "it is said once";
    fs::permissions(folder, fs::perms(0775));
    EXPECT_EQ(ask("kernels").folder, "");
    fs::permissions(folder, fs::perms(0755));
    EXPECT_EQ(ask("kernels").folder, cache.folder() / "goban/kernels");
  }
}

TEST(CacheFolder, AFolderThatOthersMayReplaceIsNotOnesOwn) {
  const test::CacheOfTest cache;
  fs::permissions(cache.folder().path(), fs::perms(0777));
  const Answer answer = ask();
  EXPECT_EQ(answer.folder, "");
  EXPECT_NE(answer.said.find("put another in its place"), std::string::npos) << answer.said;
  fs::permissions(cache.folder().path(), fs::perms(01777));  // as /tmp
  EXPECT_EQ(ask().folder, cache.folder() / "goban");
}

TEST(CacheFolder, AnotherUsersIsNotOnesOwn) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  const test::CacheOfTest cache;
  constexpr uid_t other = 65534;
  const fs::path folder = cache.folder() / "goban";
  fs::create_directory(folder);
  ASSERT_EQ(::chown(folder.c_str(), other, other), 0);
  const Answer answer = ask();
  EXPECT_EQ(answer.folder, "");
  EXPECT_NE(answer.said.find("it belongs to another user"), std::string::npos) << answer.said;
  // Nor is a link of another's to what is one's own.
  fs::remove(folder);
  fs::create_directory(cache.folder() / "mine");
  fs::create_directory_symlink(cache.folder() / "mine", folder);
  EXPECT_EQ(ask().folder, folder);
  ASSERT_EQ(::lchown(folder.c_str(), other, other), 0);
  EXPECT_EQ(ask().folder, "");
}

TEST(CacheFolder, RelativePathsAreNotFollowed) {
  const test::ScratchFolder home;
  const test::CacheOfTest cache("a_cache_nobody_made");
  const std::string before = std::getenv("HOME") ? std::getenv("HOME") : "";
  ::setenv("HOME", home.path().c_str(), 1);
  EXPECT_EQ(ask().folder, home / ".cache/goban");
  ::setenv("HOME", "home", 1);
  EXPECT_EQ(ask().folder, "");
  ::setenv("HOME", before.c_str(), 1);
  EXPECT_FALSE(fs::exists("a_cache_nobody_made"));
  EXPECT_FALSE(is_own("kernels"));
}

TEST(CacheFolder, WhereNoneCanBeMadeNothingIsKept) {
  const test::ScratchFolder scratch;
  const test::CacheOfTest cache(scratch.store("file", ""));
  EXPECT_EQ(ask("kernels").folder, "");
}

}  // namespace
}  // namespace goban::cache_folder_test
