#pragma once
// Air by height, as files say it: a sounding, and what happens in the air around.

#include <filesystem>
#include <optional>
#include <vector>

namespace goban::atmosphere {

/// A value between heights that grow, linear; below and above as at the ends; 0 where there is
/// none.
double value_at(const std::vector<double>& height, const std::vector<double>& values, double z);

/// What a sounding says at its heights; linear between, below and above as at the ends.
struct AirProfile {
  std::vector<double> height = {};              ///< m above z = 0; grows
  std::vector<double> theta = {};               ///< potential temperature, K
  std::vector<double> vapor = {};               ///< mixing ratio, kg/kg; empty: not said
  std::vector<double> relative_humidity = {};   ///< 1; empty: not said
  std::vector<double> u = {}, v = {};           ///< wind along x and y, m/s; empty: not said
  std::optional<double> surface_pressure = {};  ///< Pa, where z = 0

  bool has_water() const { return !vapor.empty() || !relative_humidity.empty(); }
  double at(const std::vector<double>& values, double z) const {
    return value_at(height, values, z);
  }
};

/// Reads WRF's input_sounding (pressure [hPa], theta [K], mixing ratio [g/kg] at the ground in its
/// first line; height [m], theta [K], mixing ratio [g/kg], u, v [m/s] in the others) or a table
/// with headings: z, theta and, if it has them, qv or rh, u, v, in m, K, 1, 1 and m/s where the
/// headings say no other units. Error (files): a column is missing, heights do not grow, numbers
/// that no air has.
AirProfile read_air_profile(const std::filesystem::path& file);

/// What happens in the air around, of which the grid is a small part, by height; empty: not said.
struct LargeScale {
  std::vector<double> height = {};       ///< m above z = 0; grows
  std::vector<double> w = {};            ///< m/s; below 0: air sinks
  std::vector<double> heating = {};      ///< rate of potential temperature, K/s
  std::vector<double> moistening = {};   ///< rate of the mixing ratio of vapour, 1/s
  std::vector<double> u = {}, v = {};    ///< geostrophic wind, m/s
  std::vector<double> equilibrium = {};  ///< theta toward which radiation cools, K

  bool has_wind() const { return !u.empty() || !v.empty(); }
  double at(const std::vector<double>& values, double z) const {
    return value_at(height, values, z);
  }
};

/// Reads a table with headings: z and, as it has them, w, theta_rate, qv_rate, ug, vg, theta_eq, in
/// m, m/s, K/s, 1/s, m/s and K where the headings say no other units. Error (files): there is no z,
/// heights do not grow, a wind or theta that no air has.
LargeScale read_large_scale(const std::filesystem::path& file);

}  // namespace goban::atmosphere
