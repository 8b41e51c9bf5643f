// Temperatures of walls and powers of sources that vary in time.

#include <cmath>

#include "goban/io/case/time_value.hpp"
#include "tests/apps/heat_run.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::heat::heat_varying_test {
namespace {

TimeValue value(const char* text, const char* unit) { return *parse_time_value(text, unit).value; }

/// One direction, alpha = 1, cells of 1 m; the clock of the case.
std::vector<double> bar_after(Index steps, double dt, const Model& model, Index3 cells,
                              const Settings& settings = {}) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells, .boundary = model.boundary});
  ExplicitStep<double, ijk> step(grid, model, dt);
  StepClock clock;
  clock.dt = dt;
  Engine(step.program()).run(steps, clock);
  return step.u.copy_out();
}

TEST(HeatVarying, AWallWhoseTemperatureSwings_SendsAThermalWave) {
  // u = exp(-k x) cos(w t - k x), k = sqrt(w / (2 alpha)).
  constexpr double w = 0.02, dt = 0.25;
  constexpr Index steps = 6300;
  Model model;
  model.boundary = mirror;
  model.boundary.at(Axis::x, Side::low) = wall_value(value("1 K * cos(0.02*t)", "K"));
  Settings one_thread;
  one_thread.threads = 1;
  const auto u = bar_after(steps, dt, model, {64, 1, 1}, one_thread);
  const double k = std::sqrt(w / 2);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double x = static_cast<double>(i) + 0.5;
    EXPECT_NEAR(u[i], std::exp(-k * x) * std::cos(w * steps * dt - k * x), 0.005) << i;
  }
}

TEST(HeatVarying, ASource_ReleasesWhatItsPowerIsInEveryStep) {
  for (const bool uniform : {true, false}) {
    Model model;
    model.boundary = mirror;
    model.medium.heat_capacity = 2;
    Profile body, part;
    body.amplitude = 0.5;
    body.radius = 2;
    part.shape = Profile::Shape::box;
    part.upper = {4, 8, 8};
    if (!uniform) model.medium.inclusions = {body};
    model.varying_sources = {{Profile(), value("6 W/m3 * t", "W/m3")},
                             {part, value("4 W/m3 * step(t - 1)", "W/m3")}};
    constexpr double dt = 0.125;
    const auto u = bar_after(16, dt, model, {8, 8, 8});
    double heat = 0;
    for (int n = 0; n < 16; ++n) heat += dt * (6 * n * dt + (n * dt < 1 ? 0 : 4) / 2.0);
    double sum = 0;
    for (const double t : u) sum += t;
    EXPECT_NEAR(2 * sum / static_cast<double>(u.size()), heat, 1e-12);
  }
}

TEST(HeatVarying, SameBitsEveryWay) {
  Model model;
  model.boundary = mirror;
  model.boundary.at(Axis::x, Side::low) = wall_value(value("300 K + 20 K*sin(t)", "K"));
  model.boundary.at(Axis::y, Side::high) = gradient(value("3 K/m*ramp(t/2)", "K/m"));
  model.varying_sources = {{Profile(), value("table(t, 0 s, 0, 1 s, 5)", "W/m3")}};
  const Index3 cells = {23, 12, 10};
  const auto expected = bar_after(9, 0.125, model, cells, test::plainest());
  for (Settings settings : decompositions(cells)) {
    for (const int steps : {1, 3}) {
      settings.steps_per_exchange = steps;
      for (const Backend backend : {Backend::cpu, Backend::emulated}) {
        settings.backend = backend;
        EXPECT_EQ(bar_after(9, 0.125, model, cells, settings), expected)
            << test::options_of(settings);
      }
    }
  }
}

}  // namespace
}  // namespace goban::heat::heat_varying_test
