#pragma once
// One explicit time step.

#include <optional>

#include "goban/program/program.hpp"
#include "heat/medium.hpp"

namespace goban::heat {

/// Fields and program of c du/dt = div(k grad u) + q by forward Euler: Diffuse of model.order in a
/// uniform medium without convection, otherwise Conduct, which is of second order whatever
/// model.order says.
/// T: float, double or half (stored, computed in float).
template <class T, class Layout>
class ExplicitStep {
 public:
  /// Declares the fields and sets u to the initial temperature.
  ExplicitStep(Grid& grid, const Model& model, double dt);

  /// The program of one step of dt.
  Program program() const;
  /// Sets what content() needs and, where the sides vary in time, `now`; may be empty.
  Program balance() const;
  /// Sum of c u over the cells, over c of the matrix, K.
  double content() const { return ease_ ? content_.value() : u.sum(); }

  Field<T, 1, Layout> u;                          ///< "temperature", K
  std::optional<Conductances<T, Layout>> medium;  ///< if heat flows by conductances
  Parameter<double> now{"now"};                   ///< simulated time, s

 private:
  template <class Functor, class... Inputs>
  void sweep(Program& step, const Functor& functor, const Inputs&... inputs) const;
  void fill_ease(Grid& grid, const Model& model);

  Field<T, 1, Layout> next_;
  std::optional<Field<T, 1, Layout>> heating_;  ///< K per step
  std::optional<Field<T, 1, Layout>> ease_;     ///< c of the matrix over c, if it varies
  using Real = ArithmeticOf<T>;
  struct VaryingSource {
    Field<T, 1, Layout> where;  ///< the shape of the source
    TimeValue heating;          ///< K per step
    Parameter<Real> now;
  };
  std::vector<VaryingSource> varying_;
  Parameter<double> content_{"content"};
  int order_;
  double alpha_dt_;  ///< m2
  Real3 spacing_;
};

}  // namespace goban::heat
