// Maps of the earth: where places lie, and that air moves on them as it does on the sphere.

#include <numbers>
#include <numeric>

#include "tests/apps/atmosphere_ways.hpp"
#include "tests/long.hpp"

namespace goban::atmosphere::atmosphere_map_test {
namespace {

using Kind = Map::Kind;
constexpr double degree = std::numbers::pi / 180;

/// Numerical examples of Snyder, Map Projections (1987), pages 266 and 296: spheres of radius 1.
TEST(AtmosphereMap, PlacesAreThoseThatSnyderComputes) {
  const Projection mercator({.kind = Kind::mercator, .longitude = -180, .radius = 1});
  const auto in_mexico = mercator.at(1.8325957, 0.6528366);
  EXPECT_NEAR(in_mexico.latitude, 35, 1e-5);
  EXPECT_NEAR(in_mexico.longitude, -75, 1e-5);
  EXPECT_NEAR(in_mexico.scale, 1.2207746, 1e-6);
  const Projection lambert({.kind = Kind::lambert,
                            .latitude = 23,
                            .longitude = -96,
                            .true_latitudes = {33, 45},
                            .radius = 1});
  const auto place = lambert.at(0.2966785, 0.2462112);
  EXPECT_NEAR(place.latitude, 35, 1e-5);
  EXPECT_NEAR(place.longitude, -75, 1e-5);
  EXPECT_NEAR(place.scale, 0.9970040, 1e-6);
  EXPECT_NEAR(place.turn, 13.2400316 * degree, 1e-7);
  const Projection polar(
      {.kind = Kind::polar, .latitude = 90, .true_latitudes = {60, 60}, .radius = 1});
  EXPECT_NEAR(polar.at(0, -0.5).scale,
              (1 + std::sin(60 * degree)) / (1 + std::sin(polar.at(0, -0.5).latitude * degree)),
              1e-14);
  EXPECT_NEAR(polar.at(0, 0).scale, (1 + std::sin(60 * degree)) / 2, 1e-14);
}

const std::vector<Map> maps{
    {.kind = Kind::mercator, .latitude = 30, .true_latitudes = {20, 20}},
    {.kind = Kind::lambert, .latitude = 50, .longitude = 10, .true_latitudes = {35, 60}},
    {.kind = Kind::lambert, .latitude = -40, .longitude = 150, .true_latitudes = {-30, -50}},
    {.kind = Kind::polar, .latitude = 85, .longitude = 20, .true_latitudes = {60, 60}},
    {.kind = Kind::polar, .latitude = -70, .longitude = -60, .true_latitudes = {-70, -70}}};

/// Short ways on the earth are those on the map over the scale in every direction, and the turn is
/// that of the direction to the north.
TEST(AtmosphereMap, MapsAreConformal) {
  for (const Map& map : maps) {
    const Projection earth(map);
    const double x = 3e5, y = -8e5, h = 100;
    const auto place = earth.at(x, y);
    for (const double angle : {0.0, 1.0, 2.5}) {
      const double far = earth.distance({x, y}, x + h * std::cos(angle), y + h * std::sin(angle));
      EXPECT_NEAR(h / far, place.scale, 2e-4);
    }
    const double up_x = x - h * std::sin(place.turn), up_y = y + h * std::cos(place.turn);
    const auto north = earth.at(up_x, up_y);
    EXPECT_NEAR((north.latitude - place.latitude) * degree * map.radius, h / place.scale, 0.02);
    EXPECT_NEAR(north.longitude, place.longitude, 1e-6);
  }
}

/// Air of 270 K everywhere that turns like a solid around an axis, with `speed` on its equator, in
/// balance: with L the latitude from that equator
///   p = p_0 exp(-g z / (R T) - (speed / 2 + a Omega) speed sin^2(L) / (R T)),
/// Omega that of the earth, 0 unless the axis is its own.
struct SolidBody {
  Map map;
  double axis_latitude, axis_longitude;  ///< degrees
  double speed = 40;

