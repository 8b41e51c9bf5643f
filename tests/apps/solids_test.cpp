// Solids of cases, on a grid.

#include "goban/cases/solids.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "goban/cases/profile.hpp"
#include "goban/cases/side_keys.hpp"
#include "goban/goban.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/simulation/application/common_keys.hpp"
#include "tests/apps/one_thread.hpp"
#include "tests/error_text.hpp"
#include "tests/io/image/shapes.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::solids_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SolidsTest : public ::testing::Test {
 protected:
  /// On 16^3 cells of 1 m.
  SolidExtent extent(const std::vector<std::string>& keys) const {
    CaseSchema schema;
    declare_common(schema, {});
    declare_sides(schema, "sides");
    declare_solids(schema);
    const Case values =
        parse_case(schema,
                   "app = \"flow\"\n[grid]\ncells = [16, 16, 16]\nspacing = 1\n[time]\nsteps = 1\n"
                   "[boundary]\nx = \"wall\"\ny = \"wall\"\nz = \"wall\"\n",
                   folder_ / "solids.toml", keys);
    Runtime runtime(one_thread());
    Grid grid(runtime, {.cells = {16, 16, 16}, .spacing = 1.0});
    return extent_of(read_solids(values), *grid.state());
  }
  std::string refusal(const std::vector<std::string>& keys) const {
    return test::refusal(ExitCode::usage, [&] { extent(keys); });
  }
  void store_box(Corner low, Corner high) const {
    folder_.store("box.stl", binary_stl(box_mesh(low, high)));
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  test::ScratchFolder folder_;
};

TEST_F(SolidsTest, SurfacesAreScaledThenShifted) {
  store_box({2, 2, 2}, {8, 8, 8});
  const std::string stl = "solid.stl=" + file("box.stl");
  EXPECT_EQ(extent({stl}).cells, 216);
  EXPECT_EQ(extent({stl}).shadow, 36);
  EXPECT_EQ(extent({stl, "solid.scale=0.5"}).cells, 27);
  EXPECT_EQ(extent({stl, "solid.scale=0.5", "solid.shift=[-1, 0, 4]"}).cells, 27);
  EXPECT_EQ(extent({stl, "solid.shift=[-4, 0, 0]"}).cells, 4 * 36);
  store_box({2000, 2000, 2000}, {8000, 8000, 8000});
  EXPECT_EQ(extent({stl, "solid.scale=\"1 mm\""}).cells, 216);
}

TEST_F(SolidsTest, SurfacesThatCoverNoCellAreRefusedWithWhereTheyLie) {
  store_box({2000, 2000, 2000}, {8000, 8000, 8000});
  const std::string stl = "solid.stl=" + file("box.stl");
  EXPECT_THAT(refusal({stl}),
              HasSubstr("the surface box.stl, from (2000, 2000, 2000) to (8000, 8000, 8000) m, "
                        "covers no cell (the grid lies from (0, 0, 0) to (16, 16, 16) m); scale it "
                        "(by 0.001 if the file is in mm) and shift it"));
  // Beside other solids, too.
  EXPECT_THAT(refusal({stl, "obstacle=[{shape=\"sphere\", radius=3}]"}),
              HasSubstr("covers no cell"));
  EXPECT_THAT(refusal({"obstacle=[{shape=\"sphere\", radius=3, center=[40, 0, 0]}]"}),
              HasSubstr("the obstacles cover no cell"));
  EXPECT_THAT(refusal({"solid.scale=0.001"}), HasSubstr("there is no surface to move"));
  store_box({2.6f, 2.6f, 2.6f}, {3.4f, 3.4f, 20});  // between the centres of cells
  EXPECT_THAT(refusal({stl}), HasSubstr("covers no cell"));
}

TEST_F(SolidsTest, SurfacesOfProfilesAreScaledAndShiftedAlike) {
  store_box({2000, 2000, 2000}, {8000, 8000, 8000});
  const auto read = [&](const std::string& more) {
    CaseSchema schema;
    declare_common(schema, {});
    declare_sides(schema, "sides");
    declare_profile(schema.tables("source", "heat"), {"box", "stl"});
    const Case values =
        parse_case(schema,
                   "app = \"heat\"\n[grid]\ncells = [16, 16, 16]\nspacing = 1\n[time]\nsteps = 1\n"
                   "[boundary]\nx = \"wall\"\ny = \"wall\"\nz = \"wall\"\n",
                   folder_ / "source.toml", {"source=[{" + more + "}]"});
    return read_profile(values.list("source").at(0), values);
  };
  const std::string stl = "shape=\"stl\", file=\"" + file("box.stl") + "\"";
  const auto inside =
      read(stl + ", scale=0.001, shift=[1, 0, 0]").image->read({{0, 0, 0}, {16, 16, 16}});
  EXPECT_EQ(inside.at(2, 2, 2), 0);
  EXPECT_EQ(inside.at(3, 2, 2), 1);
  EXPECT_EQ(inside.at(8, 7, 7), 1);
  EXPECT_EQ(inside.at(9, 7, 7), 0);
  EXPECT_THAT(test::error_of([&] { read(stl); }), HasSubstr("m, covers no cell"));
  EXPECT_THAT(test::error_of([&] { read("shape=\"box\", scale=2"); }),
              HasSubstr("there is no surface to move"));
}

TEST_F(SolidsTest, BelowHeightsCellsAreSolid) {
  Array heights(ElementType::float32, {16, 16, 1});
  const auto h = heights.as<float>();
  h[3 + 16 * 5] = 4;      // below 4 m the centres of four cells
  h[4 + 16 * 5] = 2.5f;   // the centre at 2.5 m is not below
  h[15 + 16 * 15] = 100;  // all
  write_npy(folder_ / "city.npy", heights.view());
  const SolidExtent city = extent({"solid.heights=" + file("city.npy")});
  EXPECT_EQ(city.cells, 4 + 2 + 16);
  EXPECT_EQ(city.shadow, 4 + 16);
  EXPECT_EQ(extent({"solid.heights=" + file("city.npy"), "grid.origin=[0, 0, 0]",
                    "obstacle=[{shape=\"box\", upper=[1, 1, 1]}]"})
                .cells,
            city.cells + 1);
  write_npy(folder_ / "flat.npy", Array(ElementType::uint8, {16, 16, 1}).view());
  EXPECT_THAT(refusal({"solid.heights=" + file("flat.npy")}),
              AllOf(HasSubstr("what lies below the heights of flat.npy covers no cell"),
                    HasSubstr("heights are z coordinates in m")));
  write_npy(folder_ / "small.npy", Array(ElementType::uint8, {16, 8, 1}).view());
  EXPECT_THAT(refusal({"solid.heights=" + file("small.npy")}), HasSubstr("16 x 8 x 1"));
}

}  // namespace
}  // namespace goban::solids_test
