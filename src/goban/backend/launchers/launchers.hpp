#pragma once
// Joins the kernels that the backends make of a functor's type; those of devices are made of its
// graph.

#include "goban/backend/cpu/between_grids.hpp"
#include "goban/backend/cpu/columns.hpp"

namespace goban {

template <class F, Axis Unit, class... P>
struct Launchers<SweepSignature<F, Unit, P...>> {
  static SweepKernels make() {
    SweepKernels kernels = cpu::make_kernels<F, Unit, P...>();
    kernels.between_grids = cpu::kernel_between_grids<F, Unit, P...>();
    return kernels;
  }
};
template <class F, Axis Unit, class... P>
struct Launchers<ColumnSignature<F, Unit, P...>> {
  static SweepKernels make() { return cpu::make_column_kernels<F, Unit, P...>(); }
};

}  // namespace goban
