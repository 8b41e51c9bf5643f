#pragma once
// What a radar of 10 cm sees: reflectivity of rain, snow and graupel, and the largest of columns.

#include "atmosphere/measures.hpp"
#include "atmosphere/particles.hpp"

namespace goban::atmosphere {

/// Equivalent reflectivity factor Z [mm6/m3] of spheres that are small beside the wave: of drops
/// 720 N_0 l^7; of ice 0.224 (density / that of water)^2 of it (Smith, J. Climate Appl. Meteor. 23
/// (1984) 1258), without the 0.224 where it melts and is wet.
template <class T>
struct Reflectivity {
  static constexpr T mm6 = T(1e18), ice_to_water = T(0.224), faintest = T(1e-3);

  GOBAN_FUNCTION auto factor(const Particles<T>& kind, const auto& content,
                             const auto& many) const {
    const auto l = kind.mean_diameter(content, many), cube = l * l * l;
    return (T(720) * mm6 * kind.intercept) * many * (cube * (cube * l));
  }
  GOBAN_FUNCTION auto of_rain(const auto& content) const {
    return factor(rain_drops<T>, content, T(1));
  }
  GOBAN_FUNCTION auto of_ice(const Particles<T>& kind, const auto& content, const auto& many,
                             const auto& temperature) const {
    const T share = kind.density / rain_drops<T>.density;
    const auto wet = (share * share) * factor(kind, content, many);
    return wet * select(temperature < static_cast<T>(melting_point), ice_to_water, T(1));
  }
  /// 10 log10 Z, dBZ; -30 where there is less than 1e-3 mm6/m3.
  GOBAN_FUNCTION auto decibels(const auto& factor) const {
    return T(10 / std::numbers::ln10) * log(max(factor, faintest));
  }
};

/// dBZ of cells, and the largest of the column, in all its cells. Arguments: the site, G rho q of
/// rain [kg/m3], G, temperature [K], both results, scratch, and G rho q of snow and graupel where
/// there are any.
template <class T>
struct SeeColumns {
  std::int32_t levels;
  Reflectivity<T> radar{};

  GOBAN_FUNCTION void forward(auto site, auto rain, auto stretch, auto temperature, auto dbz, auto,
                              auto s, auto... ice) const {
    const auto here = radar.decibels(factor(rain() / stretch(), stretch(), temperature(), ice...));
    dbz = here;
    s[0] = select(site.index(Axis::z) == 0, here, max(here, s[0].before()));
  }
  GOBAN_FUNCTION void backward(auto site, auto, auto, auto, auto, auto composite, auto s,
                               auto...) const {
    spread_down(site, levels, s, composite);
  }

 private:
  GOBAN_FUNCTION auto factor(const auto& rain, const auto&, const auto&) const {
    return radar.of_rain(max(rain, T(0)));
  }
  GOBAN_FUNCTION auto factor(const auto& rain, const auto& stretch, const auto& temperature,
                             const auto& snow, const auto& graupel) const {
    return radar.of_rain(max(rain, T(0))) +
           radar.of_ice(snow_flakes<T>, max(snow() / stretch, T(0)), snow_number<T>(temperature),
                        temperature) +
           radar.of_ice(graupel_grains<T>, max(graupel() / stretch, T(0)), T(1), temperature);
  }
};

}  // namespace goban::atmosphere
