// What is known of a halo while cells are written, exchanged and sent.

#include "goban/lowering/component_halo.hpp"

#include <gtest/gtest.h>

#include "goban/field/record.hpp"

namespace goban::component_halo_test {
namespace {

using Constants = std::array<ComponentHalo::Constants, 3>;
constexpr Extents wide{{2, 2, 2}, {2, 2, 2}}, narrow{{1, 1, 1}, {1, 1, 1}};
constexpr Extents along_x{{2, 0, 0}, {2, 0, 0}};
const ComponentHalo::Constants walls = std::array<double, 2>{0.5, 1.5};

TEST(ComponentHalo, ConstantsBeyondTheGridStayValid) {
  ComponentHalo halo;
  halo.make(wide, false, {walls, walls, {}});
  halo.outdate({false, true, true});
  EXPECT_EQ(halo.valid, along_x) << "what patches join along y, z is periodic";
}

TEST(ComponentHalo, ANarrowerExchangeTakesNothingAway) {
  ComponentHalo halo;
  halo.make(wide, true, {});
  halo.make(narrow, false, {});
  EXPECT_EQ(halo.valid, wide);
  EXPECT_TRUE(halo.corners);
  EXPECT_EQ(halo.made, wide);
}

TEST(ComponentHalo, OneExchangeMadeAllThatCountsAsMade) {
  ComponentHalo halo;
  halo.make(along_x, true, {walls, {}, {}});
  halo.outdate({true, true, true});
  // The corners between both are nobody's.
  halo.make(narrow, true, {walls, {}, {}});
  EXPECT_EQ(halo.made, narrow);
}

TEST(ComponentHalo, OtherConstantsOrCornersAreMadeAnew) {
  ComponentHalo halo;
  halo.make(wide, false, {walls, walls, walls});
  halo.make(narrow, true, {walls, walls, walls});
  EXPECT_EQ(halo.made, narrow);
  EXPECT_TRUE(halo.corners);
  halo.make(wide, true, {walls, walls, walls});
  halo.make(narrow, true, {walls, walls, {}});
  EXPECT_EQ(halo.made, narrow);
}

TEST(ComponentHalo, RowsThatMoveTakeConstantsAtTheirEndsAlong) {
  ComponentHalo halo;
  halo.make(wide, true, {walls, {}, {}});
  ComponentHalo moved = halo;
  moved.move_rows(0, true);
  EXPECT_EQ(moved.valid, along_x);
  EXPECT_EQ(moved.constants, (Constants{walls, {}, {}}));
  EXPECT_FALSE(moved.corners) << "rows in the halo are new";
  EXPECT_EQ(moved.made, Extents{});
  moved = halo;
  moved.move_rows(0, false);
  EXPECT_EQ(moved, ComponentHalo{}) << "rows from the halo have other ends";
  halo = {};
  halo.make(wide, false, {walls, {}, {}});
  halo.move_rows(0, true);
  EXPECT_EQ(halo, ComponentHalo{}) << "nor were corners made";
}

TEST(ComponentHalo, ConstantsReachCornersWhereOtherSidesCopyOrHoldTheSame) {
  const auto along_rows = [](const BoundarySet& boundary) {
    FieldRecord field;
    field.boundary = {boundary};
    return field.has_constants_at_corners(0, 0);
  };
  EXPECT_TRUE(along_rows({constant(0.5), periodic, mirror}));
  EXPECT_TRUE(along_rows({constant(0.5), constant(0.5), periodic}));
  EXPECT_FALSE(along_rows({constant(0.5), constant(0.25), periodic}));
  EXPECT_FALSE(along_rows({constant(0.5), periodic, gradient(0.125)}));
  EXPECT_FALSE(along_rows({constant(0.5), wall_value(0.5), periodic}));
  EXPECT_FALSE(along_rows({mirror, periodic, periodic}));
}

}  // namespace
}  // namespace goban::component_halo_test
