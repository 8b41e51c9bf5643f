// From the keys of a case to the numbers of a model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "goban/goban.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/runtime/runtime.hpp"
#include "lbm/cell.hpp"
#include "lbm/keys.hpp"
#include "lbm/step.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::lbm::lbm_case_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Model model_of(const std::vector<std::string>& more = {}) {
  CaseSchema schema;
  declare_keys(schema);
  const std::string text =
      "app = \"lbm\"\n[grid]\ncells = [20, 10, 1]\nspacing = \"2 mm\"\n[time]\nsteps = 1\n"
      "[flow]\nviscosity = 1e-6\nspeed = 0.1\n[scheme]\nlattice = \"D2Q9\"\n";
  return read_model(parse_case(schema, text, "flow.toml", more));
}

std::string error_of_model(const std::vector<std::string>& more) {
  return test::error_of([&] { model_of(more); });
}

/// Cells of this type.
Index count(const Model& model, Index3 cells, double spacing, std::uint8_t type) {
  Runtime runtime;
  Grid grid(runtime, {.cells = cells, .spacing = spacing, .boundary = model.population_boundary()});
  const auto types = model.types(*grid.state(), {{0, 0, 0}, cells});
  return std::count(types.begin(), types.end(), type);
}

TEST(LbmCase, UnitsAreThoseOfTheLattice) {
  const Model model =
      model_of({"flow.force=[5, 0, 0]", "flow.density=1000", "boundary.x=[\"inflow\", \"outflow\"]",
                "boundary.y=moving", "boundary.wall_velocity=[0.05, 0, 0]",
                "boundary.inflow_velocity=[0.2, 0, 0]"});
  const double dt = 0.1 * 2e-3 / 0.1;  // lattice speed, spacing, speed
  EXPECT_DOUBLE_EQ(model.time_unit, dt);
  EXPECT_NEAR(model.viscosity(), 1e-6 * dt / 4e-6, 1e-15);
  EXPECT_NEAR(model.force[0], 5 / 1000.0 * dt * dt / 2e-3, 1e-15);
  EXPECT_NEAR(model.wall_velocity[0], 0.05, 1e-15);
  EXPECT_NEAR(model.inflow_velocity[0], 0.2, 1e-15);
  EXPECT_EQ(model_of({"time.dt=1e-3"}).time_unit, 1e-3);
}

/// A smaller time step takes tau nearer to 1/2, where flows blow up.
TEST(LbmCase, AFlowThatBlewUpIsToldWhatHelpsIt) {
  const auto advice = [](double tau, double lattice_speed, Model::Collision collision) {
    Model model;
    model.tau = tau;
    model.collision = collision;
    return model.advice_on_divergence(lattice_speed);
  };
  EXPECT_EQ(advice(0.5003, 0.1, Model::Collision::trt),
            "tau is 0.5003, too near 1/2 for this flow: try finer cells or a larger "
            "flow.viscosity, or scheme.collision = \"smagorinsky\"");
  EXPECT_EQ(advice(0.5003, 0.02, Model::Collision::smagorinsky),
            "tau is 0.5003, too near 1/2 for this flow: try finer cells or a larger "
            "flow.viscosity, a larger scheme.lattice_speed");
  EXPECT_THAT(advice(0.5003, 0.3, Model::Collision::trt),
              HasSubstr("0.3 cells a step, which is high: make scheme.lattice_speed (or time.dt)"));
  EXPECT_THAT(advice(0.7, 0.1, Model::Collision::bgk), HasSubstr("as they should be"));
}

