// Equal bits however the work is cut, ordered and computed, and after a restart.

#include <bit>

#include "goban/simulation/run/simulation.hpp"
#include "tests/apps/flow_run.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::flow::flow_bits_test {
namespace {

/// Inflow, outflow, a lid, a wall, bodies, two scalars that lift the fluid, steps that are chosen.
Model plane_with_everything() {
  Model model = plane_model(0.02);
  model.edges = {Ends{Edge::inflow, Edge::outflow}, {Edge::wall, Edge::moving}, open};
  model.inflow_velocity = {1.0, 0.0, 0.0};
  model.parabolic_inflow = true;
  model.wall_velocity = {0.5, 0.0, 0.0};
  model.speed = 1;
  model.gravity = {0.1, -1, 0};
  model.acceleration = {0.1, 0.0, 0.0};
  for (const char* name : {"temperature", "salt"}) {
    Scalar scalar{.name = name, .diffusivity = 0.03, .expansion = 0.4, .reference = 0.2};
    scalar.boundary = BoundarySet(mirror, wall_value(0.5), periodic);
    model.scalars.push_back(scalar);
    model.initial.push_back(
        {name, Profile{.shape = Profile::Shape::gaussian, .center = {2, 1, 0}, .radius = 0.5}});
  }
  model.initial.push_back({.field = "velocity_x", .profile = {}, .is_inflow = true});
  model.solids.bodies = {SolidBody{.center = {1.3, 1.1, 0.05}, .radius = 0.35}};
  return model;
}
const GridOptions plane{.cells = {40, 24, 1}, .spacing = 0.1};

/// A closed box that is heated, in space.
Model heated_box() {
  Model model;
  model.viscosity = 0.05;
  model.edges = {walls, {Edge::slip, Edge::wall}, open};
  model.gravity = {0, -10, 3};
  Scalar temperature{.diffusivity = 0.05, .expansion = 1};
  temperature.boundary = BoundarySet(wall_value(1), mirror, periodic);
  temperature.boundary.sides[0][1] = wall_value(0);
  model.scalars = {temperature};
  model.initial = {{"velocity_z", Profile{.amplitude = 0.2}}};
  return model;
}
const GridOptions space{.cells = {16, 12, 8}, .spacing = {0.1, 0.12, 0.15}};

template <int D, class T>
test::Experiment experiment(const Model& model, const GridOptions& grid) {
  return [=](const Settings& settings) {
    SmallFlow<D, T> flow(model, grid, settings);
    flow.run(4);
    flow.observe();
    flow.sum_up();
    test::Results results;
    for (const auto& field : flow.step.faces) results[field.name()] = field.checksum();
    for (const auto& field : flow.step.scalars) results[field.name()] = field.checksum();
    results["pressure"] = flow.step.pressure.checksum();
    results["vorticity"] = flow.step.vorticity.checksum();
    const auto keep = [&](const Parameter<double>& number) {
      results[number.name()] = std::bit_cast<std::uint64_t>(number.value());
    };
    for (const auto& number : {flow.step.dt, flow.step.divergence, flow.step.kinetic_energy,
                               flow.step.shear, flow.step.courant_rate}) {
      keep(number);
    }
    for (const auto& number : flow.step.push) keep(number);
    return results;
  };
}

std::vector<Settings> ways(const std::vector<std::array<std::string, 3>>& cuts) {
  test::SettingsProduct product;
  product.cuts = cuts;
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  product.delay_microseconds = 1;
  const std::vector<Settings> all = product.all();
  std::vector<Settings> some;  // every fifth: all pairs of choices
  for (std::size_t i = 0; i < all.size(); i += 5) some.push_back(all[i]);
  return some;
}

TEST(FlowBits, PlaneWithEverything_IsTheSameEveryWay) {
  test::expect_same_bits(experiment<2, double>(plane_with_everything(), plane),
                         ways({{"", "", ""}, {"17,23", "", ""}, {"11,9,20", "14,10", ""}}));
}

TEST(FlowBits, HeatedBoxInFloat_IsTheSameEveryWay) {
  test::expect_same_bits(experiment<3, float>(heated_box(), space),
                         ways({{"", "", ""}, {"7,9", "", ""}, {"", "7,5", "4,4"}}));
}

TEST(FlowBits, HeatedBoxByRungeKuttaAndJacobi_IsTheSameEveryWay) {
  Model model = heated_box();
  model.scheme = TimeScheme::rk3;
  model.dt = 0.01;
  model.pressure = {.solver = PoissonMethod::Solver::jacobi, .iterations = 7};
  test::expect_same_bits(experiment<3, double>(model, space),
                         ways({{"", "", ""}, {"", "5,7", "3,5"}}));
}

TEST(FlowBits, CorrectionsInFloat_AreTheSameEveryWay) {
  Model model = plane_with_everything();
  model.pressure.in_single = true;
  test::expect_same_bits(experiment<2, double>(model, plane),
                         ways({{"", "", ""}, {"11,9,20", "14,10", ""}}));
}

TEST(FlowBits, SubgridViscosity_IsTheSameEveryWay) {
  Model plane_flow = plane_with_everything(), box = heated_box();
  for (Model* model : {&plane_flow, &box}) {
    model->smagorinsky = 0.17;
    model->friction_velocity = 0.5;
  }
  box.scheme = TimeScheme::rk3;
  test::expect_same_bits(experiment<2, double>(plane_flow, plane),
                         ways({{"", "", ""}, {"11,9,20", "14,10", ""}}));
  test::expect_same_bits(experiment<3, float>(box, space),
                         ways({{"", "", ""}, {"", "7,5", "4,4"}}));
}

TEST(FlowBits, ImplicitDiffusionAndFourier_AreTheSameEveryWay) {
  Model box = heated_box(), flow_in_plane = plane_with_everything();
  box.implicit_axis = Axis::y;
  box.scheme = TimeScheme::rk3;
  flow_in_plane.solids = {};
  for (Model* model : {&box, &flow_in_plane}) {
    model->pressure.solver = PoissonMethod::Solver::fourier;
    model->pressure.transforms = FourierTransforms::host;
  }
  test::expect_same_bits(experiment<3, float>(box, space),
                         ways({{"", "", ""}, {"7,9", "", "4,4"}}));
  test::expect_same_bits(experiment<2, double>(flow_in_plane, plane),
                         ways({{"", "", ""}, {"11,9,20", "14,10", ""}}));
}

TEST(FlowBits, GatheredGrids_AreTheSameOnRanks) {
  const auto run = experiment<3, float>(heated_box(), space);
  const test::Results expected = run(test::plainest());
  for (const std::optional<Index> cells : {std::optional<Index>(), {0}, {200}, {5000}}) {
    Model model = heated_box();
    model.pressure.gathered_cells = cells;
    test::run_ranks(3, [&](const std::shared_ptr<Communicator>& communicator) {
      Settings settings = test::plain_schedule();
      settings.communicator = communicator;
      EXPECT_EQ((experiment<3, float>(model, space)(settings)), expected) << cells.value_or(-1);
    });
  }
}

/// Velocities and scalars after this many steps.
std::vector<std::uint64_t> run_to(Index steps, const test::ScratchFolder& folder, Restart restart) {
  Runtime runtime;
  const Model model = plane_with_everything();
  GridOptions options = plane;
  options.boundary = model.mirrors();
  Grid grid(runtime, options);
  FlowStep<2, double> step(grid, model);
  Simulation simulation(grid, step.program(),
                        {.steps = steps,
                         .end = 100,
                         .dt = step.dt,
                         .dt_limit = step.dt_limit,
                         .directory = folder.path().string(),
                         .restart = restart,
                         .measure_bandwidth = false});
  simulation.checkpoint(every(1000));
  simulation.run();
  std::vector<std::uint64_t> sums;
  for (const auto& field : step.faces) sums.push_back(field.checksum());
  for (const auto& field : step.scalars) sums.push_back(field.checksum());
  return sums;
}

TEST(FlowBits, ARunThatWasStopped_GoesOnAsIfItWereNot) {
  const test::ScratchFolder one, two;
  const auto whole = run_to(9, one, {});
  run_to(4, two, {});
  EXPECT_EQ(run_to(9, two, restart_newest()), whole);
}

}  // namespace
}  // namespace goban::flow::flow_bits_test
