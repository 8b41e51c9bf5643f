// Spreading, walls, sources, media that vary: in time.

#include <cmath>
#include <numeric>

#include "tests/apps/heat_run.hpp"

namespace goban::heat::heat_transient_test {
namespace {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// A layer of ten times the conductivity and a sphere that does not conduct.
Medium composite() {
  Medium medium;
  medium.inclusions = {Profile{.shape = Profile::Shape::box,
                               .amplitude = 10,
                               .lower = {0.25, 0, 0},
                               .upper = {0.5, 1, 1}},
                       Profile{.shape = Profile::Shape::sphere,
                               .amplitude = 0,
                               .center = {0.7, 0.5, 0.5},
                               .radius = 0.2}};
  return medium;
}

Model warm_spot() {
  Model model;
  model.boundary = mirror;
  model.initial = {Profile{.amplitude = 20}, Profile{.shape = Profile::Shape::sphere,
                                                     .amplitude = 100,
                                                     .center = {0.3, 0.4, 0.5},
                                                     .radius = 0.2}};
  return model;
}

/// Largest distance from the spreading Gaussian of free space, relative to its first height.
double gaussian_error(Index n, int order, Index steps) {
  const double s0 = 0.06, end = 0.002;  // the box is 12 standard deviations wide at the end
  Model model;
  model.order = order;
  Profile& spot = model.initial.emplace_back();
  spot.shape = Profile::Shape::gaussian;
  spot.center = {0.5, 0.5, 0.5};
  spot.radius = s0;
  const auto u = temperature_after<double>(steps, model, end / static_cast<double>(steps),
                                           unit_cube({n, n, n}));
  const double variance = s0 * s0 + 2 * end, height = std::pow(s0 * s0 / variance, 1.5);
  double worst = 0;
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        const auto from_center = [&](Index a) {
          return (static_cast<double>(a) + 0.5) / static_cast<double>(n) - 0.5;
        };
        const double x = from_center(i), y = from_center(j), z = from_center(k);
        const double exact = height * std::exp(-(x * x + y * y + z * z) / (2 * variance));
        worst = std::max(worst, std::abs(u[static_cast<std::size_t>(i + n * (j + n * k))] - exact));
      }
    }
  }
  return worst;
}

TEST(HeatGaussian, SpreadsAsInFreeSpace) { EXPECT_LE(gaussian_error(40, 4, 400), 1e-3); }

TEST(HeatGaussian, SecondOrderInSpaceAndFirstInTime) {
  const double coarse = gaussian_error(40, 2, 80), fine = gaussian_error(80, 2, 320);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15);
}

TEST(HeatWalls, MirrorsLoseNothing) {
  for (const int order : {2, 4, 6, 8}) {
    Model model = warm_spot();
    model.order = order;
    const GridOptions options = unit_cube({20, 18, 16}, mirror);
    const double dt = largest_stable_step(1, order, options.cells, options.spacing.value, mirror);
    const double before = sum_of(temperature_after<double>(0, model, dt, options));
    const double after = sum_of(temperature_after<double>(200, model, dt, options));
    EXPECT_NEAR(after / before, 1, 1e-13) << "order " << order;
  }
}

TEST(HeatWalls, CompositeMediumLosesNothing) {
  Model model = warm_spot();
  model.medium = composite();
  const GridOptions options = unit_cube({20, 18, 16}, mirror);
  const double before = sum_of(temperature_after<double>(0, model, 1e-5, options));
  const double after = sum_of(temperature_after<double>(300, model, 1e-5, options));
  EXPECT_NEAR(after / before, 1, 1e-13);
}

TEST(HeatWalls, NonConductingCellsKeepTheirTemperature) {
  Model model = warm_spot();
  model.medium = composite();
  const GridOptions options = unit_cube({20, 20, 20}, mirror);
  const auto before = temperature_after<double>(0, model, 1e-5, options);
  const auto after = temperature_after<double>(50, model, 1e-5, options);
  const std::size_t inside = 14 + 20 * (10 + 20 * 10), outside = 2 + 20 * (8 + 20 * 10);
  EXPECT_EQ(after[inside], before[inside]);
  EXPECT_NE(after[outside], before[outside]);
}

