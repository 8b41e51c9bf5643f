// The same bits on active cells and in the box, however they are cut and computed.

#include "goban/io/case/time_value.hpp"
#include "tests/apps/blood_run.hpp"

namespace goban::blood::blood_bits_test {
namespace {

constexpr Index3 cells = {38, 40, 14};

/// A bifurcation with a velocity, a pressure and a windkessel, of Casson's fluid.
std::pair<Model, std::shared_ptr<const Vessel>> bifurcation() {
  VesselTree tree;
  tree.root = {6, 20, 7};
  tree.radius = 4.2;
  tree.length_ratio = 3;
  const CenterLines lines = grow(tree);
  const CellPlace place{{0, 0, 0}, 1, cells};
  Model model;
  model.density_unit = 1;
  model.tau = 0.7;
  model.rheology = {.kind = Rheology::Kind::casson, .viscosity = 0.05, .yield = 1e-6, .largest = 1};
  for (const Opening& opening : lines.openings) {
    FlowOpening flow;
    static_cast<Opening&>(flow) = opening;
    model.openings.push_back(flow);
  }
  model.openings[0].kind = FlowOpening::Kind::velocity;
  model.openings[0].value = 0.03;
  model.openings[2].kind = FlowOpening::Kind::windkessel;
  model.openings[2].proximal = 1e-3;
  model.openings[2].distal = 5e-3;
  model.openings[2].compliance = 4e3;
  return {model, std::make_shared<Vessel>(make_vessel(cells_of(lines.segments, place),
                                                      *wall_of(lines.segments, place), place,
                                                      lines.openings))};
}

struct State {
  std::vector<float> populations, shear;
  std::vector<double> numbers;
  bool operator==(const State&) const = default;
};

State state_with(const Settings& settings, Cells which = Cells::active, bool is_damped = false) {
  auto [model, vessel] = bifurcation();
  if (is_damped) {
    model.relaxation = Relaxation::regularized;
    model.openings[1].sponge = 9;
    model.openings[2].sponge = 7;
  }
  SmallVessel<float> flow(model, {.cells = cells}, vessel, settings, which);
  flow.run(40);
  flow.observe();
  flow.sum_up();
  State state{flow.step.f.copy_out(), flow.step.wall_shear_stress.copy_out(), {}};
  for (const auto& opening : flow.step.flows) {
    for (const double x : {opening.out.value(), opening.excess.value(), opening.held.value()}) {
      state.numbers.push_back(x);
    }
  }
  return state;
}

TEST(BloodBits, OnActiveCellsAndInTheBox_AreEqual) {
  const State expected = state_with({}, Cells::all);
  EXPECT_GT(expected.numbers[3], 0);  // it flows out
  EXPECT_TRUE(state_with({}) == expected);
}

TEST(BloodBits, RegularizedWithSponges_AreEqualThere) {
  const State expected = state_with({}, Cells::all, true);
  EXPECT_FALSE(state_with({}) == expected);
  EXPECT_TRUE(state_with({}, Cells::active, true) == expected);
  const Settings devices{
      .backend = Backend::emulated, .patches = {3, 1, 1}, .delay_microseconds = 5};
  EXPECT_TRUE(state_with(devices, Cells::active, true) == expected);
}

TEST(BloodBits, OnPatchesAndDevices_AreEqual) {
  const State expected = state_with({.threads = 1});
  for (const Index patches : {2, 7}) {
    EXPECT_TRUE(state_with({.patches = {patches, 1, 1}, .threads = 2}) == expected) << patches;
  }
  const Settings devices{
      .backend = Backend::emulated, .patches = {3, 1, 1}, .delay_microseconds = 5};
  EXPECT_TRUE(state_with(devices) == expected);
}

}  // namespace
}  // namespace goban::blood::blood_bits_test