  /// Pressure over that at its equator, the wind along x and y, and the scale of the map.
  struct Air {
    double thinner, u, v, scale;
  };
  Air at(const Model& model, double x, double y) const {
    const auto place = Projection(map).at(x, y);
    const double from = axis_latitude * degree, to = place.latitude * degree,
                 east = (place.longitude - axis_longitude) * degree;
    const double eastward =
                     std::sin(from) * std::cos(to) - std::cos(from) * std::sin(to) * std::cos(east),
                 northward = std::cos(from) * std::sin(east),
                 upward =
                     std::sin(from) * std::sin(to) + std::cos(from) * std::cos(to) * std::cos(east);
    const double work = (speed / 2 + map.radius * map.earth_rotation) * speed * upward * upward;
    const double c = std::cos(place.turn), s = std::sin(place.turn);
    return {std::exp(-work / (model.gas_constant * model.surface_theta)),
            speed * (eastward * c - northward * s), speed * (eastward * s + northward * c),
            place.scale};
  }
};

/// The change of its wind, root of the mean square, in 1200 s on a grid of this spacing, levels a
/// hundredth of it apart, in cells that sound from the sides has not reached.
double change_in(const SolidBody& body, double h) {
  constexpr double half = 1500e3, inner = 800e3, time = 1200, lid = 4000;
  Model model;
  model.surface_theta = 270;
  model.stability = model.gravity / std::sqrt(model.heat_capacity * model.surface_theta);
  model.map = body.map;
  model.sides.kind[0] = model.sides.kind[1] = {SideKind::base, SideKind::base};
  const Index n = std::lround(2 * half / h);
  const Index levels = std::lround(lid / h * 100);
  const GridOptions options{
      .cells = {n, n, levels}, .spacing = {h, h, h / 100}, .origin = {-half, -half, 0}};
  model = timed(model, options, h / 600, time);
  SmallAtmosphere<3, double> air(model, options);
  air.observe();
  const auto density = air.step.air.density.copy_out({{0, 0, 0}, {1, 1, levels}});
  const auto theta = air.step.air.theta.copy_out({{0, 0, 0}, {1, 1, levels}});
  State<double>& now = air.step.now;
  const auto fill = [&](Field<double>& field, double from_x, double from_y, const auto& value) {
    field.fill([&, from_x, from_y](Index3 cell) {
      const auto here = body.at(model, (static_cast<double>(cell[0]) + from_x) * h - half,
                                (static_cast<double>(cell[1]) + from_y) * h - half);
      return value(here, static_cast<std::size_t>(std::min(cell[2], levels - 1)));
    });
  };
  using Air = SolidBody::Air;
  fill(now.density, 0.5, 0.5, [&](const Air& a, std::size_t k) {
    return density[k] * (a.thinner - 1) / (a.scale * a.scale);
  });
  fill(now.heat, 0.5, 0.5, [&](const Air& a, std::size_t k) {
    return density[k] * theta[k] * (std::pow(a.thinner, 1 / model.gamma()) - 1) /
           (a.scale * a.scale);
  });
  fill(now.x, 0, 0.5,
       [&](const Air& a, std::size_t k) { return density[k] * a.thinner * a.u / a.scale; });
  fill(now.y, 0.5, 0,
       [&](const Air& a, std::size_t k) { return density[k] * a.thinner * a.v / a.scale; });
  air.observe();
  const Index first = std::lround((half - inner) / h);
  const Box box{{first, first, 0}, {n - first, n - first, levels}};
  const auto before = air.step.velocity.copy_out(box);
  air.run_until(time);
  air.observe();
  const auto after = air.step.velocity.copy_out(box);
  double sum = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    sum += (after[i] - before[i]) * (after[i] - before[i]);
  }
  return std::sqrt(sum / static_cast<double>(before.size()));
}

/// On every map, around any axis of an earth at rest and around that of the earth, the wind stays
/// to second order; `goban test --long` has all of them.
TEST(AtmosphereMap, AirThatTurnsLikeASolidStaysInBalance) {
  for (const Map& map : maps) {
    for (const bool turns : {false, true}) {
      const bool is_quick = map.kind == Kind::lambert && map.latitude > 0 && turns;
      if (!is_quick && !test::is_long()) continue;
      SolidBody body{map, 35, map.longitude + 70};
      if (turns) {
        body.axis_latitude = 90;
      } else {
        body.map.earth_rotation = 0;
      }
      const double coarse = change_in(body, 100e3), fine = change_in(body, 50e3);
      EXPECT_LT(fine, 1e-4) << static_cast<int>(map.kind) << turns;
      EXPECT_GT(coarse / fine, 3) << static_cast<int>(map.kind) << turns;
    }
  }
}

/// A hill between walls, with a bubble, on a map whose scale changes by a tenth.
Model on_map() {
  Model model;
  model.stability = 0.01;
  model.map = {.kind = Kind::lambert, .latitude = 45, .true_latitudes = {30, 60}, .radius = 40e3};
  model.sides.kind[0] = model.sides.kind[1] = {SideKind::wall, SideKind::wall};
  model.terrain = {.shape = Terrain::Shape::bell,
                   .height = 600,
                   .half_width = 3000,
                   .width_y = 2000,
                   .center_x = -2000,
                   .center_y = 8000};
  model.dt = 2;
  model.short_steps = 6;
  return model;
}
const GridOptions space{
    .cells = {20, 32, 10}, .spacing = {500, 600, 600}, .origin = {-5000, 4000, 0}};

TEST(AtmosphereMap, ItsScaleChangesOverTheGridOfTheseTests) {
  const Projection earth(on_map().map);
  EXPECT_GT(earth.at(0, 23e3).scale - earth.at(0, 4e3).scale, 0.1);
}

TEST(AtmosphereMap, AirAtRestStays) {
  SmallAtmosphere<3, double> air(on_map(), space);
  air.run(60);
  air.observe();
  EXPECT_LT(air.step.largest_w.value(), 1e-10);
  EXPECT_GT(air.step.smallest_w.value(), -1e-10);
  EXPECT_LT(air.step.largest_wind.value(), 1e-10);
}

double sum_of(const Field<double>& field) {
  const auto values = field.copy_out({{0, 0, 0}, space.cells});
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(AtmosphereMap, MassHeatAndWaterAreConserved) {
  Model model = on_map();
  model.diffusivity = 20;
  model.bubbles = {{.amplitude = 3, .center = {0, 14e3, 1500}, .radius = {3000, 4000, 1500}}};
  SmallAtmosphere<3, double> dry(model, space);
  dry.observe();
  const double heat = sum_of(dry.step.now.heat), mass = dry.step.added_mass.value();
  dry.run(60);
  dry.observe();
  EXPECT_GT(dry.step.largest_w.value(), 1);
  EXPECT_NEAR(dry.step.added_mass.value(), mass, 1e-13 * dry.step.base_mass.value());
  EXPECT_NEAR(sum_of(dry.step.now.heat), heat, 1e-13 * 300 * dry.step.base_mass.value());

  model.humidity = {.kind = Humidity::Kind::relative, .ground = 0.98, .aloft = 0.5};
  SmallAtmosphere<3, double> moist(model, space);
  moist.observe();
  const double water = moist.step.water->water.value();
  moist.run(100);
  moist.observe();
  EXPECT_GT(moist.step.water->largest_cloud.value(), 1e-4);
  EXPECT_NEAR(
      moist.step.water->water.value() + moist.step.water->fallen.value() / space.spacing.value[2],
      water, 1e-12 * water);
}

/// Everything but rotation, in these lengths.
Model everything(double length) {
  Model model;
  model.profile = std::make_shared<const AirProfile>(AirProfile{.height = {0, 2000, 9000},
                                                                .theta = {300, 303, 340},
                                                                .vapor = {0.016, 0.01, 1e-4},
                                                                .relative_humidity = {},
                                                                .u = {2, 10, 20},
                                                                .v = {5, 0, -4},
                                                                .surface_pressure = {}});
  model.humidity = {.kind = Humidity::Kind::sounding, .rain = Humidity::Rain::wsm6};
  model.large_scale = std::make_shared<const LargeScale>(LargeScale{.height = {0, 9000},
                                                                    .w = {0, -0.1},
                                                                    .heating = {1e-4, 0},
                                                                    .moistening = {1e-7, 0},
                                                                    .u = {1, 2},
                                                                    .v = {2, 1},
                                                                    .equilibrium = {}});
  model.wind = {3, 1};
  model.cooling_time = 1000;
  model.diffusivity = 30;
  model.smagorinsky = 0.18;
  model.surface = {.kind = Surface::Kind::land, .temperature = 310};
  model.sides.kind[0] = {SideKind::open, SideKind::base};
  model.sides.kind[1] = {SideKind::wall, SideKind::open};
  model.sides.depth = 2000 * length;
  model.sides.wave_speed = 30 * length;
  model.terrain = {.shape = Terrain::Shape::bell,
                   .height = 500,
                   .half_width = 2000 * length,
                   .width_y = 1500 * length,
                   .center_x = 5000 * length,
                   .center_y = 4000 * length};
  model.sponge_depth = 3000;
  model.bubbles = {{.amplitude = 4,
                    .center = {4000 * length, 4000 * length, 2000},
                    .radius = {3000 * length, 2000 * length, 2000}}};
  model.dt = 3;
  model.short_steps = 6;
  return model;
}

/// On a map whose scale is a half everywhere, that of an earth that is all but flat, everything is
/// as on a plane in cells of twice the size.
TEST(AtmosphereMap, AScaleThatIsTheSameEverywhereIsOneOfLengthsAlone) {
  Model on_map = everything(0.5);
  on_map.map = {.kind = Kind::mercator, .true_latitudes = {60, 60}, .radius = 1e14};
  GridOptions cells{.cells = {20, 14, 10}, .spacing = {500, 600, 800}};
  SmallAtmosphere<3, double> plane(everything(1), cells);
  cells.spacing = {250, 300, 800};
  SmallAtmosphere<3, double> map(on_map, cells);
  for (auto* air : {&plane, &map}) {
    air->run(30);
    air->observe();
  }
  const auto expect_equal = [&](const auto& of_map, const auto& of_plane) {
    const auto a = of_map.copy_out(), b = of_plane.copy_out();
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::abs(b[i]));
      difference = std::max(difference, std::abs(a[i] - b[i]));
    }
    EXPECT_GT(largest, 0) << of_map.name();
    EXPECT_LT(difference, 1e-8 * largest) << of_map.name();
  };
  const auto &m = map.step, &p = plane.step;
  expect_equal(m.velocity, p.velocity);
  expect_equal(m.theta_deviation, p.theta_deviation);
  expect_equal(m.pressure_deviation, p.pressure_deviation);
  expect_equal(m.air.density, p.air.density);
  expect_equal(m.water->ratio.vapor, p.water->ratio.vapor);
  expect_equal(m.water->ratio.cloud, p.water->ratio.cloud);
  expect_equal(m.water->liquid_path, p.water->liquid_path);
  expect_equal(m.skin->evaporated, p.skin->evaporated);
  EXPECT_NEAR(m.water->water.value(), 4 * p.water->water.value(), 1e-9 * m.water->water.value());
  EXPECT_NEAR(m.evaporated.value(), 4 * p.evaporated.value(), 1e-8 * m.evaporated.value());
  EXPECT_NEAR(m.largest_wind.value(), p.largest_wind.value(), 1e-7);
}

/// The volume of a cell counts: the mass of the air is that over the area on the earth.
TEST(AtmosphereMap, MassIsThatOfTheAirAboveTheEarth) {
  Model model = on_map(), flat = on_map();
  model.terrain = flat.terrain = {};
  flat.map = {};
  SmallAtmosphere<3, double> air(model, space), plain(flat, space);
  const Projection earth(model.map);
  double area = 0;
  for (Index j = 0; j < space.cells[1]; ++j) {
    for (Index i = 0; i < space.cells[0]; ++i) {
      const double scale = earth
                               .at(-5000 + (static_cast<double>(i) + 0.5) * 500,
                                   4000 + (static_cast<double>(j) + 0.5) * 600)
                               .scale;
      area += 1 / (scale * scale);
    }
  }
  const double share = area / static_cast<double>(space.cells[0] * space.cells[1]);
  EXPECT_NEAR(air.step.base_mass.value() / plain.step.base_mass.value(), share, 1e-13);
  EXPECT_GT(std::abs(share - 1), 0.01);
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_map_test
