// From the keys of a case to the numbers of a model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "flow/keys.hpp"
#include "goban/io/case/read.hpp"
#include "tests/error_text.hpp"

namespace goban::flow::flow_case_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Model model_of(const std::vector<std::string>& more = {}) {
  CaseSchema schema;
  declare_keys(schema);
  const std::string text =
      "app = \"flow\"\n[grid]\ncells = [20, 10, 1]\nspacing = \"2 mm\"\n[time]\nsteps = 1\n"
      "[flow]\nviscosity = 1e-6\ndensity = 1000\n";
  return read_model(parse_case(schema, text, "flow.toml", more));
}

std::string error_of_model(const std::vector<std::string>& more) {
  return test::error_of([&] { model_of(more); });
}

TEST(FlowCase, NumbersAreThoseOfTheFluid) {
  const Model model =
      model_of({"flow.force=[5, 0, 0]", "boundary.x=[\"inflow\", \"outflow\"]",
                "boundary.y=[\"slip\", \"wall\"]", "boundary.inflow_velocity=[0.2, 0, 0]"});
  EXPECT_EQ(model.dimensions, 2);
  EXPECT_DOUBLE_EQ(model.acceleration[0].at(0), 5e-3);
  EXPECT_EQ(model.edges[1][0], Edge::slip);
  EXPECT_DOUBLE_EQ(model.speed, 0.2);
  EXPECT_DOUBLE_EQ(model.courant, 0.4);
  EXPECT_EQ(model.pressure.solver, PoissonMethod::Solver::multigrid);
  EXPECT_EQ(model_of({"grid.cells=[8, 8, 8]"}).dimensions, 3);
  EXPECT_DOUBLE_EQ(model_of({"scheme.time=rk3"}).courant, 1.2);
  EXPECT_FALSE(model.pressure.in_single);
  EXPECT_TRUE(model_of({"pressure.corrections=float32"}).pressure.in_single);
  EXPECT_FALSE(model.pressure.gathered_cells);
  EXPECT_EQ(model_of({"pressure.gathered_cells=0"}).pressure.gathered_cells, 0);
}

TEST(FlowCase, SubgridViscosity_IsDampedAtWallsAndShortensSteps) {
  const Model model =
      model_of({"flow.smagorinsky=0.17", "boundary.y=wall", "flow.friction_velocity=0.01"});
  GridState grid;
  grid.cells = {20, 10, 1};
  grid.spacing = {2e-3, 8e-3, 1};
  grid.origin = {};
  // y+ = 25 at 2.5 mm; the edge of a cell is 4 mm.
  EXPECT_NEAR(model.mixing_length({0.01, 2.5e-3, 0}, grid), 0.17 * 4e-3 * (1 - std::exp(-1.0)),
              1e-15);
  EXPECT_NEAR(model.mixing_length({0.01, 0.08 - 2.5e-3, 0}, grid),
              model.mixing_length({0.01, 2.5e-3, 0}, grid), 1e-12);
  EXPECT_NEAR(model.largest_diffusive_step({2e-3, 2e-3, 2e-3}, 2e-6), 4e-6 / (8 * 5e-6), 1e-12);
  EXPECT_NEAR(model_of({"flow.smagorinsky=0.17"}).mixing_length({}, grid), 0.17 * 4e-3, 1e-15);
  EXPECT_EQ(model_of().mixing_length({}, grid), 0);
}

/// AB2 is stable on the real axis down to -1.
TEST(FlowCase, LargestStepOfDiffusion_IsHalfOfEulers) {
  const Model plane = model_of(), box = model_of({"grid.cells=[8, 8, 8]"});
  EXPECT_NEAR(plane.largest_diffusive_step({2e-3, 2e-3, 2e-3}), 4e-6 / (8 * 1e-6), 1e-12);
  EXPECT_NEAR(box.largest_diffusive_step({2e-3, 2e-3, 2e-3}), 4e-6 / (12 * 1e-6), 1e-12);
  EXPECT_NEAR(box.time_step(100, {2e-3, 2e-3, 2e-3}), 0.4 / 100, 1e-12);
}

