// What layers throw back.

#include "tests/apps/seismic_run.hpp"

namespace goban::seismic::seismic_absorb_test {
namespace {

/// Sum of squares of all velocities of uniform rock, in the cells of a box.
template <int Dimensions>
double motion(const SmallWaves<Dimensions, float>& waves, const Box& box) {
  double sum = 0;
  for (const auto& v : waves.step.velocity) {
    for (const float value : v.copy_out(box)) sum += static_cast<double>(value) * value;
  }
  return sum;
}

/// Share of the largest motion that is left in the middle of a grid when all body waves should have
/// left it.
template <int Dimensions>
double left_over(Absorber absorber, Index inside) {
  Model model;
  model.dimensions = Dimensions;
  model.medium = uniform(poisson_rock());
  model.absorber = absorber;
  model.absorber.frequency = 0.1;
  const Index cells = inside + 2 * absorber.width;
  const double middle = static_cast<double>(cells) / 2;
  GridOptions options{.cells = {cells, Dimensions == 3 ? cells : 1, cells}};
  for (std::size_t a = 0; a < 3; ++a) {
    if (Dimensions == 3 || a != 1) model.edges[a] = {Edge::absorbing, Edge::absorbing};
  }
  model.sources = {
      force_at({middle, Dimensions == 3 ? middle : 0.5, middle}, {0, 0, 1}, ricker(10))};
  const double dt = 0.9 * largest_stable_step(std::sqrt(3.0), model, {1, 1, 1});
  SmallWaves<Dimensions, float> waves(model, options, dt);
  const Index from = absorber.width, to = cells - absorber.width;
  const Box all{{from, Dimensions == 3 ? from : 0, from}, {to, Dimensions == 3 ? to : 1, to}};
  double most = 0;
  const auto until = [&](double time) {
    while (waves.time() < time) {
      waves.run(10);
      most = std::max(most, motion(waves, all));
    }
  };
  // The source acts until 30; S waves leave from the middle and, reflected, cross the grid.
  until(30 + 1.5 * static_cast<double>(inside));
  return motion(waves, all) / most;
}

TEST(SeismicAbsorber, Pml_ReflectsLessThanOnePercentOfTheEnergy) {
  EXPECT_LT(left_over<2>({}, 60), 0.01);
  EXPECT_LT(left_over<3>({}, 32), 0.01);
}
TEST(SeismicAbsorber, Sponge_ReflectsLessThanFivePercentOfTheEnergy) {
  EXPECT_LT(left_over<2>({.kind = Absorber::Kind::sponge, .width = 20}, 60), 0.05);
  EXPECT_LT(left_over<3>({.kind = Absorber::Kind::sponge, .width = 20}, 32), 0.05);
}

}  // namespace
}  // namespace goban::seismic::seismic_absorb_test
