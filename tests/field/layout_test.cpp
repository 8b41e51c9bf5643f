#include "goban/field/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/error_text.hpp"

namespace goban::layout_test {
namespace {

FieldRecord record(ElementType type, int components, std::array<int, 3> order) {
  FieldRecord field;
  field.name = "u";
  field.type = type;
  field.components = components;
  field.order = order;
  return field;
}

const Extents no_halo{};
const Extents uneven{{1, 2, 3}, {4, 0, 2}};
constexpr ElementType all_types[] = {ElementType::uint8, ElementType::half, ElementType::int32,
                                     ElementType::float32, ElementType::float64};

TEST(Layout, FirstAxisOfTheOrderHasStrideOne) {
  const auto xyz = make_layout(record(ElementType::float32, 1, ijk::order), {7, 5, 3}, no_halo);
  EXPECT_EQ(xyz.stride[0], 1);
  EXPECT_LT(xyz.stride[1], xyz.stride[2]);
  const auto zxy = make_layout(record(ElementType::float32, 1, kij::order), {7, 5, 3}, no_halo);
  EXPECT_EQ(zxy.stride[2], 1);
  EXPECT_LT(zxy.stride[0], zxy.stride[1]);
}

/// More bytes than 63 bits count would look like few.
TEST(Layout, WhatNoMachineHasIsRefused) {
  constexpr Index two31 = Index{1} << 31;
  for (const Index3 cells :
       {Index3{two31, two31 / 2, 1}, Index3{two31, two31, 1}, Index3{two31 * two31 / 2 * 3, 1, 1},
        Index3{1, two31 * two31 / 4, 1}, Index3{two31, 1, two31}}) {
    for (const int components : {1, 27}) {
      EXPECT_EQ(test::error_of([&] {
                  make_layout(record(ElementType::float64, components, ijk::order), cells, uneven);
                }),
                "field 'u' does not fit into memory (no machine has more than 50 PB for it); take "
                "fewer cells");
    }
  }
}

TEST(Layout, RowsOfOwnedCellsStartOn64Bytes) {
  for (ElementType type : all_types) {
    for (const auto& order : {ijk::order, kij::order}) {
      const auto layout = make_layout(record(type, 3, order), {7, 5, 3}, uneven);
      const auto size = static_cast<Index>(size_of(type));
      for (int c = 0; c < 3; ++c) {
        for (Index m = -1; m < 4; ++m) {
          Index3 cell{};
          cell[order[1]] = m;
          const Index element = layout.origin + c * layout.component_stride + layout.offset(cell);
          EXPECT_EQ(element * size % 64, 0) << name_of(type) << " row " << m;
        }
      }
    }
  }
}

TEST(Layout, LongRowsStartOnPairsOfLongLines) {
  for (const Index cells : {512, 1024}) {
    const auto layout =
        make_layout(record(ElementType::float32, 1, ijk::order), {cells, 5, 3}, uneven, 128);
    const Index step = cells == 1024 ? 256 : 128;
    EXPECT_EQ(layout.stride[1] * 4 % step, 0) << cells;
    EXPECT_EQ(layout.origin * 4 % step, 0) << cells;
    EXPECT_LT(layout.stride[1] * 4, cells * 4 + 2 * step) << cells;
  }
}

TEST(Layout, AllAllocatedCellsOfAllComponentsHaveElementsOfTheirOwn) {
  for (const auto& order : {ijk::order, kij::order}) {
    const auto layout = make_layout(record(ElementType::float64, 2, order), {5, 4, 3}, uneven);
    std::set<Index> seen;
    Box box = layout.allocated();
    for (Index& u : box.upper) ++u;  // the last wall face
    Index cells = 0;
    for (int c = 0; c < 2; ++c) {
      for (Index z = box.lower[2]; z < box.upper[2]; ++z) {
        for (Index y = box.lower[1]; y < box.upper[1]; ++y) {
          for (Index x = box.lower[0]; x < box.upper[0]; ++x) {
            seen.insert(layout.origin + c * layout.component_stride + layout.offset({x, y, z}));
            ++cells;
          }
        }
      }
    }
    EXPECT_EQ(static_cast<Index>(seen.size()), cells);
  }
}

/// Kernels load whole registers: the pack of any allocated cell, and those beside it.
TEST(Layout, PacksAroundEveryAllocatedCellLieInsideTheAllocation) {
  for (ElementType type : all_types) {
    const auto size = static_cast<Index>(size_of(type));
    const Index pack = 64 / size;
    for (const Extents& halo : {no_halo, uneven, Extents{{70, 1, 1}, {70, 1, 1}}}) {
      for (Index n : {1, 5, 64, 65}) {
        const auto layout = make_layout(record(type, 2, ijk::order), {n, 3, 2}, halo);
        const Box box = layout.allocated();
        const Index first = layout.origin + layout.offset(box.lower);
        const Index3 last_cell{box.upper[0], box.upper[1], box.upper[2]};  // the last wall node
        const Index last = layout.origin + layout.component_stride + layout.offset(last_cell);
        const Index low = round_down(box.lower[0], pack) - box.lower[0] - pack;
        EXPECT_GE((first + low) * size, 0) << name_of(type) << " " << n;
        EXPECT_LE((round_down(last, pack) + 2 * pack) * size, static_cast<Index>(layout.bytes))
            << name_of(type) << " " << n;
      }
    }
  }
}

/// From anywhere in its ring.
TEST(Layout, ComponentsInPlaceFitTheirRings) {
  for (ElementType type : all_types) {
    const auto size = static_cast<Index>(size_of(type));
    FieldRecord field = record(type, 3, ijk::order);
    field.in_place = true;
    const auto layout = make_layout(field, {65, 3, 2}, uneven, 128, 4096);
    const Index pack = 64 / size;
    const Box box = layout.allocated();
    const Index first = layout.origin + layout.offset(box.lower);
    const Index last = layout.origin + layout.ring - 1 + layout.offset(box.upper);
    EXPECT_GE(first - 2 * pack, 0) << name_of(type);
    EXPECT_LE(last + 2 * pack, 2 * layout.ring) << name_of(type);
    EXPECT_EQ(layout.ring * size % 4096, 0);
    EXPECT_EQ(layout.ring * size * 3, static_cast<Index>(layout.bytes));
  }
}

TEST(Layout, ComponentsStartAtDifferentPlacesOfAPage) {
  const auto layout =
      make_layout(record(ElementType::float32, 19, ijk::order), {32, 32, 32}, uneven);
  std::set<Index> places;
  for (int c = 0; c < 19; ++c) places.insert(c * layout.component_stride * 4 % 4096);
  EXPECT_EQ(places.size(), 19u);
}

/// A load that follows a store to the same place of another page waits for it.
TEST(Layout, FieldsAreFarApartWithinAPage) {
  constexpr Index page = 4096, line = 64;
  for (const Index n : {64, 96, 128, 192, 256, 320, 384, 500, 512, 768, 1000, 1024, 2048}) {
    const auto layout =
        make_layout(record(ElementType::float32, 1, ijk::order), {n, n, n}, {{1, 1, 1}, {1, 1, 1}});
    const Index step = page_step(layout);
    EXPECT_EQ(step % line, 0) << n;
    const Index row = layout.stride[1] * 4, plane = layout.stride[2] * 4;
    for (const Index neighbor : {Index{0}, row, -row, plane, -plane}) {
      const Index apart = ((step - neighbor) % page + page) % page;
      EXPECT_GE(std::min(apart, page - apart), 3 * line) << n;
    }
  }
}

}  // namespace
}  // namespace goban::layout_test
