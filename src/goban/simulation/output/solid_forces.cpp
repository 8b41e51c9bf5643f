#include "goban/simulation/output/solid_forces.hpp"

#include <string>
#include <utility>

namespace goban {

void declare_area(CaseSchema& schema) {
  schema.real("flow.area")
      .positive()
      .unit("m2")
      .optional()
      .doc(
          "area to which coefficients of force refer; default: the shadow of all obstacles along "
          "x");
}

SolidForces::SolidForces(const Case& values, const Solids& solids, const GridState& grid,
                         double density, double speed, std::function<double(std::size_t)> force)
    : pressure_(0.5 * density * speed * speed),
      extent_(extent_of(solids, grid)),
      area_(values.has("flow.area") ? values.real("flow.area") : extent_.shadow),
      force_(std::move(force)) {}

double SolidForces::coefficient(std::size_t axis) const {
  return force_(axis) / (pressure_ * area_);
}

std::vector<Column> SolidForces::columns(std::size_t axes) const {
  std::vector<Column> all;
  for (std::size_t a = 0; a < axes; ++a) {
    all.emplace_back(std::string("force_") + "xyz"[a], "N", [this, a] { return force_(a); });
  }
  if (pressure_ == 0) return all;
  all.emplace_back("drag_coefficient", "", [this] { return coefficient(0); });
  all.emplace_back("lift_coefficient", "", [this] { return coefficient(1); });
  return all;
}

}  // namespace goban
