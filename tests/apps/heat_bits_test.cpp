// Equal bits however the work is cut, ordered and computed.

#include "tests/apps/heat_run.hpp"

#include "heat/steady.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::heat::heat_bits_test {
namespace {

constexpr Index3 cells = {24, 20, 13};  // multiples of no pack

std::vector<Settings> ways() {
  return test::all_ways(
      {{"24", "", ""}, {"11,13", "", ""}, {"", "9,11", "6,7"}, {"7,8,9", "12,8", ""}},
      {1, 2, 3, 4});
}

Model model_with_everything(int order, bool composite) {
  Model model;
  model.order = order;
  model.boundary = {periodic, mirror, wall_value(2)};
  model.boundary.at(Axis::y, Side::high) = gradient(-5);
  model.boundary.at(Axis::z, Side::low) = constant(-1);
  model.initial = {Profile{.shape = Profile::Shape::gaussian,
                           .amplitude = 10,
                           .center = {0.2, 0.4, 0.7},
                           .radius = 0.3},
                   Profile{.shape = Profile::Shape::mode, .waves = {2, 1, 3}}};
  model.sources = {Profile{.shape = Profile::Shape::gaussian,
                           .amplitude = 30,
                           .center = {0.8, 0.4, 0.1},
                           .radius = 0.2}};
  if (composite) {
    model.medium.inclusions = {Profile{
        .shape = Profile::Shape::sphere, .amplitude = 7, .center = {0.5, 0.5, 0.5}, .radius = 0.3}};
  }
  return model;
}

template <class T, class Layout>
std::uint64_t checksum_of(const Model& model, const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, unit_cube(cells, model.boundary));
  ExplicitStep<T, Layout> step(grid, model, 1e-5);
  StepClock clock;
  Engine(step.program()).run(7, clock);
  return step.u.checksum();
}

template <class T, class Layout>
void expect_equal_bits(const Model& model) {
  const std::uint64_t expected = checksum_of<T, ijk>(model, test::plainest());
  for (const Settings& way : ways()) {
    ASSERT_EQ((checksum_of<T, Layout>(model, way)), expected) << test::options_of(way);
  }
}

TEST(HeatBits, UniformMediumInFloat_SameChecksumEveryWay) {
  expect_equal_bits<float, ijk>(model_with_everything(2, false));
}
TEST(HeatBits, UniformMediumInFloatAcross_SameChecksumEveryWay) {
  expect_equal_bits<float, kij>(model_with_everything(2, false));
}
TEST(HeatBits, CompositeInDouble_SameChecksumEveryWay) {
  expect_equal_bits<double, ijk>(model_with_everything(2, true));
}
TEST(HeatBits, CompositeInDoubleAcross_SameChecksumEveryWay) {
  expect_equal_bits<double, kij>(model_with_everything(2, true));
}
TEST(HeatBits, HalfStorage_SameChecksumOnEveryBackend) {
  const Model model = model_with_everything(2, false);
  const std::uint64_t expected = checksum_of<half, ijk>(model, test::plainest());
  for (const Settings& way : ways()) {
    if (way.steps_per_exchange != 2) continue;
    ASSERT_EQ((checksum_of<half, ijk>(model, way)), expected) << test::options_of(way);
  }
}

/// Wider stencils allow fewer steps per exchange: halos must fit the smallest patch.
TEST(HeatBits, EighthOrder_SameChecksumEveryWayThatFits) {
  const Model model = model_with_everything(8, false);
  const std::uint64_t expected = checksum_of<double, ijk>(model, test::plainest());
  for (const Settings& way : ways()) {
    if (way.steps_per_exchange > 1) continue;
    ASSERT_EQ((checksum_of<double, ijk>(model, way)), expected) << test::options_of(way);
    ASSERT_EQ((checksum_of<double, kij>(model, way)), expected) << test::options_of(way);
  }
}

template <class Layout>
std::uint64_t solved(const Model& model, const Settings& settings) {
  Runtime runtime(settings);
  GridOptions options = unit_cube(cells, model.boundary);
  Grid grid(runtime, options);
  SteadyState<1, Layout> state(grid, model);
  StepClock clock;
  Engine(state.program()).run(12, clock);
  return state.u.checksum();
}

TEST(HeatBits, SolverSteeredByResiduals_SameChecksumEveryWay) {
  const Model model = model_with_everything(2, true);
  const std::uint64_t expected = solved<ijk>(model, test::plainest());
  for (const Settings& way : ways()) {
    if (way.temporal_blocking > 0) continue;  // a step with reductions never is blocked
    ASSERT_EQ(solved<ijk>(model, way), expected) << test::options_of(way);
    if (way.steps_per_exchange == 2) {
      ASSERT_EQ(solved<kij>(model, way), expected) << test::options_of(way);
    }
  }
}

}  // namespace
}  // namespace goban::heat::heat_bits_test
