#include "atmosphere/air_profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "goban/base/error.hpp"
#include "goban/io/case/table.hpp"
#include "goban/io/file/file.hpp"

namespace goban::atmosphere {
namespace {

AirProfile from_wrf(const UserTable& table) {
  const std::vector<double>& ground = table.line_above();
  AirProfile air{.height = table.in(0, "m"),
                 .theta = table.in(1, "K"),
                 .vapor = table.in(2, ""),
                 .u = table.in(3, "m/s"),
                 .v = table.in(4, "m/s"),
                 .surface_pressure = 100 * ground[0]};
  if (air.height.front() > 0) {
    const auto put = [](std::vector<double>& to, double value) { to.insert(to.begin(), value); };
    put(air.height, 0);
    put(air.theta, ground[1]);
    put(air.vapor, ground[2]);
    put(air.u, air.u.front());
    put(air.v, air.v.front());
  }
  for (double& value : air.vapor) value *= 1e-3;
  return air;
}

/// The column of this name; empty if there is none.
std::vector<double> column(const UserTable& table, const char* name, const char* unit) {
  return table.has(name) ? table.in(table.find(name), unit) : std::vector<double>{};
}

AirProfile from_columns(const UserTable& table) {
  return {.height = table.in(table.find("z"), "m"),
          .theta = table.in(table.find("theta"), "K"),
          .vapor = column(table, "qv", ""),
          .relative_humidity = column(table, "rh", ""),
          .u = column(table, "u", "m/s"),
          .v = column(table, "v", "m/s")};
}

/// Refuses heights that are too few or do not grow.
void check_heights(const std::filesystem::path& file, const std::vector<double>& height) {
  if (height.size() < 2) throw_unreadable(file, "it has one height", "give two or more");
  for (std::size_t n = 1; n < height.size(); ++n) {
    if (height[n] > height[n - 1]) continue;
    throw_unreadable(
        file, fmt::format("its heights do not grow: {} follows {}", height[n], height[n - 1]));
  }
}

/// Refuses values beyond those that air may have.
void check_values(const std::filesystem::path& file, const std::vector<double>& values, double low,
                  double high, const std::string& what, const std::string& suggestion) {
  for (const double value : values) {
    if (value >= low && value <= high) continue;
    throw_unreadable(file, fmt::format("{} of {} is none of air", what, value), suggestion);
  }
}

}  // namespace

double value_at(const std::vector<double>& height, const std::vector<double>& values, double z) {
  if (values.empty()) return 0;
  const auto next =
      static_cast<std::size_t>(std::upper_bound(height.begin(), height.end(), z) - height.begin());
  if (next == 0) return values.front();
  if (next == height.size()) return values.back();
  const double share = (z - height[next - 1]) / (height[next] - height[next - 1]);
  return (1 - share) * values[next - 1] + share * values[next];
}

AirProfile read_air_profile(const std::filesystem::path& file) {
  const UserTable table = read_table(file, FirstLine::may_stand_above);
  const bool is_wrf = table.line_above().size() == 3 && table.columns() == 5;
  if (!is_wrf && !table.line_above().empty()) {
    throw_unreadable(
        file,
        fmt::format("{} numbers above rows of {}", table.line_above().size(), table.columns()),
        "WRF's input_sounding has 3 above rows of 5");
  }
  const AirProfile air = is_wrf ? from_wrf(table) : from_columns(table);
  check_heights(file, air.height);
  if (!air.vapor.empty() && !air.relative_humidity.empty()) {
    throw_unreadable(file, "it has columns qv and rh", "leave one of them out");
  }
  check_values(file, air.theta, 150, 2000, "a theta", "it is potential temperature in K");
  check_values(file, air.vapor, 0, 0.1, "a qv", "it is in kg/kg; a heading may say qv [g/kg]");
  check_values(file, air.relative_humidity, 0, 1.2, "an rh",
               "it is a share of 1; a heading may say rh [%]");
  return air;
}

LargeScale read_large_scale(const std::filesystem::path& file) {
  const UserTable table = read_table(file);
  const LargeScale air{.height = table.in(table.find("z"), "m"),
                       .w = column(table, "w", "m/s"),
                       .heating = column(table, "theta_rate", "K/s"),
                       .moistening = column(table, "qv_rate", "1/s"),
                       .u = column(table, "ug", "m/s"),
                       .v = column(table, "vg", "m/s"),
                       .equilibrium = column(table, "theta_eq", "K")};
  check_heights(file, air.height);
  check_values(file, air.w, -1, 1, "a w", "it is of the air around, in m/s; below 0 air sinks");
  check_values(file, air.equilibrium, 150, 2000, "a theta_eq", "it is potential temperature in K");
  return air;
}

}  // namespace goban::atmosphere
