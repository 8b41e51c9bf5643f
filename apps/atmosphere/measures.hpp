#pragma once
// What is shown and summed up.

#include <cstdint>
#include <tuple>

#include "goban/stencil/graph/traced_math.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/site.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::atmosphere {

/// Times the area of a map.
struct Value {
  GOBAN_FUNCTION auto operator()(auto x, auto... area) const { return (x() * ... * area()); }
};

struct Clear {
  GOBAN_FUNCTION void operator()(auto... q) const { ((q = 0), ...); }
};

/// On the way down a column: what the way up has left in the highest cell, in the numbers `s` of
/// scratch from `First` on, becomes each of the results in all cells.
template <std::size_t First = 0>
GOBAN_FUNCTION void spread_down(const auto& site, std::int32_t levels, auto s, auto... results) {
  const auto is_highest = site.index(Axis::z) == levels - 1;
  const auto all = std::tie(results...);
  unroll<sizeof...(results)>([&](auto n) {
    const auto value = select(is_highest, s[First + n](), s[First + n].before());
    s[First + n] = value;
    std::get<n>(all) = value;
  });
}

/// Wind speed [m/s], along levels.
struct Speed {
  GOBAN_FUNCTION auto operator()(auto velocity) const {
    return sqrt(velocity[0]() * velocity[0]() + velocity[1]() * velocity[1]());
  }
};

/// Pressure [Pa] half a cell of this height below that of its middle.
struct PressureBelow {
  double gravity, ds;

  GOBAN_FUNCTION auto operator()(auto pressure, auto density, auto stretch) const {
    return convert<double>(pressure()) +
           (0.5 * gravity * ds) * convert<double>(density() * stretch());
  }
};

/// The same reduced from the ground, this high above z = 0, to there: p exp(g z / (R T)), T [K]
/// that of the lowest level and 6.5 K/km more downward, the mean of the way.
struct PressureAtSea {
  PressureBelow at_ground;
  double gas_constant;

  GOBAN_FUNCTION auto operator()(auto pressure, auto density, auto stretch, auto temperature,
                                 auto height) const {
    const auto ground =
        convert<double>(height()) - (0.5 * at_ground.ds) * convert<double>(stretch());
    const auto mean = convert<double>(temperature()) + 3.25e-3 * ground;
    return at_ground(pressure, density, stretch) *
           exp(at_ground.gravity / gas_constant * ground / mean);
  }
};

/// In cells: velocity, that on the earth, deviations of theta and pressure from the base state.
struct Show {
  GOBAN_FUNCTION void operator()(auto u, auto v, auto w, auto theta, auto p, auto mass, auto heat,
                                 auto velocity, auto theta_deviation, auto pressure,
                                 auto... area) const {
    velocity[0] = (average<Axis::x, Onto::center>(u) * ... * sqrt(area()));
    velocity[1] = (average<Axis::y, Onto::center>(v) * ... * sqrt(area()));
    velocity[2] = average<Axis::z, Onto::center>(w);
    theta_deviation = theta() - heat() / mass();
    pressure = p();
  }
};

/// In cells: pressure [Pa], density [kg/m3], theta and temperature [K] of dry air. `exponent`: the
/// gas constant over the heat capacity.
template <class T>
struct ShowAir {
  T exponent;
  static constexpr T reference = 1e5;  ///< Pa

  GOBAN_FUNCTION void operator()(auto theta, auto p, auto base_p, auto mass, auto r, auto stretch,
                                 auto pressure, auto density, auto shown_theta,
                                 auto temperature) const {
    const auto all = base_p() + p();
    pressure = all;
    density = (mass() + r()) / stretch();
    shown_theta = theta();
    temperature = theta() * pow(all / reference, exponent);
  }
};

}  // namespace goban::atmosphere