TEST(HeatWalls, FlowThroughAWallAddsItsHeat) {
  Model model;
  model.boundary = BoundarySet(mirror);
  model.boundary.at(Axis::x, Side::low) = gradient(7);
  model.medium.conductivity = 3;
  model.medium.heat_capacity = 2;
  const GridOptions options = unit_cube({10, 6, 6}, model.boundary);
  const double dt = 1e-3;
  const auto u = temperature_after<double>(50, model, dt, options);
  const double content = 2 * sum_of(u) / static_cast<double>(u.size());
  EXPECT_NEAR(content, 3 * 7 * 50 * dt, 1e-12);
}

TEST(HeatSource, AddsItsPower) {
  for (const bool uniform : {true, false}) {
    Model model;
    model.boundary = mirror;
    model.medium.heat_capacity = 4;
    if (!uniform) model.medium.inclusions = composite().inclusions;
    model.sources = {Profile{.shape = Profile::Shape::box,
                             .amplitude = 8,
                             .lower = {0.5, 0.5, 0.5},
                             .upper = {1, 1, 1}},
                     Profile{.amplitude = 1}};
    const auto u = temperature_after<double>(100, model, 1e-4, unit_cube({16, 16, 16}, mirror));
    const double content = 4 * sum_of(u) / static_cast<double>(u.size());
    EXPECT_NEAR(content, (8.0 / 8 + 1) * 100 * 1e-4, 1e-14);
  }
}

TEST(HeatComposite, AnImageAndBodiesAreTheSameMedium) {
  Model bodies = warm_spot(), image = warm_spot();
  bodies.medium = composite();
  const Index3 cells = {12, 10, 8};
  const GridOptions options = unit_cube(cells, mirror);
  Array conductivities(ElementType::float64, cells);
  auto next = conductivities.as<double>().begin();
  for (Index k = 0; k < cells[2]; ++k) {
    for (Index j = 0; j < cells[1]; ++j) {
      for (Index i = 0; i < cells[0]; ++i) {
        const auto at = [&](Index index, int axis) {
          return (static_cast<double>(index) + 0.5) *
                 options.spacing.value[static_cast<std::size_t>(axis)];
        };
        double conductivity = bodies.medium.conductivity;
        for (const Profile& body : bodies.medium.inclusions) {
          if (body.shape_at({at(i, 0), at(j, 1), at(k, 2)}) != 0) conductivity = body.amplitude;
        }
        *next++ = conductivity;
      }
    }
  }
  image.medium.image = image_in_memory(std::move(conductivities));
  EXPECT_EQ(temperature_after<float>(20, bodies, 1e-4, options),
            temperature_after<float>(20, image, 1e-4, options));
}

TEST(HeatComposite, EndsAtTheProfileOfItsLayers) {
  // k = 1 for x < 1/2, 4 beyond: the temperature at the interface is 4/5 of the way.
  Model model;
  model.boundary = {mirror, mirror, mirror};
  model.boundary.at(Axis::x, Side::low) = wall_value(0);
  model.boundary.at(Axis::x, Side::high) = wall_value(1);
  model.medium.inclusions = {Profile{
      .shape = Profile::Shape::box, .amplitude = 4, .lower = {0.5, 0, 0}, .upper = {1, 1, 1}}};
  const GridOptions options{
      .cells = {10, 2, 2}, .spacing = {0.1, 0.5, 0.5}, .boundary = model.boundary};
  const double dt = largest_stable_step(4, 2, options.cells, options.spacing.value, model.boundary);
  const auto u = temperature_after<double>(20000, model, dt, options);
  for (std::size_t i = 0; i < 10; ++i) {
    const double x = (static_cast<double>(i) + 0.5) / 10;
    const double exact = x < 0.5 ? 1.6 * x : 0.8 + 0.4 * (x - 0.5);
    EXPECT_NEAR(u[i], exact, 1e-12);
  }
}

}  // namespace
}  // namespace goban::heat::heat_transient_test
