// From the keys of a case to a vessel, and cases that are none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "blood/keys.hpp"
#include "goban/goban.hpp"
#include "goban/io/case/read.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::blood::blood_case_test {
namespace {

using ::testing::HasSubstr;

const std::string pipe = R"(
[[segment]]
begin = ["4 mm", "5 mm", "5 mm"]
end = ["16 mm", "5 mm", "5 mm"]
radius = "2.5 mm"
)";
const std::string openings = R"(
[[opening]]
name = "in"
kind = "flow"
flow = "1e-6 m3/s"
center = ["4 mm", "5 mm", "5 mm"]
normal = [-2, 0, 0]
radius = "2.5 mm"
[[opening]]
name = "out"
kind = "pressure"
pressure = "10 Pa"
center = ["16 mm", "5 mm", "5 mm"]
normal = [1, 0, 0]
radius = "2.5 mm"
)";

VesselCase case_of(const std::string& more, const std::vector<std::string>& words = {}) {
  CaseSchema schema;
  declare_keys(schema);
  const std::string text =
      "app = \"blood\"\n[grid]\ncells = [40, 20, 20]\nspacing = \"0.5 mm\"\n[time]\nsteps = 1\n";
  return read_case(parse_case(schema, text + more, "vessel.toml", words));
}

std::string error_of(const std::string& more, const std::vector<std::string>& words = {}) {
  return test::error_of([&] { case_of(more, words); });
}

TEST(BloodCase, UnitsAreThoseOfTheLattice) {
  const VesselCase all = case_of(pipe + openings);
  EXPECT_DOUBLE_EQ(all.model.time_unit, 0.05 * 5e-4 / 0.5);
  EXPECT_NEAR(all.model.viscosity(), 3.3e-6 * all.model.time_unit / 2.5e-7, 1e-15);
  EXPECT_EQ(all.model.openings.size(), 2u);
  EXPECT_EQ(all.model.openings[0].normal[0], -1);
  EXPECT_NEAR(all.model.excess_at(10), 3 * 10 / (1060 * 100.0), 1e-12);
  EXPECT_EQ(all.pipe_radius, 2.5e-3);
  EXPECT_NEAR(all.pipe_length, 12e-3, 1e-15);
  EXPECT_GT(all.vessel->fluid.size(), 1700);  // 24 layers of pi 25 / 4 cells
  EXPECT_LT(all.vessel->fluid.size(), 2000);
}

TEST(BloodCase, OpeningsOfATree_GoByTheirNames) {
  const std::string tree =
      "[tree]\nradius = \"2 mm\"\nroot = [\"3 mm\", \"5 mm\", \"5 mm\"]\nlength_ratio = 1.8\n";
  const std::string ends =
      "[[opening]]\nname = \"inlet\"\nkind = \"velocity\"\nspeed = 0.1\n[[opening]]\nname = "
      "\"outlet_*\"\npressure = 3\n";
  const VesselCase all = case_of(tree + ends);
  ASSERT_EQ(all.model.openings.size(), 3u);
  EXPECT_EQ(all.model.openings[2].name, "outlet_2");
  EXPECT_EQ(all.model.openings[2].value.at(0), 3);
  EXPECT_THAT(error_of(tree),
              HasSubstr("nothing is said of opening inlet (the vessel is open there); "
                        "add an [[opening]] of this name"));
  EXPECT_THAT(error_of(tree + ends + "[[opening]]\nname = \"valve\"\n"),
              HasSubstr("no opening of the vessel is called valve (those left are inlet, outlet_1, "
                        "outlet_2); give its center, normal and radius"));
}

TEST(BloodCase, CenterLinesComeFromTables) {
  const test::ScratchFolder folder;
  const auto file = folder.path() / "lines.csv";
  std::ofstream(file) << "x,y,z,radius,parent\n3,5,5,2,0\n9,5,5,2,1\n16,5,5,2,2\n";
  const std::string keys = "[vessel]\ncenter_lines = \"" + file.string() + "\"\nscale = \"1 mm\"\n";
  const VesselCase all = case_of(keys + "[[opening]]\nname = \"end_*\"\n");
  ASSERT_EQ(all.model.openings.size(), 2u);
  EXPECT_EQ(all.model.openings[1].name, "end_3");
  EXPECT_NEAR(all.model.openings[1].center[0], 16e-3, 1e-15);
  std::ofstream(file) << "x,y,z,radius,parent\n3,5,5,2,0\n9,5,5,2,3\n";
  EXPECT_THAT(error_of(keys), HasSubstr("hangs on no earlier one (its parent is 3)"));
}

TEST(BloodCase, WhatIsNoVessel_IsRefusedInALine) {
  EXPECT_THAT(error_of(openings), HasSubstr("the case has no vessel"));
  EXPECT_THAT(error_of(pipe + openings + "[tree]\nradius = 1\n"),
              HasSubstr("the case has several vessels (tree.radius and segment are given)"));
  EXPECT_THAT(error_of(pipe + openings, {"grid.spacing=[5e-4, 5e-4, 6e-4]"}),
              HasSubstr("cells are not cubes"));
  EXPECT_THAT(error_of(pipe + openings, {"flow.reference_pressure=\"100 kPa\""}),
              HasSubstr("the pressure at out of 10 Pa is refused (it would change the density by"));
  EXPECT_THAT(error_of(pipe + openings, {"grid.cells=[20, 20, 20]"}), HasSubstr("opening 'out'"));
  EXPECT_THAT(
      error_of(pipe + "[[opening]]\nname = \"in\"\nspeed = 1\ncenter = [0, 0, 0]\n"),
      HasSubstr(
          "opening in is refused speed (its kind is pressure); kind = \"velocity\" takes it"));
  EXPECT_THAT(error_of(pipe + "[[opening]]\nname = \"in\"\nkind = \"windkessel\"\n"),
              HasSubstr("opening in is no windkessel"));
  EXPECT_THAT(
      error_of(pipe + openings, {"scheme.relaxation=regularized", "flow.thermal_energy=4e-21"}),
      HasSubstr("thermal fluctuations of regularized fluid are refused (their noise is "
                "that of two rates); leave one of them out"));
}

}  // namespace
}  // namespace goban::blood::blood_case_test
