#pragma once
// What the solved cell problems say about the medium as a whole.

#include "heat/steady.hpp"

namespace goban::heat {

/// K with K E = mean heat flow for a mean gradient E: tensor[a][c] is the flow along a for a unit
/// gradient along c.
struct EffectiveConductivity {
  std::array<std::array<double, 3>, 3> tensor{};  ///< W/(m K)
  double voigt = 0, reuss = 0;  ///< arithmetic and harmonic mean, which enclose the diagonal
  /// The largest deviation of the flow through the planes normal to a gradient from their mean,
  /// relative to it; 0 for the exact solution.
  double plane_deviation = 0;
  /// |K - K^T| relative to the largest diagonal entry.
  double asymmetry() const;
};

/// Evaluates the present solution. Sums are independent of the decomposition.
template <class Layout>
class FlowBalance {
 public:
  FlowBalance(Grid& grid, const SteadyState<3, Layout>& state);

  /// Computes `flow` and the means.
  Program program() const;
  /// After the program has run.
  EffectiveConductivity result() const;

  Field<double, 3, Layout> flow;  ///< "flow": W/m2 per K/m through lower faces; c along axis c

 private:
  double plane_deviation() const;

  Grid grid_;
  const SteadyState<3, Layout>& state_;
  std::array<std::array<Parameter<double>, 3>, 3> total_;
  Parameter<double> resistance_{"resistance"};
};

}  // namespace goban::heat
