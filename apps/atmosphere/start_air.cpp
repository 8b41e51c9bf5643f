#include "atmosphere/start_air.hpp"

#include <array>
#include <cmath>

#include "atmosphere/sounding.hpp"

namespace goban::atmosphere {

StartAir start_air(Grid& grid, const Model& model, const Levels& levels) {
  const Sounding air_at(model, levels.lid());
  const StartFields& files = model.start;
  /// value(cell) in each cell, or what the file says; a wind is made one on the map.
  const auto field = [&](const std::string& name, const auto& value,
                         const StartFields::Source& file = nullptr, bool is_wind = false) {
    Field<double> result(grid, "start_" + name);
    ImageWindow window(file);
    const auto fill = [&](Index3 cell) -> double {
      const double there = window ? window.at(cell) : value(cell);
      return is_wind ? levels.place(cell).scale * there : there;
    };
    result.fill(fill, window.prepare());
    return result;
  };
  const auto z = [&](Index3 cell) { return levels.center(cell); };
  const auto nothing = [](Index3) { return 0.0; };
  const auto by_height = [&](double (Sounding::*value)(double) const) {
    return [&, value](Index3 cell) { return (air_at.*value)(z(cell)); };
  };
  const auto wind = [&](std::size_t axis) {
    return [&, axis](Index3 cell) { return model.wind_at(z(cell))[axis]; };
  };
  const auto lowest = [&](double warmer) {
    return [&, warmer](Index3 cell) { return cell[2] == 0 ? air_at.pressure(z(cell), warmer) : 0; };
  };
  const bool is_vortex = model.vortex.drop > 0;
  const Projection earth(model.map);
  const std::array center = model.vortex.center;
  const double f = model.map.is_plane() ? model.rotation : earth.coriolis(center[0], center[1]);
  const auto vortex = [&](Index3 cell) {
    const Position at = grid.state()->position(cell, Location::cell);
    return model.vortex.at(model, air_at, f, earth.distance(center, at.x, at.y), z(cell));
  };
  const auto first_theta = [&](Index3 cell) {
    return is_vortex ? vortex(cell).theta : air_at.theta(z(cell)) + model.warmer;
  };
  const auto first_lowest = [&](Index3 cell) {
    if (!is_vortex || cell[2] > 0) return lowest(model.warmer)(cell);
    return air_at.pressure(z(cell), 0) * vortex(cell).pressure;
  };
  const auto first_wind = [&](std::size_t axis) {
    return [&, axis](Index3 cell) {
      const Position at = grid.state()->position(cell, Location::cell);
      const std::array around = earth.around(center, at.x, at.y);
      const double r = around[2];
      const double turning = is_vortex && r > 0 ? vortex(cell).speed * around[axis] / r : 0;
      return wind(axis)(cell) + turning;
    };
  };
  const auto bubbles = [&](bool is_temperature) {
    return [&, is_temperature](Index3 cell) {
      const Position at = grid.state()->position(cell, Location::cell);
      double sum = 0;
      for (const Bubble& bubble : model.bubbles) {
        if ((bubble.of == Bubble::Of::temperature) != is_temperature) continue;
        const double excess = bubble.at(at.x, at.y, z(cell), levels.lid());
        sum += bubble.of == Bubble::Of::buoyancy ? excess * air_at.theta(z(cell)) / 300 : excess;
      }
      return sum;
    };
  };
  const auto rise = [&](Index3 cell) { return z(cell) - z({cell[0], cell[1], cell[2] - 1}); };
  StartAir air{.base_theta = field("base_theta", by_height(&Sounding::theta)),
               .theta = field("theta", first_theta, files.theta),
               .rise = field("rise", rise),
               .base_lowest = field("base_lowest", lowest(0)),
               .lowest = field("lowest", first_lowest),
               .warmer = field("warmer", bubbles(false)),
               .hotter = field("hotter", bubbles(true)),
               .base_p = field("base_pressure", nothing),
               .p = field("pressure", nothing, files.pressure),
               .base_u = field("base_u", wind(0), nullptr, true),
               .base_v = field("base_v", wind(1), nullptr, true),
               .u = field("u", first_wind(0), files.u, true),
               .v = field("v", first_wind(1), files.v, true),
               .w = {},
               .water = {}};
  if (files.w) air.w = field("w", nothing, files.w);
  if (model.humidity.has_water()) {
    air.water = {field("vapor", by_height(&Sounding::vapor), files.vapor),
                 field("cloud", by_height(&Sounding::cloud), files.cloud),
                 field("rain", nothing, files.rain)};
  }
  return air;
}

}  // namespace goban::atmosphere
