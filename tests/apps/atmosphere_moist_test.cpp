// Water in the dynamical core: conserved, positive, carried as mass is; with rain and its heat.

#include <bit>

#include "tests/apps/atmosphere_ways.hpp"
#include "tests/long.hpp"

namespace goban::atmosphere::atmosphere_moist_test {
namespace {

const GridOptions space{.cells = {23, 14, 12}, .spacing = {500, 600, 650}};

/// A warm bubble over a hill in a wind that turns.
Model over_hill() {
  Model model;
  model.stability = 0.005;
  model.wind = {10, 5};
  model.rotation = 1e-3;
  model.terrain = {.shape = Terrain::Shape::bell,
                   .height = 500,
                   .half_width = 2000,
                   .width_y = 1500,
                   .center_x = 6000,
                   .center_y = 4000};
  model.sponge_depth = 2000;
  model.bubbles = {{.amplitude = 5, .center = {4000, 4000, 2500}, .radius = {3000, 3000, 2000}}};
  model.dt = 3;
  model.short_steps = 6;
  return model;
}

/// The same, nearly saturated.
Model humid() {
  Model model = over_hill();
  model.humidity = {.kind = Humidity::Kind::relative, .ground = 0.97, .aloft = 0.9};
  return model;
}

template <class T>
double smallest(const Field<T>& field) {
  const std::vector<T> all = field.copy_out();
  return *std::min_element(all.begin(), all.end());
}
template <class T>
double largest(const Field<T>& field) {
  const std::vector<T> all = field.copy_out();
  return *std::max_element(all.begin(), all.end());
}

/// In cells and fallen, in kg over the 500 m x 600 m of a column.
template <int D, class T>
double all_water(SmallAtmosphere<D, T>& air) {
  air.observe();
  return 650 * air.step.water->water.value() + air.step.water->fallen.value();
}

TEST(AtmosphereMoist, WaterIsConservedByDynamicsAndCondensation) {
  Model model = humid();
  model.humidity.rain = Humidity::Rain::none;
  SmallAtmosphere<3, double> air(model, space);
  const double before = all_water(air);
  air.run(60);
  EXPECT_NEAR(all_water(air) / before, 1, 1e-14);
  EXPECT_GT(air.step.water->largest_cloud.value(), 1e-3);
  EXPECT_EQ(air.step.water->fallen.value(), 0);
}

TEST(AtmosphereMoist, WaterAndFallenRainAreConserved) {
  SmallAtmosphere<3, double> air(humid(), space);
  auto& water = *air.step.water;
  water.now.rain.fill([](Index3 cell) { return cell[2] < 3 && cell[0] < 12 ? 3e-3 : 0; });
  const double before = all_water(air);
  air.observe();
  const double mass = air.step.added_mass.value();
  air.run(100);
  EXPECT_NEAR(all_water(air) / before, 1, 1e-10);
  EXPECT_GT(water.fallen.value(), 0.01 * before);
  // The mass of all air less by what has fallen.
  const double lost = 650 * (mass - air.step.added_mass.value());
  EXPECT_NEAR(lost / water.fallen.value(), 1, 1e-9);
}

/// Blocks of cloud and rain with nothing beside them. Warm rain would make none of what is less
/// than none, and so more water than there was.
TEST(AtmosphereMoist, WaterIsNeverNegative) {
  Model model = humid();
  model.wind = {60, 40};
  SmallAtmosphere<3, double> air(model, space);
  const auto& now = air.step.water->now;
  for (Field<double> field : {now.cloud, now.rain}) {
    field.fill([](Index3 cell) { return (cell[0] / 3 + cell[1] / 3 + cell[2] / 3) % 2 * 2e-3; });
  }
  const double before = all_water(air);
  for (int n = 0; n < 20; ++n) {
    air.run(1);
    for (const Field<double>& field : now.all()) ASSERT_GE(smallest(field), 0) << field.name();
  }
  EXPECT_NEAR(all_water(air) / before, 1, 1e-13);
  EXPECT_GT(largest(now.rain), 1e-3);
}

/// Dry enough for nothing to condense.
TEST(AtmosphereMoist, UniformMixingRatio_StaysUniformInAnyFlow) {
  Model model = over_hill();
  model.humidity = {.kind = Humidity::Kind::relative, .ground = 1, .aloft = 1, .largest = 1e-4};
  SmallAtmosphere<3, double> air(model, space);
  air.run(40);
  air.observe();
  const auto& water = *air.step.water;
  EXPECT_NEAR(smallest(water.ratio.vapor), 1e-4, 1e-17);
  EXPECT_NEAR(largest(water.ratio.vapor), 1e-4, 1e-17);
  EXPECT_EQ(largest(water.ratio.cloud), 0);
  EXPECT_GT(air.step.largest_w.value(), 2);
}

TEST(AtmosphereMoist, WithoutWater_MovesLikeDryAir) {
  Model model = over_hill();
  model.stability = 0;
  SmallAtmosphere<3, double> dry(model, space);
  model.humidity = {.kind = Humidity::Kind::relative};  // 0 % everywhere
  SmallAtmosphere<3, double> air(model, space);
  for (auto* one : {&dry, &air}) {
    one->run(40);
    one->observe();
  }
  EXPECT_FALSE(dry.step.water.has_value());
  const auto a = air.step.velocity.copy_out(), b = dry.step.velocity.copy_out();
  double most = 0;
  for (std::size_t n = 0; n < a.size(); ++n) most = std::max(most, std::abs(a[n] - b[n]));
  EXPECT_LE(most, 1e-9);
  EXPECT_GT(dry.step.largest_w.value(), 2);
  EXPECT_EQ(air.step.water->water.value(), 0);
}

/// Saturated air with 2 % of water, neutral to reversible ascent.
Model saturated() {
  Model model;
  model.humidity = {.kind = Humidity::Kind::saturated, .rain = Humidity::Rain::none};
  return model;
}

TEST(AtmosphereMoist, SaturatedAirAtRest_StaysAtRest) {
  const GridOptions grid = slice_of(5e3, 10e3, 500, 250);
  SmallAtmosphere<2, double> air(timed(saturated(), grid, 2, 200), grid);
  air.run_until(200);
  air.observe();
  EXPECT_LE(air.w().largest(), 1e-2);
  EXPECT_GE(air.w().smallest(), -1e-2);
  EXPECT_GT(air.step.water->largest_cloud.value(), 0.015);
}

/// Bryan, Fritsch, Mon. Weather Rev. 130 (2002) 2917: at 1000 s with cells of 100 m w lies between
/// -9.92698 and 15.7130 m/s. Their air has the heat capacity of its water, too; here the air around
/// is neutral to ascent without it.
TEST(AtmosphereMoist, ReversibleBubbleRisesAsFastAsBryansAndFritschs) {
  if (!test::is_long()) GTEST_SKIP() << "a test of a minute: goban test --long";
  const double h = 100;
  Model model = saturated();
  model.limits_theta = false;
  model.bubbles = {{.amplitude = 2,
                    .of = Bubble::Of::buoyancy,
                    .center = {0, 0, 2000},
                    .radius = {2000, 0, 2000}}};
  const GridOptions grid = slice_of(20e3, 10e3, h, h);
  SmallAtmosphere<2, double> air(timed(model, grid, 6e-3 * h, 1000), grid);
  air.observe();
  const auto& water = *air.step.water;
  const double before = water.water.value();
  air.run_until(1000);
  air.observe();
  const Slice w = air.w();
  EXPECT_NEAR(w.largest(), 15.7130, 0.07 * 15.7130);
  EXPECT_NEAR(w.smallest(), -9.92698, 0.07 * 9.92698);
  EXPECT_NEAR(water.water.value() / before, 1, 1e-13);
}

template <int D, class T>
test::Experiment experiment(const Model& model, const GridOptions& grid) {
  return [=](const Settings& settings) {
    SmallAtmosphere<D, T> air(model, grid, settings);
    auto& water = *air.step.water;
    water.now.rain.fill([](Index3 cell) { return static_cast<T>(cell[0] % 5 == 0 ? 2e-3 : 0); });
    air.run(3);
    air.observe();
    test::Results results;
    State<T>& now = air.step.now;
    for (const auto* field :
         {&now.density, &now.heat, &now.x, &now.y, &now.z, &water.now.vapor, &water.now.cloud,
          &water.now.rain, &water.heating, &water.fallen_rain, &water.equivalent_theta}) {
      results[field->name()] = field->checksum();
    }
    for (const auto& number : {water.water, water.fallen, water.largest_cloud}) {
      results[number.name()] = std::bit_cast<std::uint64_t>(number.value());
    }
    return results;
  };
}

TEST(AtmosphereMoist, BitsAreTheSameEveryWay) {
  test::expect_same_bits(experiment<3, double>(humid(), space),
                         ways({{"", "", ""}, {"11,12", "", ""}, {"7,16", "5,9", ""}}, {false}));
}

TEST(AtmosphereMoist, FloatsAreTheSameEveryWay) {
  test::expect_same_bits(experiment<3, float>(humid(), space),
                         ways({{"", "", ""}, {"9,14", "6,8", ""}}, {false}));
}

TEST(AtmosphereMoist, ARunThatWasStopped_GoesOnAsIfItWereNot) {
  expect_the_same_after_a_restart(humid(), space);
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_moist_test
