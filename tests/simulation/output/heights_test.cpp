// Levels that follow the ground: places by height, pictures with the hill in them.

#include "goban/simulation/output/levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "goban/goban.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/io/picture/value_range.hpp"
#include "goban/simulation/output/interpolation.hpp"
#include "tests/error_text.hpp"
#include "tests/png_file.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::heights_test {
namespace {

constexpr double lid = 8;

/// The second of four columns stands on ground 2 high; levels flatten linearly.
double face(Index3 cell) {
  const double ground = cell[0] == 1 ? 2 : 0, s = static_cast<double>(cell[2]);
  return s + ground * (1 - s / lid);
}

class Heights : public SmallRuns {
 protected:
  Heights()
      : grid_(runtime_, {.cells = {4, 1, 8}, .origin = {10, 0, 0}, .boundary = mirror}),
        u_(grid_, "u"),
        field_(u_, "m") {
    u_.fill([](Index3 cell) { return (face(cell) + face(cell + Index3{0, 0, 1})) / 2; });
    field_.set_vertical(std::make_shared<const Vertical>(Vertical{.face = &face}));
  }
  /// The picture across y that a run of no step leaves.
  Image picture_of(const AnyField& field) {
    Simulation simulation(grid_, Program("levels"),
                          {.steps = 0, .directory = root_.string(), .measure_bandwidth = false});
    simulation.picture(field, {.axis = Axis::y, .colors = Colormap::sequential}, at_end());
    simulation.run();
    return test::read_png(root_ / "levels_u_y.0000000.png");
  }

  Runtime runtime_;
  Grid grid_;
  Field<double> u_;
  AnyField field_;
};

TEST_F(Heights, NodesOfSnapshotsStandOnTheGround) {
  Simulation simulation(grid_, Program("levels"),
                        {.steps = 0, .directory = root_.string(), .measure_bandwidth = false});
  simulation.output({field_}, at_end());
  simulation.run();
  const Array nodes = read_npy(root_ / "levels_u.nodes.npy");
  EXPECT_EQ(nodes.extents, (Index3{5, 2, 9}));
  for (Index i = 0; i < 5; ++i) {
    const double ground = i == 1 || i == 2 ? 1 : 0;  // half of it to either side
    EXPECT_EQ(nodes.at(i, 1, 0, 0), 10 + static_cast<double>(i));
    EXPECT_EQ(nodes.at(i, 1, 0, 1), 1);
    EXPECT_EQ(nodes.at(i, 0, 0, 2), ground);
    EXPECT_EQ(nodes.at(i, 0, 4, 2), 4 + ground / 2);
    EXPECT_EQ(nodes.at(i, 1, 8, 2), lid);
  }
  std::ifstream index(root_ / "levels_u.xdmf");
  const std::string text{std::istreambuf_iterator<char>(index), {}};
  EXPECT_THAT(text, ::testing::HasSubstr("levels_u.nodes.npy"));
  field_.set_vertical(nullptr);
  EXPECT_FALSE(nodes_of(field_));
}

TEST_F(Heights, PlacesAreHeights) {
  for (const double x : {10.5, 11.5, 11.8, 12.1}) {
    for (const double z : {3.2, 5.0, 7.1}) {
      const Position place{x, 0.5, z};
      EXPECT_NEAR(interpolated(field_, {&place, 1})[0], z, 1e-12) << x;
      EXPECT_NEAR(value_at(field_, place).value(), z, 0.5) << x;
    }
  }
  EXPECT_DOUBLE_EQ(on_grid(u_, {11.5, 0.5, 1}).z, 1) << "levels that are flat";
}

TEST_F(Heights, PlacesInTheGroundAreRefused) {
  const auto refusal = [&](double x, double z) {
    return test::error_of([&] { check_inside(field_, {x, 0.5, z}); });
  };
  EXPECT_EQ(refusal(11.5, 2.01), "");
  EXPECT_THAT(refusal(11.5, 1.99), ::testing::HasSubstr("the ground lies at 2 there"));
  EXPECT_EQ(refusal(12.0, 1.01), "");
  EXPECT_NE(refusal(12.0, 0.99), "") << "half-way between ground 2 and 0 high";
  EXPECT_EQ(refusal(13.0, 0.01), "");
}

TEST_F(Heights, RowsOfAPictureAreOfOneHeight) {
  const auto plane = u_.copy_out();
  const ArrayView view = dense_view(plane.data(), {4, 1, 8});
  const Array rows = by_height(field_, view, Axis::y, 0, -1);
  ASSERT_EQ(rows.extents, (Index3{4, 1, 32}));
  for (Index i = 0; i < 4; ++i) {
    for (Index n = 0; n < 32; ++n) {
      const double height = 0.25 * (static_cast<double>(n) + 0.5), found = rows.at(i, 0, n);
      if (i == 1 && height < 2) {
        EXPECT_EQ(found, -1);
      } else {
        EXPECT_NEAR(found, height, 0.5);
      }
    }
  }
}

TEST_F(Heights, PicturesShowTheHill) {
  const Image image = picture_of(field_);
  const Color ground =
      ValueColors(Colormap::sequential, {0, 1}).at(std::numeric_limits<double>::quiet_NaN());
  Index grey = 0;
  for (Index y = 0; y < image.height; ++y) {
    for (Index x = 0; x < image.width / 2; ++x) {
      const std::uint8_t* p = image.at(x, y);
      if (Color{p[0], p[1], p[2]} == ground) ++grey;
    }
  }
  EXPECT_GT(grey, 1000);
}

TEST_F(Heights, DepthsGrowDownwards) {
  const auto height_of_largest = [&] {
    const Image image = picture_of(field_);
    for (Index y = 0; y < image.height; ++y) {
      for (Index x = 0; x < image.width / 2; ++x) {
        const std::uint8_t* p = image.at(x, y);
        if (Color{p[0], p[1], p[2]} == color_at(Colormap::sequential, 1)) return y;
      }
    }
    return image.height;
  };
  field_ = AnyField(u_);
  const Index up = height_of_largest();
  field_.set_vertical(std::make_shared<const Vertical>(Vertical{.points_down = true}));
  EXPECT_GT(height_of_largest(), up + 300);
}

}  // namespace
}  // namespace goban::heights_test
