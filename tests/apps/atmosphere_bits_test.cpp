// Equal bits however the work is cut, ordered and computed, and after a restart.

#include "tests/apps/atmosphere_ways.hpp"

namespace goban::atmosphere::atmosphere_bits_test {
namespace {

/// A hill, a bubble, a wind that turns with height and time, eddies, rough ground and a sponge.
Model everything() {
  Model model;
  model.profile = std::make_shared<const AirProfile>(AirProfile{.height = {0, 2000, 9000},
                                                                .theta = {300, 303, 340},
                                                                .vapor = {0.012, 0.006, 1e-4},
                                                                .relative_humidity = {},
                                                                .u = {2, 10, 20},
                                                                .v = {5, 0, -4},
                                                                .surface_pressure = {}});
  model.wind = {3, 1};
  model.rotation = 1e-3;
  model.cooling_time = 1000;
  model.diffusivity = 30;
  model.smagorinsky = 0.18;
  model.surface = {.kind = Surface::Kind::land, .temperature = 303};
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

/// The same with water, over the sea, between sides of all kinds.
Model between_sides() {
  Model model = everything();
  model.humidity = {.kind = Humidity::Kind::sounding};
  model.surface.kind = Surface::Kind::sea;
  model.sides.kind[0] = {SideKind::open, SideKind::base};
  model.sides.kind[1] = {SideKind::wall, SideKind::open};
  model.sides.depth = 2000;
  return model;
}

TEST(AtmosphereBits, EverythingIsTheSameEveryWay) {
  test::expect_same_bits(three_steps<3, double>(everything(), space),
                         ways({{"", "", ""}, {"11,12", "", ""}, {"7,16", "5,9", ""}}));
}

TEST(AtmosphereBits, BetweenSidesAllIsTheSameEveryWay) {
  test::expect_same_bits(three_steps<3, double>(between_sides(), space),
                         ways({{"", "", ""}, {"11,12", "", ""}, {"7,16", "5,9", ""}}, {false}));
}

/// That between sides, with ice, on a map.
Model on_map() {
  Model model = between_sides();
  model.rotation = 0;
  model.map = {.kind = Map::Kind::lambert, .latitude = 50, .true_latitudes = {30, 60}};
  model.map.radius = 50e3;
  model.humidity.rain = Humidity::Rain::wsm6;
  return model;
}

TEST(AtmosphereBits, OnAMapAllIsTheSameEveryWay) {
  test::expect_same_bits(three_steps<3, double>(on_map(), space),
                         ways({{"", "", ""}, {"7,16", "5,9", ""}}, {false, true}, 7));
}

TEST(AtmosphereBits, FloatsAreTheSameEveryWay) {
  Model model = everything();
  model.diffusivity = 0;
  model.smagorinsky = 0;
  test::expect_same_bits(three_steps<3, float>(model, space),
                         ways({{"", "", ""}, {"", "7,7", ""}, {"9,14", "6,8", ""}}));
}

TEST(AtmosphereBits, SlicesAreTheSameEveryWay) {
  Model model = everything();
  model.terrain.width_y = 0;
  model.bubbles[0].radius[1] = 0;
  test::expect_same_bits(
      three_steps<2, double>(model, {.cells = {23, 1, 11}, .spacing = {500, 500, 800}}),
      ways({{"", "", ""}, {"11,12", "", ""}}, {false}));  // ghosts along y are one cell
}

TEST(AtmosphereBits, RanksMakeNoDifference) {
  const auto run = three_steps<3, double>(everything(), space);
  const test::Results expected = run(test::plainest());
  test::run_ranks(3, [&](const std::shared_ptr<Communicator>& communicator) {
    Settings settings = test::plain_schedule();
    settings.communicator = communicator;
    EXPECT_EQ(run(settings), expected);
  });
}

TEST(AtmosphereBits, ARunThatWasStopped_GoesOnAsIfItWereNot) {
  expect_the_same_after_a_restart(everything(), space);
  expect_the_same_after_a_restart(between_sides(), space);
  expect_the_same_after_a_restart(on_map(), space);
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_bits_test