TEST(LbmCase, FieldsOfFilesAreWhatAFlowStartsWith) {
  const test::ScratchFolder folder;
  const Index3 cells = {20, 10, 1};
  std::vector<std::string> keys{"flow.density=1000"};
  const auto write = [&](const std::string& name, double first, double step) {
    Array array(ElementType::float64, cells);
    const auto values = array.as<double>();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = first + step * static_cast<double>(i);
    write_npy(folder / name, array.view());
    keys.push_back("initial." + name.substr(0, name.find('.')) + "=" + (folder / name).string());
  };
  write("velocity_x.npy", 0.01, 1e-4);
  write("velocity_y.npy", -0.01, 2e-4);
  write("density.npy", 999, 0.01);
  const Model model = model_of(keys);
  Runtime runtime;
  Grid grid(runtime, {.cells = cells, .spacing = 2e-3, .boundary = model.population_boundary()});
  FlowStep<D2Q9, double, ijk> step(grid, model);
  StepClock clock;
  Engine(step.observation()).run(1, clock);
  EXPECT_NEAR(step.velocity.get({3, 2, 0}, 0), 0.01 + 43e-4, 1e-12);
  EXPECT_NEAR(step.velocity.get({3, 2, 0}, 1), -0.01 + 86e-4, 1e-12);
  EXPECT_NEAR(step.density.get({3, 2, 0}) * 1000, 999.43, 1e-9);
}

TEST(LbmCase, LidsAndInflows_LieBesideTheSizeOfTheGrid) {
  CaseSchema schema;
  declare_keys(schema);
  const auto grid_of = [&](const std::vector<std::string>& more) {
    return grid_options(parse_case(
        schema,
        "app = \"lbm\"\n[grid]\nsize = [0.04, 0.02, 0]\nspacing = \"2 mm\"\n[flow]\n"
        "viscosity = 1e-6\n[boundary]\nx = [\"inflow\", \"outflow\"]\ny = [\"wall\", \"moving\"]\n",
        "flow.toml", more));
  };
  const GridOptions coarse = grid_of({}), fine = grid_of({"grid.spacing=1 mm"});
  EXPECT_EQ(coarse.cells, (Index3{22, 11, 1}));
  EXPECT_EQ(fine.cells, (Index3{42, 21, 1}));
  EXPECT_DOUBLE_EQ(coarse.origin[0], -2e-3);
  EXPECT_DOUBLE_EQ(fine.origin[0], -1e-3);
  EXPECT_EQ(coarse.origin[1], 0);
}

TEST(LbmCase, TauGivesTheViscosityOrTheTimeStep) {
  const auto with_tau = [](const std::string& more) {
    CaseSchema schema;
    declare_keys(schema);
    return read_model(parse_case(schema,
                                 "app = \"lbm\"\n[grid]\ncells = [20, 10, 1]\nspacing = 2e-3\n"
                                 "[time]\nsteps = 1\n[scheme]\nlattice = \"D2Q9\"\ntau = 0.8\n" +
                                     more,
                                 "flow.toml"));
  };
  const Model by_speed = with_tau("[flow]\nspeed = 0.1\n");
  EXPECT_EQ(by_speed.tau, 0.8);
  EXPECT_DOUBLE_EQ(by_speed.time_unit, 0.1 * 2e-3 / 0.1);
  const Model by_viscosity = with_tau("[flow]\nspeed = 1e-3\nviscosity = 1e-6\n");
  EXPECT_EQ(by_viscosity.tau, 0.8);
  EXPECT_DOUBLE_EQ(by_viscosity.time_unit, 0.1 * 4e-6 / 1e-6);
  EXPECT_THAT(test::error_of([&] { with_tau("lattice_speed = 0.1\n[flow]\nviscosity = 1e-6\n"); }),
              HasSubstr("flow.viscosity and scheme.tau give the time step"));
  EXPECT_THAT(test::error_of([] {
                CaseSchema schema;
                declare_keys(schema);
                read_model(parse_case(schema,
                                      "app = \"lbm\"\n[grid]\ncells = [4, 4, 4]\nspacing = 1\n"
                                      "[time]\nsteps = 1\n",
                                      "flow.toml"));
              }),
              HasSubstr("the fluid has no viscosity"));
}

