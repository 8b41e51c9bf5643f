#pragma once
// What is seen of clouds from above and below.

#include "atmosphere/measures.hpp"

namespace goban::atmosphere {

/// The mixing ratio from which on air counts as cloud, kg/kg.
inline constexpr double least_cloud = 1e-5;

/// Liquid water of the column [kg/m2], and 1 if there is cloud in it, else 0, in all its cells.
/// Arguments: the site, Q of cloud and rain, mixing ratio of cloud, both results, scratch, and the
/// area of a map.
template <class T>
struct LookThrough {
  T ds;
  std::int32_t levels;

  GOBAN_FUNCTION void forward(auto site, auto cloud, auto rain, auto ratio, auto, auto, auto s,
                              auto... area) const {
    const auto is_lowest = site.index(Axis::z) == 0;
    const auto liquid = ((ds * (cloud() + rain())) / ... / area());
    const auto is_cloudy = select(ratio() > T(least_cloud), T(1), T(0));
    s[0] = select(is_lowest, liquid, liquid + s[0].before());
    s[1] = select(is_lowest, is_cloudy, max(is_cloudy, s[1].before()));
  }
  GOBAN_FUNCTION void backward(auto site, auto, auto, auto, auto path, auto cover, auto s,
                               auto...) const {
    spread_down(site, levels, s, path, cover);
  }
};

/// The height of a cell [m] if there is cloud in it, else another.
struct HeightOfCloud {
  double otherwise;

  GOBAN_FUNCTION auto operator()(auto ratio, auto height) const {
    return select(ratio() > least_cloud, convert<double>(height()), otherwise);
  }
};

}  // namespace goban::atmosphere
