#include "goban/backend/compiled/kernel_files.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/scratch_folder.hpp"

namespace goban::cuda::kernel_files_test {
namespace {

using std::chrono_literals::operator""h;

std::string make_nothing() {
  ADD_FAILURE() << "was made again";
  return "";
}

TEST(KernelFiles, WhatWasMadeIsFoundByLaterRuns) {
  const test::ScratchFolder scratch;
  const std::string code("\0\x7f code\n", 8);
  {
    const auto made = KernelFiles(scratch / "kernels").get("a", [&] { return code; });
    EXPECT_TRUE(made.was_made);
    EXPECT_EQ(made.bytes, code);
  }
  const auto found = KernelFiles(scratch / "kernels").get("a", make_nothing);
  EXPECT_FALSE(found.was_made);
  EXPECT_EQ(found.bytes, code);
}

TEST(KernelFiles, LookingForOneMakesNothing) {
  const test::ScratchFolder scratch;
  const KernelFiles files(scratch / "kernels");
  EXPECT_EQ(files.find("a"), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(scratch / "kernels"));
  files.get("a", [] { return "code"; });
  EXPECT_EQ(files.find("a"), "code");
}

TEST(KernelFiles, DamagedOneIsMadeAnew) {
  const test::ScratchFolder scratch;
  const KernelFiles files(scratch.path());
  files.get("a", [] { return "machine code"; });
  std::string bytes = scratch.content("a.kernel");
  bytes.back() = 'x';
  scratch.store("a.kernel", bytes);
  EXPECT_TRUE(files.get("a", [] { return "machine code"; }).was_made);
  scratch.store("a.kernel", "");
  EXPECT_TRUE(files.get("a", [] { return "machine code"; }).was_made);
  EXPECT_EQ(files.get("a", make_nothing).bytes, "machine code");
}

TEST(KernelFiles, FolderThatCannotBeWrittenHindersNobody) {
  const test::ScratchFolder scratch;
  scratch.store("file", "");
  for (const auto& folder : {scratch / "file", std::filesystem::path()}) {
    const KernelFiles files(folder);
    for (int n = 0; n < 2; ++n) {
      const auto made = files.get("a", [] { return "code"; });
      EXPECT_TRUE(made.was_made);
      EXPECT_EQ(made.bytes, "code");
    }
  }
}

TEST(KernelFiles, LinksAreNotFollowed) {
  const test::ScratchFolder scratch;
  const auto other = scratch.store("other", "of mine");
  for (const char* name : {"a.kernel", "a.kernel.partial", "locks"}) {
    std::filesystem::create_symlink(other, scratch / name);
  }
  KernelFiles(scratch.path()).get("a", [] { return "code"; });
  EXPECT_EQ(scratch.content("other"), "of mine");
  EXPECT_EQ(KernelFiles(scratch.path()).find("a"), "code");
}

TEST(KernelFiles, FailureLeavesNothing) {
  const test::ScratchFolder scratch;
  const KernelFiles files(scratch.path());
  EXPECT_THROW(files.get("a", []() -> std::string { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_TRUE(files.get("a", [] { return "code"; }).was_made);
}

TEST(KernelFiles, ThoseUsedLongestAgoGoFirst) {
  const test::ScratchFolder scratch;
  const KernelFiles files(scratch.path(), 400);
  const std::string code(60, 'c');  // and as a file 92
  const auto set_age = [&](const std::string& name, std::chrono::hours age) {
    std::filesystem::last_write_time(scratch / name,
                                     std::filesystem::file_time_type::clock::now() - age);
  };
  for (const char* name : {"a", "b", "c", "d"}) {
    files.get(name, [&] { return code; });
  }
  set_age("a.kernel", 4h), set_age("b.kernel", 3h), set_age("c.kernel", 2h);
  files.get("a", make_nothing);  // is younger than b and c now
  files.get("e", [&] { return code; });
  EXPECT_TRUE(std::filesystem::exists(scratch / "a.kernel"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "b.kernel"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "c.kernel"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "d.kernel"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "e.kernel"));
}

TEST(KernelFiles, WhatDeadProcessesLeftGoes) {
  const test::ScratchFolder scratch;
  const KernelFiles files(scratch.path());
  const auto old = scratch.store("a.kernel.partial", "part"),
             fresh = scratch.store("b.kernel.partial", "part");
  const auto foreign = scratch.store("mine.txt", "text");
  for (const auto& file : {old, foreign}) {
    std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - 5h);
  }
  files.get("c", [] { return "code"; });
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(fresh));
  EXPECT_TRUE(std::filesystem::exists(foreign));
}

TEST(KernelFiles, OfSeveralProcessesAndThreadsOneMakesIt) {
  const test::ScratchFolder scratch;
  int made[2];
  ASSERT_EQ(pipe(made), 0);
  const auto ask = [&] {
    const auto found = KernelFiles(scratch / "kernels").get("a", [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return "code";
    });
    const char letter = found.was_made ? 'm' : 'f';
    return found.bytes == "code" && write(made[1], &letter, 1) == 1;
  };
  std::vector<pid_t> children;
  for (int n = 0; n < 3; ++n) {
    const pid_t child = fork();
    if (child == 0) _exit(ask() ? 0 : 1);
    children.push_back(child);
  }
  std::thread first([&] { EXPECT_TRUE(ask()); }), second([&] { EXPECT_TRUE(ask()); });
  first.join();
  second.join();
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  char letters[6] = {};
  ASSERT_EQ(read(made[0], letters, 5), 5);
  EXPECT_EQ(std::count(letters, letters + 5, 'm'), 1) << letters;
}

}  // namespace
}  // namespace goban::cuda::kernel_files_test
