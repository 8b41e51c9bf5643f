#include "goban/backend/host/mirrored_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "goban/base/error.hpp"

namespace goban::mirrored_memory_test {
namespace {

class MirroredMemoryOf : public testing::TestWithParam<Index> {};

TEST_P(MirroredMemoryOf, ShowsEveryByteTwice) {
  const MirroredMemory memory(GetParam());
  const Index page = sysconf(_SC_PAGESIZE);
  ASSERT_GE(memory.size(), GetParam());
  ASSERT_LT(memory.size(), GetParam() + page);
  ASSERT_EQ(memory.size() % page, 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % page, 0u);

  auto* const data = reinterpret_cast<volatile unsigned char*>(memory.data());
  for (Index i = 0; i < 2 * memory.size(); ++i) ASSERT_EQ(+data[i], 0);
  for (Index i = 0; i < memory.size(); ++i) {
    data[i] = static_cast<unsigned char>(i * 7 + 1);
    ASSERT_EQ(+data[i + memory.size()], (i * 7 + 1) % 256);
    data[i + memory.size()] = static_cast<unsigned char>(i * 13 + 5);
    ASSERT_EQ(+data[i], (i * 13 + 5) % 256);
  }
}

TEST(MirroredMemory, IsCountedTwiceBySystemsAndSaysSo) {
  const Index before = MirroredMemory::most_counted_twice();
  Index most = 0;
  {
    MirroredMemory memory(before + (Index{8} << 20));
    const MirroredMemory moved = std::move(memory);
    most = MirroredMemory::most_counted_twice();
    EXPECT_GE(most, moved.size());
  }
  const MirroredMemory small(1);
  EXPECT_EQ(MirroredMemory::most_counted_twice(), most);
}

INSTANTIATE_TEST_SUITE_P(, MirroredMemoryOf, testing::Values(1, 4096, 4097, 100000));

TEST(MirroredMemory, IsARingThatIsWrittenStraight) {
  const MirroredMemory memory(4096);
  const Index size = memory.size();
  std::vector<std::byte> text(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) text[i] = static_cast<std::byte>(i % 251);
  const Index start = size - 100;
  std::memcpy(memory.data() + start, text.data(), text.size());
  for (Index i = 0; i < size; ++i) ASSERT_EQ(memory.data()[(start + i) % size], text[i]);
}

TEST(MirroredMemory, IsPrivateToEachObject) {
  const MirroredMemory a(1), b(1);
  a.data()[0] = std::byte{1};
  EXPECT_EQ(b.data()[0], std::byte{0});
}

TEST(MirroredMemory, Moves) {
  MirroredMemory a(1);
  a.data()[3] = std::byte{42};
  MirroredMemory b(std::move(a));
  EXPECT_EQ(a.data(), nullptr);
  EXPECT_EQ(a.size(), 0);
  EXPECT_EQ(b.data()[3], std::byte{42});
  MirroredMemory c;
  c = std::move(b);
  EXPECT_EQ(c.data()[c.size() + 3], std::byte{42});
  EXPECT_EQ(b.data(), nullptr);
  c = MirroredMemory(1);
  EXPECT_EQ(c.data()[3], std::byte{0});
}

TEST(MirroredMemory, LeavesNoMappingsOrFilesBehind) {
  const auto mappings = [] {
    std::ifstream maps("/proc/self/maps");
    int count = 0;
    for (std::string line; std::getline(maps, line);)
      count += line.find("memfd:goban") != std::string::npos;
    return count;
  };
  const auto files = [] {
    const std::filesystem::directory_iterator open("/proc/self/fd");
    return std::distance(begin(open), end(open));
  };
  const auto files_before = files();
  {
    const MirroredMemory a(1), b(100000);
    EXPECT_EQ(mappings(), 4);
    EXPECT_EQ(files(), files_before);
  }
  EXPECT_EQ(mappings(), 0);
}

TEST(MirroredMemory, RefusesSizesThatCannotBeHad) {
  EXPECT_THROW(MirroredMemory(0), Error);
  EXPECT_THROW(MirroredMemory(-1), Error);
  try {
    MirroredMemory memory(Index{1} << 62);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::resources);
    EXPECT_NE(std::string(error.what()).find("mirrored memory"), std::string::npos);
  }
}

}  // namespace
}  // namespace goban::mirrored_memory_test
