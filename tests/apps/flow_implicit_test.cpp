// Diffusion across walls that is taken at both ends of a stage; the direct solver; the spectrum.

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "flow/keys.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/simulation/application/application.hpp"
#include "tests/apps/flow_run.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban {

const Application& flow_application();

namespace flow::flow_implicit_test {
namespace {

TEST(FlowImplicit, AParabolaIsFoundByStepsThatWouldBeUnstable) {
  Model model = plane_model(0.1);
  model.edges = {open, walls, open};
  model.acceleration = {0.3, 0.0, 0.0};
  model.implicit_axis = Axis::y;
  const double h = 1.0 / 16;
  const GridOptions grid{.cells = {4, 16, 1}, .spacing = {1, h, 1}};
  model.dt = 0.1;
  EXPECT_GT(model.largest_diffusive_step({1, h, 1}), *model.dt);
  Model without = model;
  without.implicit_axis.reset();
  EXPECT_LT(without.largest_diffusive_step({1, h, 1}), *model.dt / 10);
  SmallFlow<2, double> flow(model, grid);
  flow.run(600);
  for (Index j = 0; j < 16; ++j) {
    const double y = (static_cast<double>(j) + 0.5) * h;
    EXPECT_NEAR(flow.step.faces[0].get({1, j, 0}), 1.5 * (y * (1 - y) + h * h / 4), 1e-9);
  }
}

/// Heated from below between a wall and a lid, in a plane or in a box; the flow after a while.
template <int D>
std::vector<double> convection(const Model& model) {
  Model its = model;
  its.dimensions = D;
  its.viscosity = 0.02;
  const Axis up = D == 2 ? Axis::y : Axis::z;
  const auto a = static_cast<std::size_t>(index_of(up));
  its.edges = {open, open, open};
  its.edges[a] = {Edge::wall, Edge::moving};
  its.wall_velocity = {0.5, 0.0, 0.0};
  its.gravity[a] = -1;
  Scalar scalar{.diffusivity = 0.03, .expansion = 1};
  scalar.boundary.sides[a] = {wall_value(1), wall_value(0)};
  its.scalars = {scalar};
  Real3 waves{1, 0, 0};
  waves[a] = 0.5;
  its.initial = {mode("temperature", 1, waves, {true, true, true}, {1, 1, 1})};
  GridOptions grid{.cells = {8, D == 2 ? 12 : 4, D == 2 ? 1 : 12}, .spacing = {0.125, 0.25, 0.25}};
  grid.spacing.value[a] = 1.0 / 12;
  SmallFlow<D, double> flow(its, grid);
  flow.run(std::lround(1 / *model.dt));
  std::vector<double> all = flow.step.faces[0].copy_out();
  for (const auto* field : {&flow.step.faces[D - 1], &flow.step.scalars[0]}) {
    const std::vector<double> more = field->copy_out();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

double difference(const std::vector<double>& one, const std::vector<double>& other) {
  double most = 0;
  for (std::size_t i = 0; i < one.size(); ++i) most = std::max(most, std::abs(one[i] - other[i]));
  return most;
}

template <int D>
void expect_second_order(TimeScheme scheme, double dt) {
  Model model;
  model.scheme = scheme;
  model.implicit_axis = D == 2 ? Axis::y : Axis::z;
  const auto after = [&](double step) {
    model.dt = step;
    return convection<D>(model);
  };
  const auto coarse = after(dt), fine = after(dt / 2), finest = after(dt / 4);
  EXPECT_NEAR(std::log2(difference(coarse, fine) / difference(fine, finest)), 2, 0.25) << D;
  model.implicit_axis.reset();
  EXPECT_LT(difference(after(dt / 4), finest), difference(fine, finest)) << "another solution";
}

TEST(FlowImplicit, IsOfSecondOrderInTime) {
  expect_second_order<2>(TimeScheme::ab2, 0.02);
  expect_second_order<2>(TimeScheme::rk3, 0.04);
  expect_second_order<3>(TimeScheme::ab2, 0.02);
}

/// The flow of cycles, but for what they leave.
TEST(FlowFourier, FindsThePressureOfTheMultigrid) {
  Model model;
  model.dt = 0.02;
  const auto by_cycles = convection<3>(model);
  model.pressure.solver = PoissonMethod::Solver::fourier;
  EXPECT_LT(difference(convection<3>(model), by_cycles), 1e-6);
}

TEST(FlowFourier, LetsFlowsThrough) {
  Model model = plane_model(0.05);
  model.edges = {Ends{Edge::inflow, Edge::outflow}, walls, open};
  model.inflow_velocity = {1.0, 0.0, 0.0};
  model.speed = 1;
  model.pressure.solver = PoissonMethod::Solver::fourier;
  SmallFlow<2, double> flow(model, {.cells = {25, 9, 1}, .spacing = 0.125});
  flow.run(20);
  flow.sum_up();
  EXPECT_LT(flow.step.divergence.value(), 1e-11);
  EXPECT_GT(flow.step.faces[0].get({25, 4, 0}), 0.5);
}

/// The vortices of the cases on few cells, with changes.
struct FewVortices {
  Runtime runtime{one_thread()};
  std::unique_ptr<Setup> setup;

  explicit FewVortices(std::vector<std::string> changes) {
    for (const char* few : {"grid.cells=16", "grid.spacing=0.39269908", "time.end=100"}) {
      changes.emplace_back(few);
    }
    changes.emplace_back("output.picture=[]");
    CaseSchema schema;
    flow_application().declare(schema);
    setup = flow_application().setup(
        read_case(schema, std::string(GOBAN_SOURCE_DIR) + "/cases/flow/vortices.toml", changes),
        runtime);
  }
};

TEST(FlowStepLength, ThatTheSchemeDoesNotHold_EndsTheRunWithALine) {
  const FewVortices flow({"time.dt=1"});
  EXPECT_THAT(test::error_of([&] { flow.setup->simulation().run(); }),
              ::testing::HasSubstr("the time step is too long (the Courant number is "));
}

/// Too few sweeps leave a flow that gains and loses volume; by default it does not.
TEST(FlowPressure, AFlowThatIsNotIncompressible_IsWarnedOf) {
  const auto summary = [](std::vector<std::string> changes) {
    const test::ScratchFolder folder;
    changes.emplace_back("time.steps=3");
    changes.emplace_back("initial.0.functions=sine");
    const FewVortices flow(changes);
    flow.setup->simulation().options().directory = folder.path().string();
    flow.setup->simulation().run();
    return nlohmann::json::parse(std::ifstream(folder / "summary.json"));
  };
  const auto rough = summary({"pressure.solver=jacobi", "pressure.iterations=1"});
  EXPECT_GT(rough["results"]["relative_divergence"], 1e-3);
  ASSERT_EQ(rough["warnings"].size(), 1u);
  EXPECT_THAT(rough["warnings"][0].get<std::string>(),
              ::testing::HasSubstr("the flow is not incompressible"));
  const auto usual = summary({});
  EXPECT_LT(usual["results"]["relative_divergence"], 2e-6);
  EXPECT_FALSE(usual.contains("warnings"));
}

/// The energy of the vortices lies in waves of length 2 pi / sqrt 3.
TEST(FlowSpectrum, IsWrittenWithItsEnergy) {
  const test::ScratchFolder folder;
  const FewVortices flow({"time.steps=2", "output.spectrum.every=1"});
  flow.setup->simulation().options().directory = folder.path().string();
  flow.setup->simulation().run();
  for (const int step : {0, 2}) {
    const CsvTable table =
        read_csv(folder / ("vortices_spectrum.000000" + std::to_string(step) + ".csv"));
    const auto& energy = table.values.at(table.column("E"));
    const double width = table.values.at(table.column("k"))[1];
    EXPECT_NEAR(width, 1, 1e-6);
    EXPECT_NEAR(energy[2] * width, 0.125, 0.01);
    double others = -energy[2];
    for (const double one : energy) others += one;
    EXPECT_NEAR(others, 0, 0.01);
  }
}

TEST(FlowSpectrum, BetweenWallsIsRefused) {
  EXPECT_THAT(test::error_of([] {
                FewVortices({"boundary.y=wall", "output.spectrum.at_end=true"});
              }),
              ::testing::HasSubstr("there is no spectrum (the grid is not periodic along y)"));
}

}  // namespace
}  // namespace flow::flow_implicit_test
}  // namespace goban
