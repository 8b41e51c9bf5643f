#pragma once
// What a larger model says of the air beside the sides: its own state at some times, from files.

#include <filesystem>
#include <vector>

#include "atmosphere/model.hpp"
#include "goban/io/file/array_view.hpp"

namespace goban::atmosphere {

/// Deviations of theta_m [K] and pressure [Pa] from the base state, the wind [m/s] and mixing
/// ratios [kg/kg] in cells of this grid, of
///  - a table of times, side.csv: those of row n in side.n.theta_deviation.npy, ...
///    pressure_deviation, u, v; of moist air vapor and, if they are there, cloud, rain and w;
///    arrays as large as the grid;
///  - the snapshots of a coarser run, by their index (.xdmf): theta_deviation, pressure_deviation,
///    velocity, and vapor, cloud and rain likewise; `height` where its levels are not those of its
///    grid. Linear between its cells and their heights, beyond its outermost cells as there.
class LargerModel {
 public:
  enum class Value { theta, pressure, u, v, vapor, cloud, rain, w };
  static constexpr std::size_t values = 8;

  /// `begin`: time of the larger model [s] at which this run begins. Errors (ExitCode::files): no
  /// such file, fewer than two times, or times that do not grow.
  LargerModel(std::filesystem::path file, const Levels& levels, const GridState& grid,
              double begin = 0);

  const std::vector<double>& times() const { return times_; }  ///< s, of this run
  /// The record before this time: not the last; the first before there is one.
  std::size_t before(double time) const;
  /// Where this time lies between that record and the next, from 0 to 1.
  double share(double time) const;
  /// Reads what it says at times()[n]. Errors (ExitCode::files): a field is missing, or of another
  /// size.
  void read(std::size_t n, bool has_water);
  /// In the record that was read last.
  double at(Value value, Index3 cell) const;
  double scale(Index3 cell) const { return levels_.place(cell).scale; }  ///< the scale of the map

 private:
  /// Two layers of what was read and where between them a coordinate lies.
  struct Place {
    Index low = 0, high = 0;
    double share = 0;
  };
  void read_array(std::size_t n, std::size_t value);
  Place along(std::size_t axis, double coordinate) const;
  Place above(Index i, Index j, double z) const;
  double height(Index i, Index j, Index k) const;

  std::filesystem::path file_;
  Levels levels_;
  Index3 cells_;
  Real3 cell_origin_, cell_spacing_;
  std::vector<double> times_;
  std::vector<std::filesystem::path> files_;  ///< snapshots of a run
  std::vector<Array> fields_;                 ///< as Value counts; without values: 0
  std::vector<int> components_;
  Array heights_;
  Real3 origin_{}, spacing_{};
};

}  // namespace goban::atmosphere
