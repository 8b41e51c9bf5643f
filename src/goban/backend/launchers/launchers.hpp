#pragma once
// Joins the kernels that the backends make of a functor's type; those of devices are made of its
// graph.

#include "goban/backend/cpu/between_grids.hpp"
#include "goban/backend/cpu/columns.hpp"

namespace goban {

template <class F, Axis Unit, class... P>
struct Launchers<SweepSignature<F, Unit, P...>> {
  static SweepKernels make() {
    if constexpr (detail::is_between_grids<F>) {
      return cpu::make_kernels_between_grids<F, Unit, P...>();
    } else {
      return cpu::make_kernels<F, Unit, P...>();
    }
  }
};
template <class F, Axis Unit, class... P>
struct Launchers<ColumnSignature<F, Unit, P...>> {
  static SweepKernels make() { return cpu::make_column_kernels<F, Unit, P...>(); }
};

}  // namespace goban
