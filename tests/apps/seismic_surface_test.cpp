// The free surface: Lamb's problem, Rayleigh waves.

#include "seismic/injection.hpp"
#include "tests/apps/seismic_run.hpp"

namespace goban::seismic::seismic_surface_test {
namespace {

/// Vertical displacement at the surface 4 away from a vertical force with the history of
/// TimeFunction::Shape::bump (duration 1), rho = mu = lambda = 1, at t = 2.0, 2.1 ... 6.5: the
/// closed solution for a step (Pekeris, Proc. Natl. Acad. Sci. 41 (1955) 469), convolved.
const std::vector<double> lamb = {
    0,           0,           0,           0,           -6.1141e-07, -8.5636e-05, -0.00085375,
    -0.0027635,  -0.0043139,  -0.0034163,  -0.00064297, 0.0014425,   0.0017977,   0.0012884,
    0.00059549,  -0.00013307, -0.00088824, -0.0016952,  -0.0025964,  -0.0036538,  -0.0049616,
    -0.0066772,  -0.0092111,  -0.01445,    -0.027908,   -0.064334,   -0.11682,    -0.075919,
    0.10306,     0.24701,     0.20472,     0.072793,    0.0070087,   1.3638e-05,  -2.3192e-17,
    -2.3192e-17, -2.3192e-17, -2.3192e-17, -2.3192e-17, -2.3192e-17, -2.3192e-17, -2.3192e-17,
    -2.3192e-17, -2.3192e-17, -2.3192e-17, -2.3192e-17};

Model half_space(int dimensions) {
  Model model;
  model.dimensions = dimensions;
  model.medium = uniform(poisson_rock());
  model.edges = {{{Edge::absorbing, Edge::absorbing},
                  {Edge::absorbing, Edge::absorbing},
                  {Edge::free, Edge::absorbing}}};
  if (dimensions == 2) model.edges[1] = {Edge::periodic, Edge::periodic};
  return model;
}

struct LambMisfit {
  double relative_l2 = 0, peak_ratio = 0;
};
/// With cells of 1 / (10 n).
LambMisfit misfit_of_lambs_problem(Index n) {
  Model model = half_space(3);
  const double h = 0.1 / static_cast<double>(n), samples_apart = 0.1;
  const Index source = 10 + 4 * n, receiver = source + 40 * n;
  const Index3 cells = {receiver + 10 + 4 * n, 2 * (10 + 6 * n) + 1, 12 + 8 * n};
  const double middle = static_cast<double>(cells[1]) / 2;
  model.sources = {force_at({(static_cast<double>(source) + 0.5) * h, middle * h, 0}, {0, 0, 1},
                            pulse(TimeFunction::Shape::bump, 1))};
  const double limit = largest_stable_step(std::sqrt(3.0), model, {h, h, h});
  const auto steps = static_cast<Index>(std::ceil(samples_apart / (0.9 * limit)));
  const double dt = samples_apart / static_cast<double>(steps);
  SmallWaves<3, float> waves(model, {.cells = cells, .spacing = h}, dt);
  double displacement = 0, before = 0, square = 0, miss = 0, most = 0, most_of_lamb = 0;
  for (std::size_t sample = 0; sample < 20 + lamb.size(); ++sample) {
    if (sample >= 20) {
      const double exact = lamb[sample - 20];
      square += exact * exact;
      miss += (displacement - exact) * (displacement - exact);
      most = std::max(most, std::abs(displacement));
      most_of_lamb = std::max(most_of_lamb, std::abs(exact));
    }
    for (Index step = 0; step < steps; ++step) {
      waves.run(1);
      const double now = waves.step.velocity[2].get({receiver, cells[1] / 2, 0});
      displacement += dt * (before + now) / 2;
      before = now;
    }
  }
  return {std::sqrt(miss / square), most / most_of_lamb};
}

TEST(SeismicSurface, LambsProblem_ConvergesToTheClosedSolution) {
  const LambMisfit coarse = misfit_of_lambs_problem(1), fine = misfit_of_lambs_problem(2);
  EXPECT_LT(fine.relative_l2, 0.1);
  EXPECT_NEAR(fine.peak_ratio, 1, 0.05);
  EXPECT_GT(coarse.relative_l2 / fine.relative_l2, 3);
}

/// Time at which a Rayleigh wave's largest downward velocity passes.
TEST(SeismicSurface, RayleighWaves_HaveTheirSpeed) {
  Model model = half_space(2);
  model.sources = {force_at({20.5, 0.5, 0}, {0, 0, 1}, ricker(20))};  // 18 cells a wave
  const double dt = 0.5 * largest_stable_step(std::sqrt(3.0), model, {1, 1, 1});
  SmallWaves<2, double> waves(model, {.cells = {240, 1, 60}}, dt);
  std::array<double, 2> most{}, when{};
  const std::array<Index, 2> places = {100, 200};
  while (waves.time() < 270) {
    waves.run(1);
    for (std::size_t p = 0; p < 2; ++p) {
      const double v = waves.step.velocity[1].get({places[p], 0, 0});
      if (v > most[p]) {
        most[p] = v;
        when[p] = waves.time();
      }
    }
  }
  const double speed = 100 / (when[1] - when[0]);
  EXPECT_NEAR(speed, std::sqrt(2 - 2 / std::sqrt(3.0)), 0.005);
  EXPECT_NEAR(most[1] / most[0], 1, 0.05);  // in the plane it does not spread
}

TEST(SeismicSurface, Rest_StaysAtRest) {
  SmallWaves<3, float> waves(half_space(3), {.cells = {26, 25, 24}}, 0.25);
  waves.run(20);
  EXPECT_EQ(waves.step.velocity[2].maximum(), 0);
  EXPECT_EQ(waves.step.normal.maximum(2), 0);
}

/// Momentum along z, of rock that moves by no more than a force at its surface or below, is the
/// impulse as long as nothing has come to the sides.
TEST(SeismicSurface, Forces_GiveTheirImpulseAtAnyDepth) {
  for (const int order : {2, 4, 8}) {
    for (const double depth : {0.0, 0.3, 2.7}) {
      Model model = half_space(3);
      model.order = order;
      model.absorber.width = 4;
      model.medium = uniform(poisson_rock(1, 3));
      model.sources = {
          force_at({16.3, 15.8, depth}, {0, 0, 7}, pulse(TimeFunction::Shape::bump, 2))};
      SmallWaves<3, double> waves(model, {.cells = {32, 31, 30}}, 0.2);
      waves.run(15);
      const auto& vz = waves.step.velocity[2];
      double momentum = 0;
      for (Index k = 0; k <= 30; ++k) {
        double sum = 0;
        for (const double v : vz.copy_out({{0, 0, k}, {32, 31, k + 1}})) sum += v;
        momentum += mass_of_face(k, order) * 3 * sum;
      }
      EXPECT_NEAR(momentum / 7, 1, 2e-3) << order << " " << depth;
    }
  }
}

TEST(SeismicSurface, PeakVelocity_IsTheLargestSpeedSoFar) {
  Model model = half_space(3);
  model.peak_velocity = true;
  model.sources = {moment_at({12.5, 12.5, 6}, {0, 0, 0, 1, 0, 0}, ricker(6))};
  SmallWaves<3, double> waves(model, {.cells = {26, 25, 24}}, 0.25);
  double most = 0;
  for (int step = 0; step < 120; ++step) {
    waves.run(1);
    const auto& v = waves.step.velocity;
    const double x = (v[0].get({15, 14, 0}) + v[0].get({16, 14, 0})) / 2;
    const double y = (v[1].get({15, 14, 0}) + v[1].get({15, 15, 0})) / 2;
    const double z = v[2].get({15, 14, 0});
    most = std::max(most, std::sqrt(x * x + y * y + z * z));
  }
  EXPECT_NEAR(waves.step.peak->get({15, 14, 0}) / most, 1, 1e-12);
  EXPECT_GT(most, 0);
  EXPECT_EQ(waves.step.peak->get({15, 14, 1}), 0);
}

}  // namespace
}  // namespace goban::seismic::seismic_surface_test
