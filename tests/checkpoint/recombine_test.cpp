// Any members of a group that parity covers are made again, bit for bit, and more are refused.

#include "goban/checkpoint/nodes/recombine.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <map>
#include <random>

#include "goban/base/error.hpp"
#include "goban/io/file/file.hpp"
#include "tests/error_text.hpp"
#include "tests/long.hpp"
#include "tests/ranks.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::recombine_test {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

/// The files of a group, in memory as they should be and on disk.
class Group {
 public:
  Group(const fs::path& folder, int data, int parity, const std::vector<Index>& sizes)
      : folder_(folder) {
    files_.parity = parity;
    std::mt19937 random(5);
    for (int m = 0; m < data + parity; ++m) {
      Bytes part(static_cast<std::size_t>(sizes[static_cast<std::size_t>(m) % sizes.size()]));
      for (std::byte& byte : part) byte = static_cast<std::byte>(random());
      files_.parts.push_back({0, static_cast<Index>(part.size()), path_of(m, false)});
      files_.parities.push_back({-1, 0, path_of(m, true)});
      parts_.push_back(part);
      store(path_of(m, false), part);
    }
    const auto lost = files_;
    std::vector<int> all(static_cast<std::size_t>(files_.size()));
    for (int m = 0; m < files_.size(); ++m) {
      parities_.push_back(made(lost, m, true));
      store(path_of(m, true), parities_.back());
      files_.parities[static_cast<std::size_t>(m)].reader = 0;
      files_.parities[static_cast<std::size_t>(m)].bytes =
          static_cast<Index>(parities_.back().size());
    }
  }

  int size() const { return files_.size(); }
  Index bytes_of_parity() const { return files_.parities.front().bytes; }

  /// Whether all that members in this set of bits had is made from what the others have.
  bool survives(std::uint64_t lost) const {
    GroupFiles left = files_;
    for (int m = 0; m < size(); ++m) {
      if ((lost >> m & 1) == 0) continue;
      if (left.parts[static_cast<std::size_t>(m)].bytes > 0) {
        left.parts[static_cast<std::size_t>(m)].reader = -1;
      }
      left.parities[static_cast<std::size_t>(m)].reader = -1;
    }
    for (int m = 0; m < size(); ++m) {
      if ((lost >> m & 1) == 0) continue;
      const auto n = static_cast<std::size_t>(m);
      if (made(left, m, false) != parts_[n] || made(left, m, true) != parities_[n]) return false;
    }
    return true;
  }

 private:
  fs::path path_of(int member, bool is_parity) const {
    return folder_ / ((is_parity ? "parity" : "part") + std::to_string(member));
  }
  static void store(const fs::path& path, const Bytes& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  static Bytes made(const GroupFiles& left, int member, bool is_parity) {
    Bytes bytes;
    const auto write = [&](Index offset, const std::byte* piece, Index count) {
      bytes.resize(std::max(bytes.size(), static_cast<std::size_t>(offset + count)));
      std::copy_n(piece, count, bytes.begin() + offset);
    };
    recombine(*self_communicator(), {left}, {{0, member, is_parity, 0, write}});
    return bytes;
  }

  fs::path folder_;
  GroupFiles files_;
  std::vector<Bytes> parts_, parities_;
};

TEST(ParityGroups, SurviveTheLossOfAnyMembersThatParityCovers) {
  const std::vector<std::vector<Index>> sizes = {
      {0}, {1}, {31}, {64}, {65535}, {65537}, {1000, 0, 777}, {300001, 4, 299999, 0, 65536}};
  for (const auto& [data, parity] : std::vector<std::pair<int, int>>{
           {1, 1}, {2, 1}, {4, 1}, {4, 2}, {6, 2}, {8, 2}, {8, 3}, {8, 4}}) {
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      // Every choice of small files; of large ones a few, unless there is time.
      const bool is_large = *std::max_element(sizes[s].begin(), sizes[s].end()) > 2000;
      const test::ScratchFolder folder(test::ScratchPlace::memory);
      const Group group(folder.path(), data, parity, sizes[s]);
      int tried = 0;
      for (std::uint64_t lost = 1; lost < std::uint64_t{1} << group.size(); ++lost) {
        if (std::popcount(lost) > parity) continue;
        if (is_large && tried >= test::in_short_or_long(4, 1000)) break;
        ++tried;
        ASSERT_TRUE(group.survives(lost))
            << data << " + " << parity << ", sizes " << s << ", lost " << lost;
      }
    }
  }
}

