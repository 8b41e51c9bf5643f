// Equal bits however the work is cut, ordered and computed, and after a restart.

#include <bit>

#include "tests/apps/atmosphere_ways.hpp"

namespace goban::atmosphere::atmosphere_bits_test {
namespace {

/// A hill, a bubble, a wind that turns, diffusion and a sponge.
Model everything() {
  Model model;
  model.stability = 0.01;
  model.wind = {10, 5};
  model.rotation = 1e-3;
  model.diffusivity = 30;
  model.terrain = {.shape = Terrain::Shape::bell,
                   .height = 500,
                   .half_width = 2000,
                   .width_y = 1500,
                   .center_x = 6000,
                   .center_y = 4000};
  model.terrain_decay = 4000;
  model.lowest_level = 0.5;
  model.sponge_depth = 3000;
  model.bubbles = {{.amplitude = 3, .center = {4000, 4000, 3000}, .radius = {3000, 2000, 2000}}};
  model.dt = 3;
  model.short_steps = 6;
  return model;
}
const GridOptions space{.cells = {23, 14, 11}, .spacing = {500, 600, 800}};

template <int D, class T>
test::Experiment experiment(const Model& model, const GridOptions& grid) {
  return [=](const Settings& settings) {
    SmallAtmosphere<D, T> air(model, grid, settings);
    air.run(3);
    air.observe();
    test::Results results;
    const State<T>& now = air.step.now;
    for (const auto* field : {&now.density, &now.heat, &now.x, &now.y, &now.z}) {
      results[field->name()] = field->checksum();
    }
    results["velocity"] = air.step.velocity.checksum();
    for (const auto& number : {air.step.largest_w, air.step.smallest_theta, air.step.added_mass}) {
      results[number.name()] = std::bit_cast<std::uint64_t>(number.value());
    }
    return results;
  };
}

TEST(AtmosphereBits, EverythingIsTheSameEveryWay) {
  test::expect_same_bits(experiment<3, double>(everything(), space),
                         ways({{"", "", ""}, {"11,12", "", ""}, {"7,16", "5,9", ""}}));
}

TEST(AtmosphereBits, FloatsAreTheSameEveryWay) {
  Model model = everything();
  model.diffusivity = 0;
  test::expect_same_bits(experiment<3, float>(model, space),
                         ways({{"", "", ""}, {"", "7,7", ""}, {"9,14", "6,8", ""}}));
}

TEST(AtmosphereBits, SlicesAreTheSameEveryWay) {
  Model model = everything();
  model.terrain.width_y = 0;
  model.bubbles[0].radius[1] = 0;
  test::expect_same_bits(
      experiment<2, double>(model, {.cells = {23, 1, 11}, .spacing = {500, 500, 800}}),
      ways({{"", "", ""}, {"11,12", "", ""}}, {false}));  // ghosts along y are one cell
}

TEST(AtmosphereBits, RanksMakeNoDifference) {
  const auto run = experiment<3, double>(everything(), space);
  const test::Results expected = run(test::plainest());
  test::run_ranks(3, [&](const std::shared_ptr<Communicator>& communicator) {
    Settings settings = test::plain_schedule();
    settings.communicator = communicator;
    EXPECT_EQ(run(settings), expected);
  });
}

TEST(AtmosphereBits, ARunThatWasStopped_GoesOnAsIfItWereNot) {
  expect_the_same_after_a_restart(everything(), space);
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_bits_test
