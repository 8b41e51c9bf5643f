#include "atmosphere/start_air.hpp"

#include <cmath>

#include "atmosphere/sounding.hpp"

namespace goban::atmosphere {
namespace {

class Filling {
 public:
  Filling(Grid& grid, const Model& model, const Levels& levels)
      : grid_(grid), model_(model), levels_(levels), air_(model, levels.lid()) {}

  /// value(cell) in each cell, or what the file says.
  template <class F>
  Field<double> field(const std::string& name, const F& value,
                      const StartFields::Source& file = nullptr) const {
    Field<double> result(grid_, "start_" + name);
    ImageWindow window(file);
    result.fill([&](Index3 cell) -> double { return window ? window.at(cell) : value(cell); },
                window.prepare());
    return result;
  }
  Field<double> nothing(const std::string& name, const StartFields::Source& file = nullptr) const {
    return field(
        name, [](Index3) { return 0; }, file);
  }
  Field<double> theta(const std::string& name, double warmer,
                      const StartFields::Source& file = nullptr) const {
    return field(
        name, [&](Index3 cell) { return air_.theta(levels_.center(cell)) + warmer; }, file);
  }
  /// theta, and the pressure of the lowest cells, of the air at first, with its vortex.
  Field<double> first_theta(const StartFields::Source& file) const {
    if (model_.vortex.drop == 0) return theta("theta", model_.warmer, file);
    return field(
        "theta", [&](Index3 cell) { return vortex(cell).theta; }, file);
  }
  Field<double> first_lowest() const {
    if (model_.vortex.drop == 0) return lowest("lowest", model_.warmer);
    return field("lowest", [&](Index3 cell) {
      const double p = air_.pressure(levels_.center(cell), 0);
      return cell[2] == 0 ? p * vortex(cell).pressure : 0;
    });
  }
  Field<double> rise() const {
    return field("rise", [&](Index3 cell) {
      return levels_.center(cell) - levels_.center({cell[0], cell[1], cell[2] - 1});
    });
  }
  Field<double> lowest(const std::string& name, double warmer) const {
    return field(name, [&](Index3 cell) {
      return cell[2] == 0 ? air_.pressure(levels_.center(cell), warmer) : 0;
    });
  }
  Field<double> wind(const std::string& name, std::size_t axis,
                     const StartFields::Source& file = nullptr) const {
    const auto at = [&](Index3 cell) { return model_.wind_at(levels_.center(cell))[axis]; };
    return field(name, at, file);
  }
  Field<double> first_wind(const std::string& name, std::size_t axis,
                           const StartFields::Source& file) const {
    if (model_.vortex.drop == 0) return wind(name, axis, file);
    return field(
        name,
        [&](Index3 cell) {
          const auto [x, y] = from_axis(cell);
          const double across = axis == 0 ? -y : x, r = std::hypot(x, y);
          const double turning = r > 0 ? vortex(cell).speed * across / r : 0;
          return model_.wind_at(levels_.center(cell))[axis] + turning;
        },
        file);
  }
  Field<double> bubbles(const std::string& name, bool is_temperature) const {
    return field(name, [&](Index3 cell) {
      const Position at = grid_.state()->position(cell, Location::cell);
      const double z = levels_.center(cell);
      double sum = 0;
      for (const Bubble& bubble : model_.bubbles) {
        if ((bubble.of == Bubble::Of::temperature) != is_temperature) continue;
        const double excess = bubble.at(at.x, at.y, z, levels_.lid());
        sum += bubble.of == Bubble::Of::buoyancy ? excess * air_.theta(z) / 300 : excess;
      }
      return sum;
    });
  }
  std::array<Field<double>, 3> water(const StartFields& files) const {
    const auto vapor = [&](Index3 cell) { return air_.vapor(levels_.center(cell)); };
    const auto cloud = [&](Index3 cell) { return air_.cloud(levels_.center(cell)); };
    return {field("vapor", vapor, files.vapor), field("cloud", cloud, files.cloud),
            nothing("rain", files.rain)};
  }

 private:
  std::array<double, 2> from_axis(Index3 cell) const {
    const Position at = grid_.state()->position(cell, Location::cell);
    return {at.x - model_.vortex.center[0], at.y - model_.vortex.center[1]};
  }
  Vortex::Air vortex(Index3 cell) const {
    const auto [x, y] = from_axis(cell);
    return model_.vortex.at(model_, air_, std::hypot(x, y), levels_.center(cell));
  }

  Grid& grid_;
  const Model& model_;
  const Levels& levels_;
  Sounding air_;
};

}  // namespace

StartAir start_air(Grid& grid, const Model& model, const Levels& levels) {
  const Filling fill(grid, model, levels);
  const StartFields& files = model.start;
  StartAir air{.base_theta = fill.theta("base_theta", 0),
               .theta = fill.first_theta(files.theta),
               .rise = fill.rise(),
               .base_lowest = fill.lowest("base_lowest", 0),
               .lowest = fill.first_lowest(),
               .warmer = fill.bubbles("warmer", false),
               .hotter = fill.bubbles("hotter", true),
               .base_p = fill.nothing("base_pressure"),
               .p = fill.nothing("pressure", files.pressure),
               .base_u = fill.wind("base_u", 0),
               .base_v = fill.wind("base_v", 1),
               .u = fill.first_wind("u", 0, files.u),
               .v = fill.first_wind("v", 1, files.v),
               .w = {},
               .water = {}};
  if (files.w) air.w = fill.nothing("w", files.w);
  if (model.humidity.has_water()) air.water = fill.water(files);
  return air;
}

}  // namespace goban::atmosphere
