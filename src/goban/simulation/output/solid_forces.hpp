#pragma once
// What a fluid does to solids, as numbers of a case.

#include <functional>
#include <vector>

#include "goban/cases/solids.hpp"
#include "goban/simulation/output/column.hpp"

namespace goban {

/// Declares flow.area, which coefficients refer to.
void declare_area(CaseSchema& schema);

class SolidForces {
 public:
  /// force(axis): N. `density` [kg/m3] and `speed` [m/s] are those that coefficients refer to, of
  /// which there are none for a speed of 0. Collective where flow.area is not given.
  SolidForces(const Case& values, const Solids& solids, const GridState& grid, double density,
              double speed, std::function<double(std::size_t)> force);

  double area() const { return area_; }  ///< m2
  Index solid_cells() const { return extent_.cells; }
  /// 2 F / (density speed^2 area).
  double coefficient(std::size_t axis) const;
  /// force_x, ... [N] of as many axes, drag_coefficient and lift_coefficient. They refer to this.
  std::vector<Column> columns(std::size_t axes) const;

 private:
  double pressure_;  ///< density speed^2 / 2, Pa
  SolidExtent extent_;
  double area_;
  std::function<double(std::size_t)> force_;
};

}  // namespace goban