TEST(LbmCase, WhatDrivesTheFlow_MayVaryInTime) {
  const Model model =
      model_of({"flow.force=[\"5 * t\", 0, 0]", "flow.density=1000", "boundary.y=moving",
                "boundary.wall_velocity=[\"10 cm/s * sin(pi*t/(8 s))\", 0, 0]"});
  ASSERT_TRUE(model.drive.has_value());
  EXPECT_EQ(model.force[0], 0);
  EXPECT_NEAR(model.drive->force[0].at(2),
              2 * model_of({"flow.force=[5, 0, 0]", "flow.density=1000"}).force[0], 1e-18);
  EXPECT_NEAR(model.drive->wall_velocity[0].at(4), 0.1, 1e-15);
  EXPECT_FALSE(model_of({"flow.force=[5, 0, 0]"}).drive.has_value());
}

TEST(LbmCase, SidesHoldPressuresInPascal) {
  const Model model =
      model_of({"boundary.x=[\"pressure 0.1 Pa\", \"pressure 1 Pa*sin(t)\"]", "flow.density=1000"});
  EXPECT_EQ(model.edges[0][0], Edge::pressure);
  const double unit = 1000 * model.speed_unit() * model.speed_unit();
  EXPECT_NEAR(model.excess[0][0].at(5), 3 * 0.1 / unit, 1e-15);
  EXPECT_NEAR(model.excess[0][1].at(2), 3 * std::sin(2.0) / unit, 1e-15);
  EXPECT_EQ(count(model, {20, 10, 1}, 2e-3, cell::outflow), 20);
  EXPECT_THAT(error_of_model({"boundary.x=[\"pressure\", \"pressure 0\"]"}),
              HasSubstr("\"pressure\" is refused"));
  EXPECT_THAT(error_of_model({"boundary.x=[\"outflow 3\", \"wall\"]"}),
              HasSubstr("outflow takes no value"));
  EXPECT_THAT(error_of_model({"boundary.x=[\"pressure 1e6\", \"outflow\"]"}),
              HasSubstr("the fluid is to be nearly incompressible"));
}

TEST(LbmCase, PlanesOfFlowRates_AreTheCellsTheyLieIn) {
  const Model model = model_of({"flow_rate=[{name=\"middle\", axis=\"y\", position=0.011}]"});
  ASSERT_EQ(model.planes.size(), 1u);
  EXPECT_EQ(model.planes[0].index, 5);
  EXPECT_THAT(error_of_model({"flow_rate=[{name=\"far\", position=1}]"}),
              HasSubstr("the plane lies outside the grid"));
  const std::string edge = "flow_rate=[{name=\"in\", position=0.001}]";
  EXPECT_EQ(model_of({edge}).planes[0].index, 0);
  EXPECT_THAT(error_of_model({edge, "boundary.x=[\"inflow\", \"outflow\"]"}),
              HasSubstr("no fluid is there"));
}

TEST(LbmCase, SidesThatMoveOrFlow_FillALayer) {
  const Model model =
      model_of({"boundary.x=[\"inflow\", \"outflow\"]", "boundary.y=[\"wall\", \"moving\"]"});
  EXPECT_EQ(count(model, {20, 10, 1}, 2e-3, cell::wall), 20);
  EXPECT_EQ(count(model, {20, 10, 1}, 2e-3, cell::inflow), 9);
  EXPECT_EQ(count(model, {20, 10, 1}, 2e-3, cell::outflow), 9);
  EXPECT_EQ(count(model, {20, 10, 1}, 2e-3, cell::fluid), 18 * 9);
}

TEST(LbmCase, Bodies_CoverTheCellsWithTheirCentresInside) {
  const Model model =
      model_of({"obstacle=[{shape=\"box\", lower=[0, 0, 0], upper=[0.01, 0.004, 1]},"
                "{shape=\"cylinder\", center=[0.02, 0.01, 0], radius=\"2 mm\"}]"});
  EXPECT_EQ(count(model, {20, 10, 1}, 2e-3, cell::obstacle), 5 * 2 + 4);
  EXPECT_FALSE(model.is_all_fluid());
  EXPECT_TRUE(model_of().is_all_fluid());
}

TEST(LbmCase, Sphere_HasItsVolume) {
  Model model;
  model.solids.bodies = {SolidBody{.center = {16, 16, 16}, .radius = 12}};
  EXPECT_NEAR(static_cast<double>(count(model, {32, 32, 32}, 1, cell::obstacle)) /
                  (4.0 / 3 * 3.141592653589793 * 12 * 12 * 12),
              1, 0.01);
}