TEST(FlowCase, ImplicitDiffusion_DoesNotLimitTheStep) {
  const Model model = model_of({"boundary.y=wall", "scheme.implicit_diffusion=y"});
  EXPECT_EQ(model.implicit_axis, Axis::y);
  EXPECT_NEAR(model.largest_diffusive_step({2e-3, 1e-6, 2e-3}), 4e-6 / (4 * 1e-6), 1e-12);
  EXPECT_LT(model.largest_diffusive_step({2e-3, 1e-6, 2e-3}, 1e-6), 1e-6) << "eddies are explicit";
}

TEST(FlowCase, AutomaticSolver_IsThatOfTheCells) {
  using Solver = PoissonMethod::Solver;
  const auto solver = [](const std::string& cells, const std::string& more = "time.steps=1") {
    return model_of({"pressure.solver=automatic", "grid.cells=" + cells, more}).pressure.solver;
  };
  EXPECT_EQ(solver("[20, 10, 1]"), Solver::multigrid);
  EXPECT_EQ(solver("[20, 74, 1]"), Solver::fourier);
  EXPECT_EQ(solver("[37, 16, 16]"), Solver::fourier);
  EXPECT_EQ(solver("[37, 16, 16]", "obstacle=[{shape=\"sphere\", radius=0.004}]"),
            Solver::multigrid);
}

TEST(FlowCase, ScalarsHaveSidesAndNames) {
  const Model model =
      model_of({"boundary.x=wall", "flow.gravity=[0, -9.81, 0]",
                "scalar=[{diffusivity=1e-7, expansion=2e-4, x=[\"wall_value 300 K\", \"mirror\"]},"
                "{name=\"salt\", diffusivity=1e-9}]",
                "initial=[{field=\"salt\", shape=\"box\", value=3},{field=\"velocity_y\", "
                "shape=\"uniform\"}]"});
  ASSERT_EQ(model.scalars.size(), 2u);
  EXPECT_EQ(model.scalars[0].name, "temperature");
  EXPECT_EQ(model.scalars[0].boundary.sides[0][0].value, 300);
  EXPECT_EQ(model.scalars[0].boundary.sides[1][0].kind, periodic_kind);
  EXPECT_EQ(model.scalars[1].boundary.sides[0][0].kind, BoundaryCondition::Kind::mirror);
  ASSERT_EQ(model.initial.size(), 2u);
  EXPECT_EQ(model.initial[0].profile.amplitude, 3);
}

TEST(FlowCase, InitialValues_HaveTheUnitOfTheirField) {
  const auto value = [](const std::string& field, const std::string& text) {
    return std::vector<std::string>{
        "scalar=[{diffusivity=1e-7}]",
        "initial=[{field=\"" + field + "\", shape=\"uniform\", value=" + text + "}]"};
  };
  const auto amplitude = [&](const std::string& field, const std::string& text) {
    return model_of(value(field, text)).initial.at(0).profile.amplitude;
  };
  EXPECT_EQ(amplitude("temperature", "\"292 K\""), 292);
  EXPECT_EQ(amplitude("velocity_x", "\"5 cm/s\""), 0.05);
  EXPECT_EQ(amplitude("temperature", "292"), 292);
  EXPECT_THAT(error_of_model(value("velocity_x", "\"292 K\"")),
              HasSubstr("the value of velocity_x is refused (it is in m/s)"));
  EXPECT_THAT(error_of_model(value("temperature", "\"5 Pa\"")),
              HasSubstr("write a number in m/s or K"));
}