/// Offsets in parts and parity are more than 32 bits count. The files are mostly holes.
TEST(ParityGroups, HoldPartsOfMoreThanFourGiB) {
  if (!test::is_long()) GTEST_SKIP() << "reads 13 GiB: GOBAN_LONG_TESTS=1";
  const test::ScratchFolder folder;
  constexpr Index bytes = (Index{4} << 30) + 100'003;
  const std::vector<Index> marked{0, 12345, (Index{2} << 30) + 1, Index{1} << 32, bytes - 1};
  const auto make_file = [&](const std::string& name) {
    const fs::path path = folder.store(name, "");
    fs::resize_file(path, static_cast<std::uintmax_t>(bytes));
    return path;
  };
  GroupFiles group;
  group.parity = 1;
  for (int m = 0; m < 2; ++m) {
    const fs::path path = make_file("part" + std::to_string(m));
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    for (const Index at : marked) file.seekp(at).put(static_cast<char>(1 + m + at % 251));
    group.parts.push_back({0, bytes, path});
    group.parities.emplace_back();
  }
  const auto written_to = [](std::fstream& file) {
    return [&file](Index offset, const std::byte* piece, Index count) {
      if (std::all_of(piece, piece + count, [](std::byte b) { return b == std::byte{0}; })) return;
      file.seekp(offset).write(reinterpret_cast<const char*>(piece), count);
    };
  };
  const auto make = [&](int member, bool is_parity, const std::string& name) {
    const fs::path path = make_file(name);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    recombine(*self_communicator(), {group}, {{0, member, is_parity, 0, written_to(file)}});
    return path;
  };
  const fs::path parity = make(1, true, "parity1");
  group.parities[1] = {0, group.chunk_bytes(), parity};
  fs::resize_file(parity, static_cast<std::uintmax_t>(group.chunk_bytes()));
  group.parts[0].reader = -1;
  std::ifstream again(make(0, false, "again"), std::ios::binary);
  for (const Index at : marked) {
    EXPECT_EQ(again.seekg(at).get(), static_cast<unsigned char>(1 + at % 251)) << at;
  }
  EXPECT_EQ(again.seekg(12346).get(), 0);
}

TEST(ParityGroups, RefuseWhenMoreIsLost) {
  const test::ScratchFolder folder(test::ScratchPlace::memory);
  const Group group(folder.path(), 4, 2, {1000});
  for (std::uint64_t lost = 0; lost < 64; ++lost) {
    if (std::popcount(lost) <= 2) continue;
    EXPECT_EQ(test::refusal(ExitCode::no_checkpoint, [&] { group.survives(lost); }),
              "more than 2 of 6 members of a group are lost");
  }
}

TEST(ParityGroups, TakeAsMuchSpaceAsParityIs) {
  const test::ScratchFolder folder(test::ScratchPlace::memory);
  const Group group(folder.path(), 8, 2, {800000});
  EXPECT_NEAR(static_cast<double>(group.bytes_of_parity()) / 800000, 2.0 / 8, 0.01 * 2 / 8);
}

/// Files lie with the ranks of their members; the last rank makes what the first has lost.
TEST(ParityGroups, ExchangeRowsBetweenRanks) {
  const test::ScratchFolder folder(test::ScratchPlace::memory);
  constexpr int ranks = 4;
  std::map<int, Bytes> parities;
  std::mutex mutex;
  const auto path_of = [&](int rank) { return folder / ("part" + std::to_string(rank)); };
  std::vector<std::string> contents;
  for (int rank = 0; rank < ranks; ++rank) {
    contents.emplace_back(static_cast<std::size_t>(700000 + 1000 * rank),
                          static_cast<char>('a' + rank));
    folder.store("part" + std::to_string(rank), contents.back());
  }
  const auto write_to = [](Bytes& bytes) {
    return [&bytes](Index offset, const std::byte* piece, Index count) {
      bytes.resize(std::max(bytes.size(), static_cast<std::size_t>(offset + count)));
      std::copy_n(piece, count, bytes.begin() + offset);
    };
  };
  test::run_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
    GroupFiles group;
    std::vector<WantedFile> wanted;
    Bytes own;
    for (int rank = 0; rank < ranks; ++rank) {
      const bool is_own = rank == communicator->rank();
      group.parts.push_back({rank, 700000 + 1000 * rank, is_own ? path_of(rank) : fs::path()});
      group.parities.emplace_back();
      wanted.push_back({0, rank, true, rank, {}});
      if (is_own) wanted.back().write = write_to(own);
    }
    recombine(*communicator, {group}, wanted);
    const fs::path parity = folder / ("parity" + std::to_string(communicator->rank()));
    std::ofstream(parity, std::ios::binary)
        .write(reinterpret_cast<const char*>(own.data()), static_cast<std::streamsize>(own.size()));
    for (int rank = 0; rank < ranks; ++rank) group.parities[rank] = {rank, 1, parity};
    group.parts[0].reader = -1;
    Bytes again;
    WantedFile lost{0, 0, false, ranks - 1, {}};
    if (communicator->rank() == ranks - 1) lost.write = write_to(again);
    recombine(*communicator, {group}, {lost});
    if (communicator->rank() != ranks - 1) return;
    EXPECT_TRUE(std::equal(
        again.begin(), again.end(), reinterpret_cast<const std::byte*>(contents[0].data()),
        reinterpret_cast<const std::byte*>(contents[0].data()) + contents[0].size()));
  });
}

}  // namespace
}  // namespace goban::recombine_test
