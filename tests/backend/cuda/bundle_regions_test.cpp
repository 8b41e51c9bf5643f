#include "goban/backend/cuda/launch/bundle_regions.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

namespace goban::cuda::bundle_regions_test {
namespace {

using device::BundleRegion;
using Cell = std::array<int, 3>;  // of packs, rows, planes

/// Which parts each cell is of, counted by the threads of all blocks.
std::map<Cell, std::uint32_t> taken(const std::vector<BundleRegion>& regions, int pack) {
  std::map<Cell, std::uint32_t> all;
  for (const BundleRegion& r : regions) {
    const auto along = [&](int axis) {
      const int of_pack = axis == 0 ? pack : 1;
      return (r.high[axis] - r.low[axis]) / of_pack;
    };
    const auto [x, y, z] = r.threads;
    const unsigned int blocks_z = (static_cast<unsigned int>(along(2)) + z - 1) / z;
    for (unsigned int k = 0; k < blocks_z * z; ++k) {
      for (unsigned int j = 0; j < r.blocks[1] * y; ++j) {
        for (unsigned int i = 0; i < r.blocks[0] * x; ++i) {
          const Cell at{static_cast<int>(i), static_cast<int>(j), static_cast<int>(k)};
          if (at[0] >= along(0) || at[1] >= along(1) || at[2] >= along(2)) continue;
          const Cell cell{r.low[0] / pack + at[0], r.low[1] + at[1], r.low[2] + at[2]};
          EXPECT_TRUE(all.emplace(cell, r.parts).second) << "twice";
        }
      }
    }
  }
  return all;
}

TEST(BundleRegions, EveryPackOfAPartIsTakenOnceWithAllItsParts) {
  std::mt19937 random(1);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  for (int trial = 0; trial < 50; ++trial) {
    const int pack = 1 << number(0, 2), count = number(2, 6);
    const std::array<int, 3> order = trial % 2 == 0 ? std::array{0, 1, 2} : std::array{2, 1, 0};
    std::vector<Box> parts;
    for (int p = 0; p < count; ++p) {
      Box& box = parts.emplace_back();
      for (int a = 0; a < 3; ++a) {
        box.lower[a] = number(-3, 20);
        box.upper[a] = box.lower[a] + number(1, 15);
      }
    }
    std::map<Cell, std::uint32_t> expected;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Box& box = parts[p];
      std::map<Cell, std::uint32_t> own;
      for (Index k = box.lower[order[2]]; k < box.upper[order[2]]; ++k) {
        for (Index j = box.lower[order[1]]; j < box.upper[order[1]]; ++j) {
          for (Index i = box.lower[order[0]]; i < box.upper[order[0]]; ++i) {
            own[{static_cast<int>(round_down(i, pack) / pack), static_cast<int>(j),
                 static_cast<int>(k)}] = 1u << p;
          }
        }
      }
      for (const auto& [cell, bit] : own) expected[cell] |= bit;
    }
    std::vector<std::size_t> all(parts.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    auto regions = regions_of(parts, {all}, order, pack);
    const int threads = 64 << number(0, 2);
    const unsigned int blocks = share_out(regions, pack, threads, 32);
    unsigned int first = 0;
    for (const BundleRegion& region : regions) {
      EXPECT_EQ(region.first_block, first);
      const auto& [x, y, z] = region.threads;
      EXPECT_LE(x * y * z, static_cast<unsigned int>(threads));
      first += region.blocks[0] * region.blocks[1] *
               ((static_cast<unsigned int>(region.high[2] - region.low[2]) + z - 1) / z);
    }
    EXPECT_EQ(blocks, first);
    EXPECT_EQ(taken(regions, pack), expected);
  }
}

TEST(BundleRegions, BoxesOfMostPartsComeFirst) {
  const std::vector<Box> parts{
      {{0, 0, 0}, {64, 32, 24}}, {{8, 0, 0}, {16, 32, 24}}, {{0, 0, 16}, {64, 32, 24}}};
  const auto regions = regions_of(parts, {{0, 1, 2}}, {0, 1, 2}, 4);
  ASSERT_EQ(regions.size(), 6u);
  EXPECT_EQ(regions[0].parts, 7u);
  EXPECT_EQ(regions[0].low[2], 16);
  EXPECT_EQ(regions[0].high[2], 24);
  EXPECT_EQ(regions[5].parts, 1u);
  const auto wide = regions_of(parts, {{0, 1, 2}}, {0, 1, 2}, 16);
  EXPECT_EQ(wide[0].low[0], 0);
  EXPECT_EQ(wide[0].high[0], 16) << "rows are not cut finer";
}

TEST(BundleRegions, AreNoneBetweenPartsThatLieApart) {
  const std::vector<Box> parts{{{0, 0, 0}, {8, 8, 8}}, {{40, 0, 0}, {48, 8, 8}}};
  EXPECT_EQ(regions_of(parts, {{0, 1}}, {0, 1, 2}, 4).size(), 2u);
}

TEST(BundleRegions, OfGroupsOverlap) {
  const std::vector<Box> parts(3, Box{{0, 0, 0}, {8, 8, 8}});
  const auto regions = regions_of(parts, {{0, 2}, {1}}, {0, 1, 2}, 4);
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions[0].parts, 5u);
  EXPECT_EQ(regions[1].parts, 2u);
  EXPECT_EQ(regions[1].high[2], 8);
}

}  // namespace
}  // namespace goban::cuda::bundle_regions_test
