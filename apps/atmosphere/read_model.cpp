// From the values of a case to a model, or why it is refused.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "atmosphere/keys.hpp"
#include "goban/cases/ground.hpp"
#include "goban/cases/side_keys.hpp"
#include "goban/io/case/place.hpp"
#include "goban/simulation/application/from_case.hpp"

namespace goban::atmosphere {
namespace {

void refuse_if(bool is_wrong, const Case& values, const std::string& key,
               const std::string& problem, const std::string& why,
               const std::string& suggestion = {}) {
  if (is_wrong) throw values.error(key, problem, why, suggestion);
}

void check_profile(const Case& values, const Model& model, double lid) {
  const bool is_from_sounding = model.humidity.kind == Humidity::Kind::sounding;
  if (!model.profile) {
    if (!is_from_sounding) return;
    throw values.error("moisture.base", "the humidity of a sounding is refused",
                       "base.sounding names none", "name one, or say how humid the air is");
  }
  refuse_if(is_from_sounding && !model.profile->has_water(), values, "moisture.base",
            "the humidity of the sounding is refused", "it has none", "give it a column qv or rh");
  if (model.profile->has_water() && !model.humidity.has_water()) {
    values.warn(
        "base.sounding: its humidity is not used: moisture.base is \"none\", the air is dry");
  }
  refuse_if(model.profile->height.back() < lid, values, "base.sounding",
            fmt::format("a sounding up to {:.6g} m is refused", model.profile->height.back()),
            fmt::format("the lid lies at {:.6g} m", lid), "lower the lid or continue the sounding");
}

void refuse_given(const Case& values, const std::vector<std::string>& keys,
                  const std::string& why) {
  for (const std::string& key : keys) {
    if (!values.given(key)) continue;
    throw values.error(key, key + " is refused", why, "leave it out");
  }
}

void read_profile(Model& model, const Case& values) {
  const auto file = values.path("base.sounding");
  if (file.empty()) return;
  refuse_given(values, {"base.theta", "base.stability"}, "base.sounding says it");
  model.profile = std::make_shared<const AirProfile>(read_air_profile(file));
  if (const auto& pressure = model.profile->surface_pressure) {
    refuse_given(values, {"base.pressure"}, "the first line of base.sounding says it");
    model.surface_pressure = *pressure;
  }
}

LateralSides read_lateral_sides(const Case& values) {
  constexpr Named<SideKind> names[] = {{"periodic", SideKind::periodic},
                                       {"open", SideKind::open},
                                       {"wall", SideKind::wall},
                                       {"base", SideKind::base},
                                       {"larger", SideKind::larger}};
  auto sides = values.read<LateralSides>();
  const auto given = read_sides(values, names);
  sides.kind[0] = given[0];
  sides.kind[1] = given[1];
  sides.larger = values.path("sides.larger");
  const bool is_none = sides.larger.empty(), begins = sides.begins_as_larger;
  refuse_if((sides.have(SideKind::larger) || begins) == is_none, values,
            is_none ? begins ? "initial.larger" : "boundary.x" : "sides.larger",
            is_none ? "there is no larger model" : "a larger model is refused",
            "boundary.x = \"larger\" or initial.larger and sides.larger = \"...\" belong together");
  refuse_if(sides.have(SideKind::larger) && sides.depth == 0, values, "sides.depth",
            "sides of a larger model without depth are refused", "air goes back to it up to there",
            "make it five cells or more");
  refuse_if(values.integer3("grid.cells")[1] == 1 && !sides.wraps(1), values, "boundary.y",
            "sides along y are refused",
            "the grid has one cell along y, along which nothing changes", "make them periodic");
  return sides;
}

Surface read_surface(const Case& values, const LateralSides& sides) {
  auto surface = values.read<Surface>();
  const auto map = [&](const std::string& key, const char* unit, double low,
                       double high) -> Surface::Map {
    if (values.path(key).empty()) return nullptr;
    refuse_if(surface.kind == Surface::Kind::none, values, key, key + " is refused",
              "surface.kind is \"none\"", "say \"sea\" or \"land\"");
    return std::make_shared<const std::vector<double>>(
        read_columns(values, key, {sides.wraps(0), sides.wraps(1)}, unit, low, high));
  };
  surface.temperatures = map("surface.temperature_file", "K", 150, 400);
  surface.roughnesses = map("surface.roughness_file", "m", 0, 100);
  surface.wetnesses = map("surface.wetness_file", "", 0, 1);
  return surface;
}

void read_ground(Model& model, const Case& values) {
  Terrain& terrain = model.terrain;
  terrain = values.read<Terrain>();
  const bool is_file = terrain.shape == Terrain::Shape::file;
  refuse_if(is_file == values.path("terrain.file").empty(), values,
            is_file ? "terrain.shape" : "terrain.file",
            is_file ? "the shape has no file" : "a file is refused",
            "shape = \"file\" and file = \"...\" belong together");
  if (!is_file) return;
  refuse_given(values, {"terrain.height"}, "the file says how high the ground is");
  const auto heights =
      read_ground(values, "terrain.file", terrain.steepest * values.real3("grid.spacing")[2],
                  {model.sides.wraps(0), model.sides.wraps(1)});
  terrain.height = *std::max_element(heights.begin(), heights.end());
  terrain.columns = std::make_shared<const std::vector<double>>(heights);
}

void read_forcing(Model& model, const Case& values) {
  const auto file = values.path("forcing.profile");
  if (file.empty()) return;
  model.large_scale = std::make_shared<const LargeScale>(read_large_scale(file));
  const LargeScale& around = *model.large_scale;
  if (around.has_wind() && model.rotation == 0) {
    values.warn("forcing.profile: its geostrophic wind does nothing: air.rotation is 0");
  }
  if (!around.moistening.empty() && !model.humidity.has_water()) {
    values.warn("forcing.profile: its qv_rate is not used: moisture.base is \"none\"");
  }
  if (!around.equilibrium.empty() && model.cooling_time == 0) {
    values.warn("forcing.profile: its theta_eq is not used: forcing.cooling_time is 0");
  }
}

Map read_map(const Case& values, const LateralSides& sides) {
  auto map = values.read<Map>();
  if (map.is_plane()) {
    refuse_given(
        values,
        {"map.latitude", "map.longitude", "map.true_latitudes", "map.radius", "map.earth_rotation"},
        "map.kind is \"none\"");
    return map;
  }
  refuse_given(values, {"air.rotation"}, "f is that of the map's latitudes");
  if (!values.given("map.true_latitudes")) map.true_latitudes.fill(map.latitude);
  const auto [first, second] = map.true_latitudes;
  refuse_if(map.kind != Map::Kind::lambert && first != second, values, "map.true_latitudes",
            fmt::format("{} and {} degrees are refused", first, second),
            "this map is true to scale at one latitude", "give it twice");
  refuse_if(values.integer3("grid.cells")[1] == 1, values, "map.kind", "a map is refused",
            "the grid is a slice, along which nothing changes", "give it several cells along y");
  const bool wraps_x = sides.wraps(0) && map.kind != Map::Kind::mercator;
  refuse_if(wraps_x || sides.wraps(1), values, wraps_x ? "boundary.x" : "boundary.y",
            "periodic sides are refused", "the scale of the map is not the same on both",
            "make them open or those of a larger model");
  return map;
}

/// The largest scale in the grid. Errors naming map.kind: a grid that the map does not cover.
double largest_scale(const Case& values, const Map& map) {
  const Projection projection(map);
  const Index3 cells = values.integer3("grid.cells");
  const Real3 h = values.real3("grid.spacing"), origin = values.real3("grid.origin");
  double largest = 0, farthest = 0;
  for (Index j = 0; j <= cells[1]; ++j) {
    for (Index i = 0; i <= cells[0]; ++i) {
      const auto place = projection.at(origin[0] + static_cast<double>(i) * h[0],
                                       origin[1] + static_cast<double>(j) * h[1]);
      largest = std::isnan(place.scale) ? INFINITY : std::max(largest, place.scale);
      farthest = std::max(farthest, std::abs(place.longitude - map.longitude));
    }
  }
  constexpr double most = 10;
  refuse_if(!(largest < most), values, "map.kind",
            fmt::format("a scale of {:.3g} is refused", largest),
            "lengths on the map are that many times those on the earth",
            "make the grid smaller or take another map");
  refuse_if(map.kind == Map::Kind::lambert && farthest > 180, values, "map.kind",
            "a grid that reaches around the pole is refused",
            fmt::format("its corners lie {:.0f} degrees from map.longitude", farthest),
            "make it smaller or take a polar map");
  return largest;
}

StartFields read_start(const Model& model, const Case& values) {
  if (!model.humidity.has_water()) {
    refuse_given(values, {"initial.vapor", "initial.cloud", "initial.rain"},
                 "moisture.base is \"none\": the air is dry");
  }
  if (model.sides.begins_as_larger) {
    refuse_given(values,
                 {"initial.theta", "initial.pressure", "initial.u", "initial.v", "initial.w",
                  "initial.vapor", "initial.cloud", "initial.rain", "initial.noise_theta",
                  "initial.noise_vapor", "vortex.drop", "base.warmer"},
                 "initial.larger says what the air is at first");
  }
  const auto file = [&](const char* name) {
    return image_of(values, std::string("initial.") + name);
  };
  return {file("theta"), file("pressure"), file("u"),     file("v"),
          file("w"),     file("vapor"),    file("cloud"), file("rain")};
}

void check(const Case& values, const Model& model) {
  refuse_if(model.heat_capacity <= model.gas_constant, values, "air.heat_capacity",
            fmt::format("a heat capacity of {} is refused", model.heat_capacity),
            fmt::format("the gas constant is {}", model.gas_constant),
            "that of dry air is 1004 J/(kg K)");
  refuse_if(values.real3("grid.origin")[2] != 0, values, "grid.origin",
            "an origin above or below z = 0 is refused",
            "levels begin at the ground, whose height terrain gives", "make its third number 0");
  const Index3 cells = values.integer3("grid.cells");
  refuse_if(cells[2] < 4, values, "grid.cells", fmt::format("{} levels are too few", cells[2]),
            "4 are the least");
  refuse_if(cells[0] < 2, values, "grid.cells", "1 cell along x is too few",
            "differences reach two cells far", "a slice has 1 cell along y");
  const double lid = static_cast<double>(cells[2]) * values.real3("grid.spacing")[2];
  refuse_if(model.terrain.shape != Terrain::Shape::none && model.terrain.height > 0.5 * lid, values,
            model.terrain.columns ? "terrain.file" : "terrain.height",
            fmt::format("ground {} m high is refused", model.terrain.height),
            fmt::format("the lid lies at {} m", lid), "make it at most half as high");
  refuse_if(model.sponge_depth >= lid, values, "sponge.depth",
            fmt::format("a sponge {} m deep is refused", model.sponge_depth),
            fmt::format("the lid lies at {} m", lid), "make it less deep");
  refuse_if(
      (model.humidity.has_water() || model.profile) && model.warmer != 0, values, "base.warmer",
      fmt::format("{} that is warmer than the base state is refused",
                  model.profile ? "air of a sounding" : "moist air"),
      model.profile ? "it is what the sounding says" : "its humidity is that of the base state",
      "leave it out");
  refuse_if(model.surface.mixes && model.surface.kind == Surface::Kind::none, values,
            "surface.boundary_layer", "a boundary layer is refused",
            "surface.kind is \"none\", so that there is no drag", "name a surface");
  refuse_if(model.surface.mixes && model.smagorinsky > 0, values, "surface.boundary_layer",
            "a boundary layer with air.smagorinsky is refused", "each says how strong eddies are",
            "leave one of them out");
  refuse_if(model.vortex.drop >= model.surface_pressure, values, "vortex.drop",
            fmt::format("a drop of {} Pa is refused", model.vortex.drop),
            fmt::format("pressure is {} Pa", model.surface_pressure),
            "that of a cyclone at first is 1115 Pa");
  check_profile(values, model, lid);
  refuse_if(model.theta(lid) + model.warmer <= 0 || !(model.pressure(lid, model.warmer) > 0),
            values, "grid.cells", fmt::format("a lid at {} m is refused", lid),
            "the pressure of the air would vanish below", "make it lower or base.stability larger");
}

}  // namespace

Model read_model(const Case& values) {
  auto model = values.read<Model>();
  model.humidity = values.read<Humidity>();
  model.sides = read_lateral_sides(values);
  model.surface = read_surface(values, model.sides);
  model.map = read_map(values, model.sides);
  read_ground(model, values);
  read_profile(model, values);
  read_forcing(model, values);
  model.start = read_start(model, values);
  model.noise = values.read<Noise>();
  model.vortex = values.read<Vortex>();
  const GridPlace grid(values);
  if (!values.has("sponge.rate")) model.sponge_rate = model.usual_sponge_rate(grid.upper[2]);
  const Real3 hill{model.terrain.center_x, model.terrain.center_y, 0};
  model.terrain.center_y = grid.onto_plane(hill)[1];
  for (const Case& row : values.list("bubble")) {
    model.bubbles.push_back(row.read<Bubble>());
    Bubble& bubble = model.bubbles.back();
    bubble.center = grid.onto_plane(bubble.center);
    refuse_if(model.sides.begins_as_larger, row, "amplitude", "a bubble is refused",
              "initial.larger says what the air is at first", "leave it out");
    refuse_if(bubble.shape == Bubble::Shape::ridge && bubble.radius[0] <= 0, row, "radius",
              "a ridge without a radius along x is refused",
              "its shape is 1 / (1 + (x / radius)^2)", "give radius = [5000, 0, 0]");
  }
  check(values, model);
  Real3 spacing = values.real3("grid.spacing");
  if (!model.map.is_plane()) {
    const double scale = largest_scale(values, model.map);
    spacing[0] /= scale;
    spacing[1] /= scale;
  }
  model.dt =
      stable_time_step(values, model.largest_time_step(values.integer3("grid.cells"), spacing));
  refuse_if(model.sides.depth > 0 && model.sides.rate * model.dt > 1, values, "sides.rate",
            fmt::format("a rate of {}/s is refused", model.sides.rate),
            fmt::format("a step takes {:.4g} s", model.dt),
            fmt::format("make it at most {:.3g}/s", 1 / model.dt));
  refuse_if(model.cooling_time > 0 && model.cooling_time < model.dt, values, "forcing.cooling_time",
            fmt::format("a time of {} s is refused", model.cooling_time),
            fmt::format("a step takes {:.4g} s", model.dt), "radiation takes days");
  model.short_steps = model.usual_short_steps(model.dt, spacing);
  if (values.has("scheme.short_steps")) {
    const Index steps = values.integer("scheme.short_steps");
    refuse_if(steps % 2 != 0, values, "scheme.short_steps",
              fmt::format("{} short steps are refused", steps),
              "the second stage takes half of them", "give an even number");
    model.short_steps = static_cast<int>(steps);
  }
  return model;
}

}  // namespace goban::atmosphere