TEST(LbmCase, Image_IsSolidWhereItIsNotZero) {
  const test::ScratchFolder folder;
  std::string bytes(200, '\0');
  bytes[0] = bytes[21] = bytes[199] = 1;
  const fs::path file = folder.store("solid.raw", bytes);
  const Model model = model_of({"solid.image=" + file.string()});
  EXPECT_EQ(count(model, {20, 10, 1}, 2e-3, cell::obstacle), 3);
  EXPECT_THAT(error_of_model({"solid.image=" + file.string(), "grid.cells=[20, 11, 1]"}),
              HasSubstr("20 x 11 x 1"));
}

TEST(LbmCase, Surface_IsSolidInside) {
  // A tetrahedron with corners at the origin and 6 cells along each axis.
  const test::ScratchFolder folder;
  const fs::path file = folder / "body.stl";
  const char* corners[] = {"0 0 0", "6 0 0", "0 6 0", "0 0 6"};
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::ofstream stl(file);
  stl << "solid body\n";
  for (const auto& face : faces) {
    stl << "facet normal 0 0 0\nouter loop\n";
    for (const int corner : face) stl << "vertex " << corners[corner] << "\n";
    stl << "endloop\nendfacet\n";
  }
  stl << "endsolid body\n";
  stl.close();
  const Model model = model_of({"solid.stl=" + file.string(), "scheme.lattice=D3Q19",
                                "grid.cells=[8, 8, 8]", "grid.spacing=1"});
  // Centres i + 1/2 with i + j + k + 3/2 < 6.
  EXPECT_EQ(count(model, {8, 8, 8}, 1, cell::obstacle), 35);
}

TEST(LbmCase, ParabolicInflow_IsLargestOnTheAxisAndZeroAtTheWalls) {
  Model model = model_of({"boundary.x=[\"inflow\", \"outflow\"]", "boundary.y=wall",
                          "boundary.inflow_profile=parabolic"});
  EXPECT_DOUBLE_EQ(model.inflow_profile({0, 5, 0}, {20, 11, 1}), 1);
  EXPECT_DOUBLE_EQ(model.inflow_profile({0, 0, 0}, {20, 10, 1}), 4 * 0.05 * 0.95);
}

TEST(LbmCase, ValuesThatDoNotFitTogether_AreRefused) {
  EXPECT_THAT(error_of_model({"grid.cells=[20, 10, 2]"}), HasSubstr("D2Q9 is refused"));
  EXPECT_THAT(error_of_model({"grid.spacing=[1, 1, 2]"}), HasSubstr("cells are not cubes"));
  EXPECT_THAT(error_of_model({"boundary.x=[\"periodic\", \"wall\"]"}),
              HasSubstr("one side alone is periodic"));
  EXPECT_THAT(error_of_model({"boundary.x=wal"}), HasSubstr("did you mean wall"));
  EXPECT_THAT(error_of_model({"time.dt=1"}), HasSubstr("cells per step is refused"));
  EXPECT_THAT(error_of_model({"run.precision=half", "run.layout=kij"}),
              HasSubstr("made for ijk alone"));
  EXPECT_THAT(error_of_model({"obstacle=[{shape=\"sphere\"}]"}), HasSubstr("has no radius"));
  EXPECT_THAT(error_of_model({"scheme.storage=in_place", "boundary.y=wall"}),
              HasSubstr("walls are refused in place"));
  EXPECT_THAT(error_of_model({"scheme.storage=in_place"}), HasSubstr("made for D3Q19"));
}

TEST(LbmCase, CommittedCases_CanBeRead) {
  Index read = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(GOBAN_SOURCE_DIR) / "cases/lbm")) {
    if (entry.path().extension() != ".toml") continue;
    CaseSchema schema;
    declare_keys(schema);
    EXPECT_GT(read_model(read_case(schema, entry.path())).tau, 0.5) << entry.path();
    ++read;
  }
  EXPECT_GE(read, 6);
}

}  // namespace
}  // namespace goban::lbm::lbm_case_test