TEST(FlowCase, SidesHaveValuesOfTheirOwn) {
  const Model model =
      model_of({"boundary.x=[\"inflow 20 cm/s\", \"pressure 3 kPa\"]",
                "boundary.y=[\"inflow\", \"inflow sin(t)\"]",
                "boundary.inflow_velocity=[0, 0.1, 0]", "flow.force=[\"2 N/m3 * cos(t)\", 0, 0]"});
  EXPECT_DOUBLE_EQ(model.inflow(0, 0)[0].at(0), 0.2);
  EXPECT_DOUBLE_EQ(model.inflow(1, 0)[1].at(0), 0.1);
  EXPECT_DOUBLE_EQ(model.inflow(1, 1)[1].at(1), -std::sin(1.0));
  EXPECT_EQ(model.edges[0][1], Edge::pressure);
  EXPECT_DOUBLE_EQ(model.side_pressure[0][1].at(5), 3000);
  EXPECT_DOUBLE_EQ(model.speed, 0.2);
  EXPECT_DOUBLE_EQ(model.acceleration[0].at(1), 2e-3 * std::cos(1.0));
  EXPECT_FALSE(
      model_of({"boundary.y=wall", "boundary.x=[\"pressure 1\", \"pressure 0\"]"}).has_types());
}

TEST(FlowCase, SourcesAndPlanesAreRead) {
  const Model model =
      model_of({"scalar=[{diffusivity=1e-7}, {name=\"salt\", diffusivity=1e-9}]",
                "source=[{field=\"salt\", shape=\"sphere\", radius=\"3 mm\", value=\"2 K/s * t\"},"
                "{shape=\"uniform\", value=1}]",
                "flow_rate=[{name=\"middle\", axis=\"x\", position=\"21 mm\"}]"});
  ASSERT_EQ(model.sources.size(), 2u);
  EXPECT_EQ(model.sources[0].scalar, 1u);
  EXPECT_DOUBLE_EQ(model.sources[0].value.at(2), 4);
  EXPECT_EQ(model.sources[1].scalar, 0u);
  ASSERT_EQ(model.planes.size(), 1u);
  EXPECT_EQ(model.planes[0].index, 10);
}

