#pragma once
// What flows out through the sides of the grid.

#include <optional>
#include <vector>

#include "goban/simulation/output/column.hpp"
#include "heat/model.hpp"

namespace goban::heat {

/// The heat that leaves through a side, in W, as the scheme has it: its sum over the sides is what
/// the contents lose to them. Nothing flows through a side at rest, nor through a periodic one.
class SideFlows {
 public:
  /// `conductivity`: that of the cells, where it varies. Uses the ends of the temperature's
  /// boundary.
  SideFlows(const Model& model, AnyField temperature, std::optional<AnyField> conductivity);

  /// The flow through a side at this simulated time, for what stands at the ends. Collective; reads
  /// a layer of cells.
  double flow(std::size_t axis, std::size_t side, double time) const;

  /// "heat_flow_x_low" and so on, of the sides through which anything may flow.
  std::vector<Column> columns(const Parameter<double>& now) const;

 private:
  std::vector<double> layers(const AnyField& field, const Box& box) const;

  Model model_;
  AnyField temperature_;
  std::optional<AnyField> conductivity_;
  int reach_;  ///< layers of cells from which the flow follows
};

}  // namespace goban::heat
