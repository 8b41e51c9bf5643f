#pragma once
// The state at the beginning: pressure in the model's own balance, and what follows from it, in
// double.

#include "atmosphere/kessler.hpp"
#include "atmosphere/moisture.hpp"
#include "atmosphere/pressure.hpp"
#include "goban/stencil/graph/traced_math.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/site.hpp"

namespace goban::atmosphere {

/// p = reference (gas_constant rho theta / reference)^gamma and back.
struct StateEquation {
  double gas_constant = 287, gamma = 1.4, reference = 1e5;

  GOBAN_FUNCTION auto heat(const auto& p) const {
    return reference / gas_constant * pow(p / reference, 1 / gamma);
  }
  /// Temperature over potential temperature.
  GOBAN_FUNCTION auto exner(const auto& p) const { return pow(p / reference, 1 - 1 / gamma); }
};

/// Pressure of columns with this theta, from that of the lowest level up: p_k + g rise rho_k / 2 =
/// p_{k-1} - g rise rho_{k-1} / 2, by Newton's method. `rise`: from the centre below, m.
struct Balance {
  StateEquation air;
  double gravity;

  GOBAN_FUNCTION void forward(auto site, auto theta, auto rise, auto lowest, auto pressure,
                              auto s) const {
    const auto half = (0.5 * gravity) * rise();
    const auto is_lowest = site.index(Axis::z) == 0;
    const auto below = select(is_lowest, lowest(), s[0].before());
    const auto known = below - half * s[1].before();
    const auto p = refined<6>(below * 1.0, known, half, theta());
    const auto found = select(is_lowest, lowest(), p);
    s[0] = found;
    s[1] = air.heat(found) / theta();
    pressure = found;
  }

 private:
  template <int Steps>
  GOBAN_FUNCTION auto refined(const auto& p, const auto& known, const auto& half,
                              const auto& theta) const {
    if constexpr (Steps == 0) {
      return p;
    } else {
      const auto rho = air.heat(p) / theta;
      const auto next = p - (p + half * rho - known) / (1 + half * rho / (air.gamma * p));
      return refined<Steps - 1>(next * 1.0, known, half, theta);
    }
  }
};

/// Adds numbers of equal probability between -amplitude and amplitude below `top` [m].
template <class T>
struct AddNoise {
  double amplitude;
  T top;
  int stream;

  GOBAN_FUNCTION void operator()(auto site, auto height, auto value) const {
    const auto number = 2 * site.template random<double>(stream) - 1;
    value += select(height() < top, amplitude * number, 0);
  }
};

/// The base state times G.
struct SetBase {
  StateEquation air;
  GOBAN_FUNCTION void operator()(auto theta, auto p, auto stretch, auto mass, auto heat,
                                 auto pressure) const {
    const auto all = stretch() * air.heat(p());
    mass = all / theta();
    heat = all;
    pressure = p();
  }
};

/// r and th of air of `theta` in balance at p, and bubbles at that pressure: of theta and, in
/// terms of temperature, of theta over Exner's function.
struct SetDeviations {
  StateEquation air;
  GOBAN_FUNCTION void operator()(auto base_theta, auto base_p, auto theta, auto p, auto warmer,
                                 auto hotter, auto stretch, auto r, auto th) const {
    const auto heat = air.heat(p()), base_heat = air.heat(base_p());
    const auto all_theta = theta() + warmer() + hotter() / air.exner(p());
    r = stretch() * (heat / all_theta - base_heat / base_theta());
    th = stretch() * (heat - base_heat);
  }
};

/// Water of air whose theta_m at p is that of SetDeviations: with the mixing ratios that are given
/// or, of the sum of vapour and cloud, with as much vapour as saturates, by Newton's method.
template <bool IsSaturated>
struct SetWater {
  StateEquation air;
  MoistAir<double> moist{};
  Kessler<double> rain{};

  GOBAN_FUNCTION void operator()(auto theta, auto p, auto warmer, auto hotter, auto vapor,
                                 auto cloud, auto rain_water, auto stretch, auto now_vapor,
                                 auto now_cloud, auto now_rain) const {
    const auto exner = air.exner(p());
    const auto all_theta = theta() + warmer() + hotter() / exner;
    const auto q_t = vapor() + cloud(), all_water = q_t + rain_water();
    const auto q_v = [&] {
      if constexpr (IsSaturated) {
        return min(saturated<8>(vapor() * 1.0, exner * all_theta * (1 + all_water), p()), q_t);
      } else {
        return vapor();
      }
    }();
    const auto dry = stretch() * air.heat(p()) / (all_theta * (1 + all_water));
    now_vapor = dry * q_v;
    now_cloud = dry * (q_t - q_v);
    now_rain = dry * rain_water();
  }

 private:
  /// q_v = q_vs at T = heat / (1 + ratio q_v).
  template <int Steps>
  GOBAN_FUNCTION auto saturated(const auto& q_v, const auto& heat, const auto& p) const {
    if constexpr (Steps == 0) {
      return q_v;
    } else {
      const double ratio = moist.vapor_gas_constant / moist.gas_constant;
      const auto temperature = heat / (1 + ratio * q_v),
                 above = temperature - rain.tetens_temperature;
      const auto q_vs = rain.saturation(temperature) / (0.01 * p);
      const auto slope = q_vs * (rain.tetens_factor * rain.tetens_difference) / (above * above);
      const auto next = q_v - (q_v - q_vs) / (1 + slope * temperature * ratio / (1 + ratio * q_v));
      return saturated<Steps - 1>(next * 1.0, heat, p);
    }
  }
};

/// A wind in cells on faces along A = x, y, m/s, or momentum, where G rho and r are given.
template <Axis A>
struct OntoFaces {
  GOBAN_FUNCTION void operator()(auto wind, auto u) const { u = average<A, Onto::face>(wind); }
  GOBAN_FUNCTION void operator()(auto wind, auto mass, auto r, auto U) const {
    U = average<A, Onto::face>(wind) * (average<A, Onto::face>(mass) + average<A, Onto::face>(r));
  }
};

/// W above the ground, from a velocity in cells.
struct SetRise {
  GOBAN_FUNCTION void operator()(auto site, auto w, auto mass, auto r, auto stretch, auto W) const {
    const auto density = [&](int k) { return (mass(0, 0, k) + r(0, 0, k)) / stretch(0, 0, k); };
    const auto rises = 0.25 * ((density(0) + density(-1)) * (w() + w(0, 0, -1)));
    W += select(site.index(Axis::z) == 0, 0, rises);
  }
};

}  // namespace goban::atmosphere