TEST(FlowCase, ValuesThatDoNotFitTogether_AreRefused) {
  const std::string inflow = "boundary.x=[\"inflow\", \"outflow\"]";
  EXPECT_THAT(error_of_model({"boundary.x=[\"periodic\", \"wall\"]"}),
              HasSubstr("one side alone is periodic"));
  EXPECT_THAT(error_of_model({"boundary.x=slipp"}), HasSubstr("did you mean slip"));
  EXPECT_THAT(error_of_model({inflow}), HasSubstr("nothing enters"));
  EXPECT_THAT(error_of_model({"boundary.x=[\"inflow 3 kg\", \"outflow\"]"}),
              HasSubstr("\"inflow 3 kg\" is refused"));
  EXPECT_THAT(error_of_model({"boundary.x=[\"wall 3\", \"wall\"]"}),
              HasSubstr("wall takes no value"));
  EXPECT_THAT(error_of_model({"boundary.x=[\"inflow 1\", \"outflow\"]",
                              "boundary.y=[\"pressure 0\", \"wall\"]"}),
              HasSubstr("outflow sides are refused beside sides that hold a pressure"));
  EXPECT_THAT(error_of_model({"source=[{shape=\"uniform\", value=1}]"}),
              HasSubstr("unknown scalar temperature (there is no [[scalar]])"));
  EXPECT_THAT(error_of_model({"boundary.x=[\"inflow 1\", \"inflow 2\"]",
                              "boundary.y=[\"pressure 0\", \"wall\"]",
                              "initial=[{field=\"velocity_x\", shape=\"inflow\"}]"}),
              HasSubstr("inflow sides have velocities of their own"));
  EXPECT_THAT(error_of_model({"boundary.y=moving", "boundary.wall_velocity=[0, 1, 0]"}),
              HasSubstr("sides across y move, along themselves"));
  EXPECT_THAT(error_of_model({"grid.cells=[20, 3, 1]"}), HasSubstr("3 cells along y are too few"));
  EXPECT_THAT(error_of_model({"grid.cells=[20, 10, 2]"}), HasSubstr("2 cells along z are too few"));
  EXPECT_THAT(error_of_model({"time.dt=1"}), HasSubstr("the scheme is stable up to 0.5 s"));
  EXPECT_THAT(error_of_model({"scheme.courant=1.5"}), HasSubstr("the scheme holds up to 1"));
  EXPECT_THAT(error_of_model({"pressure.iterations=3", "pressure.tolerance=1e-3"}),
              HasSubstr("pressure.iterations says how often"));
  EXPECT_THAT(error_of_model({"pressure.solver=jacobi", "pressure.corrections=float32"}),
              HasSubstr("only multigrid has cycles"));
  EXPECT_THAT(error_of_model({"pressure.solver=jacobi", "pressure.gathered_cells=64"}),
              HasSubstr("pressure.gathered_cells is refused (only multigrid has cycles)"));
  EXPECT_THAT(error_of_model({"pressure.transforms=device"}),
              HasSubstr("pressure.transforms is refused (only fourier transforms)"));
  EXPECT_THAT(error_of_model({"pressure.solver=fourier", "pressure.tolerance=1e-3"}),
              HasSubstr("pressure.tolerance is refused (Fourier transforms solve directly"));
  EXPECT_THAT(
      error_of_model({"pressure.solver=fourier", "obstacle=[{shape=\"sphere\", radius=0.004}]"}),
      HasSubstr("pressure.solver is refused (around solids there are no waves"));
  const std::string implicit = "scheme.implicit_diffusion=y";
  EXPECT_THAT(error_of_model({implicit}),
              HasSubstr("implicit diffusion along y is refused (the grid is periodic along it)"));
  EXPECT_THAT(
      error_of_model({implicit, inflow, "boundary.y=wall", "boundary.inflow_velocity=[1, 0, 0]"}),
      HasSubstr("(there are solids, inflows, outflows or sides that hold a pressure)"));
  EXPECT_THAT(error_of_model({implicit, "boundary.y=wall",
                              "scalar=[{diffusivity=1, y=\"wall_value 1 + sin(t)\"}]"}),
              HasSubstr("(a side of temperature varies)"));
  EXPECT_THAT(error_of_model({"flow.friction_velocity=1", "boundary.y=wall"}),
              HasSubstr("flow.friction_velocity has nothing to do (flow.smagorinsky is 0)"));
  EXPECT_THAT(error_of_model({"flow.friction_velocity=1", "flow.smagorinsky=0.1"}),
              HasSubstr("(no side is a wall)"));
  EXPECT_THAT(error_of_model({"scalar=[{diffusivity=1, expansion=1}]"}),
              HasSubstr("nothing weighs"));
  EXPECT_THAT(error_of_model({"scalar=[{diffusivity=1, x=\"mirror\"}]"}),
              HasSubstr("boundary.x is periodic"));
  EXPECT_THAT(error_of_model({"scalar=[{diffusivity=1}, {diffusivity=2}]"}),
              HasSubstr("two scalars are called temperature"));
  EXPECT_THAT(error_of_model({"initial=[{field=\"velocity_z\", shape=\"uniform\"}]"}),
              HasSubstr("unknown field velocity_z"));
  EXPECT_THAT(error_of_model({"initial=[{field=\"velocity_x\", shape=\"image\"}]"}),
              HasSubstr("velocities lie on faces"));
}

TEST(FlowCase, CommittedCases_CanBeRead) {
  Index read = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(GOBAN_SOURCE_DIR) / "cases/flow")) {
    if (entry.path().extension() != ".toml") continue;
    CaseSchema schema;
    declare_keys(schema);
    EXPECT_GT(read_model(read_case(schema, entry.path())).viscosity, 0) << entry.path();
    ++read;
  }
  EXPECT_GE(read, 10);
}

}  // namespace
}  // namespace goban::flow::flow_case_test
