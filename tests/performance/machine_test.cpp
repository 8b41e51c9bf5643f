#include "goban/performance/measure/machine.hpp"
#include "tests/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace goban::machine_test {
namespace {

namespace fs = std::filesystem;

TEST(Machine, IsReadFromTheFilesOfTheSystem) {
  const test::ScratchFolder root;
  const auto write = [&](const std::string& path, const std::string& text) {
    root.store(path, text);
  };
  write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Abacus 3000 v2\nflags\t: fpu\n");
  write("proc/meminfo", "MemTotal:  1000 kB\nMemAvailable:  600 kB\n");
  write("sys/devices/system/cpu/online", "0-5,8,10-11\n");
  const std::string cpu = "sys/devices/system/cpu/cpu", node = "sys/devices/system/node/";
  for (const int core : {0, 1, 2, 3, 4, 5, 8, 10, 11}) {
    write(cpu + std::to_string(core) + "/topology/physical_package_id", core < 8 ? "0" : "1");
  }
  write(node + "online", "0-1\n");
  write(node + "node0/cpulist", "0-5\n");
  write(node + "node0/meminfo", "Node 0 MemFree: 1 kB\nNode 0 MemTotal:  700 kB\n");
  write(node + "node1/cpulist", "8,10-11\n");
  write(node + "node1/meminfo", "Node 1 MemTotal:  300 kB\nNode 1 MemFree: 1 kB\n");
  const std::string caches = "sys/devices/system/cpu/cpu0/cache/";
  const char* const fields[][4] = {{"1", "Data", "48K", "0"},
                                   {"1", "Instruction", "64K", "0"},
                                   {"2", "Unified", "2048K", "0-1"},
                                   {"3", "Unified", "32M", "0-5,8"}};
  for (int i = 0; i < 4; ++i) {
    const std::string cache = caches + "index" + std::to_string(i) + "/";
    write(cache + "level", fields[i][0]);
    write(cache + "type", fields[i][1]);
    write(cache + "size", fields[i][2]);
    write(cache + "shared_cpu_list", fields[i][3]);
  }

  const Machine machine = inspect_machine(root.path());
  EXPECT_EQ(machine.processor, "Abacus 3000 v2");
  EXPECT_EQ(machine.logical_cores, 9);
  EXPECT_EQ(machine.sockets, 2);
  ASSERT_EQ(machine.nodes.size(), 2u);
  EXPECT_EQ(machine.nodes[0].logical_cores, 6);
  EXPECT_EQ(machine.nodes[0].bytes, 700 * 1024);
  EXPECT_EQ(machine.nodes[1].logical_cores, 3);
  EXPECT_EQ(machine.nodes[1].bytes, 300 * 1024);
  EXPECT_EQ(machine.memory_total, 1000 * 1024);
  EXPECT_EQ(machine.memory_available, 600 * 1024);
  ASSERT_EQ(machine.caches.size(), 4u);
  EXPECT_EQ(machine.cache_bytes(1), 48 * 1024);
  EXPECT_EQ(machine.cache_bytes(2), 2 << 20);
  EXPECT_EQ(machine.caches[2].shared_by, 2);
  EXPECT_EQ(machine.caches[3].shared_by, 7);
  EXPECT_EQ(machine.last_level_cache_bytes(), 32 << 20);
  EXPECT_EQ(machine.cache_bytes(4), 0);
}

TEST(Machine, IsUnknownWhereTheSystemTellsNothing) {
  const Machine machine = inspect_machine(test::ScratchFolder() / "no_such_folder");
  EXPECT_EQ(machine.processor, "unknown");
  EXPECT_EQ(machine.logical_cores, 1);
  EXPECT_EQ(machine.sockets, 1);
  EXPECT_TRUE(machine.nodes.empty());
  EXPECT_TRUE(machine.caches.empty());
  EXPECT_EQ(machine.last_level_cache_bytes(), 0);
}

TEST(Machine, IsPlausibleHere) {
  const Machine machine = inspect_machine();
  EXPECT_GE(machine.logical_cores, 1);
  EXPECT_GT(machine.memory_total, Index{1} << 24);
  EXPECT_GT(machine.memory_available, 0);
  EXPECT_GE(machine.page_size, 4096);
}

TEST(Machine, OfArmIsKnownByTheNumbersOfItsMakerAndPart) {
  const test::ScratchFolder root;
  root.store("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n");
  EXPECT_EQ(inspect_machine(root.path()).processor, "ARM 0x41:0xd4f");
}

}  // namespace
}  // namespace goban::machine_test
