#include "goban/backend/host/control_group.hpp"
#include "tests/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <string>

namespace goban::control_group_test {
namespace {

namespace fs = std::filesystem;

/// A made-up /proc/self/cgroup and /sys/fs/cgroup.
class ControlGroupOf : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) { root_.store(path, text); }
  ControlGroup group() const { return ControlGroup(root_ / "membership", root_ / "mount"); }

  const test::ScratchFolder root_;
};

TEST_F(ControlGroupOf, NothingDoesNotLimit) {
  EXPECT_FALSE(group().cores());
  EXPECT_FALSE(group().memory_limit());
  EXPECT_FALSE(group().memory_available());
}

TEST_F(ControlGroupOf, VersionTwoTakesTheTightestLevel) {
  write("membership", "0::/batch/job\n");
  write("mount/batch/job/cpu.max", "max 100000\n");
  write("mount/batch/cpu.max", "250000 100000\n");
  write("mount/batch/job/memory.max", "1000000\n");
  write("mount/batch/job/memory.current", "600000\n");
  write("mount/batch/job/memory.stat", "anon 1\ninactive_file 100000\nfile 5\n");
  write("mount/batch/memory.max", "3000000\n");
  write("mount/batch/memory.current", "2900000\n");
  EXPECT_EQ(group().cores(), 2.5);
  EXPECT_EQ(group().memory_limit(), 1000000);
  EXPECT_EQ(group().memory_available(), 100000);
}

TEST_F(ControlGroupOf, VersionTwoWithoutLimitsDoesNotLimit) {
  write("membership", "0::/\n");
  write("mount/cpu.max", "max 100000\n");
  write("mount/memory.max", "max\n");
  EXPECT_FALSE(group().cores());
  EXPECT_FALSE(group().memory_limit());
}

TEST_F(ControlGroupOf, VersionOneIsReadPerController) {
  write("membership", "4:memory:/job\n3:cpu,cpuacct:/job\n1:name=systemd:/\n");
  write("mount/cpu/job/cpu.cfs_quota_us", "150000\n");
  write("mount/cpu/job/cpu.cfs_period_us", "100000\n");
  write("mount/cpu/cpu.cfs_quota_us", "-1\n");
  write("mount/cpu/cpu.cfs_period_us", "100000\n");
  write("mount/memory/job/memory.limit_in_bytes", "5000000\n");
  write("mount/memory/job/memory.usage_in_bytes", "2000000\n");
  write("mount/memory/job/memory.stat", "total_inactive_file 500000\n");
  write("mount/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(group().cores(), 1.5);
  EXPECT_EQ(group().memory_limit(), 5000000);
  EXPECT_EQ(group().memory_available(), 3500000);
}

TEST_F(ControlGroupOf, AContainerFindsItsLimitsAtTheRoot) {
  write("membership", "0::/only/the/host/sees/this\n");
  write("mount/cpu.max", "400000 100000\n");
  EXPECT_EQ(group().cores(), 4.0);
}

TEST_F(ControlGroupOf, ProcessMemoryIsThatOfTheMachineWithinTheLimits) {
  write("proc/meminfo", "MemTotal:  8000 kB\nMemFree:  10 kB\nMemAvailable:  6000 kB\n");
  EXPECT_EQ(process_memory(root_.path()).total, 8000 * 1024);
  EXPECT_EQ(process_memory(root_.path()).available, 6000 * 1024);
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "5000000\n");
  write("sys/fs/cgroup/memory.current", "1000000\n");
  EXPECT_EQ(process_memory(root_.path()).total, 5000000);
  EXPECT_EQ(process_memory(root_.path()).available, 4000000);
}

TEST(ProcessMemory, IsNoMoreThanTheMachineHas) {
  const Index machine = Index{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  EXPECT_LE(process_memory().total, machine);
  EXPECT_LE(process_memory().available, process_memory().total);
}

}  // namespace
}  // namespace goban::control_group_test
