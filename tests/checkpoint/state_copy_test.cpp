// Copies of the state of a run.

#include "goban/checkpoint/state_copy.hpp"

#include <sys/mman.h>

#include <chrono>
#include <thread>

#include "tests/checkpoint/made_up_run.hpp"

namespace goban::state_copy_test {
namespace {

class StateCopies : public ::testing::Test {
 protected:
  static Index resident_bytes() {
    Index pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
  }
  static bool has_values(const StateCopy& copy, const MadeUpRun& run) {
    for (std::size_t i = 0; i < run.arrays.size(); ++i) {
      const std::vector<std::byte>& expected = run.arrays[i].bytes;
      if (!std::equal(expected.begin(), expected.end(), copy.shares()[i].values.get()))
        return false;
    }
    return true;
  }
};

TEST_F(StateCopies, HaveTheirMemoryBeforeTheyAreTaken) {
  std::vector<std::byte> byte(1);
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto* const start =
      reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(byte.data()) / page * page);
  if (::madvise(start, page, MADV_POPULATE_WRITE) != 0) {
    GTEST_SKIP() << "the kernel gives out pages to who writes alone";
  }
  MadeUpRun run({128, 128, 64});
  run.set(3);
  const CheckpointSubject subject = run.subject();
  Index bytes = 0;
  for (const MadeUpArray& array : run.arrays) bytes += static_cast<Index>(array.bytes.size());
  StateCopy copy;
  const Index before = resident_bytes();
  copy.reserve(subject, 1, 0);
  for (int n = 0; n < 1000 && resident_bytes() < before + bytes * 9 / 10; ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GE(resident_bytes(), before + bytes * 9 / 10);
  copy.take(subject, {}, 1, 0);
  EXPECT_TRUE(has_values(copy, run));
}

TEST_F(StateCopies, MayBeTakenWhileTheirMemoryIsGivenOut) {
  for (int trial = 0; trial < 20; ++trial) {
    MadeUpRun run({128, 128, 16}), larger({128, 128, 32});
    run.set(trial);
    larger.set(trial);
    StateCopy copy;
    copy.reserve(run.subject(), 1, 0);
    // What a rank has may have grown since.
    MadeUpRun& taken = trial % 2 == 0 ? run : larger;
    copy.take(taken.subject(), {}, 1, 0);
    EXPECT_TRUE(has_values(copy, taken));
  }
}

}  // namespace
}  // namespace goban::state_copy_test
