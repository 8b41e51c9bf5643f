#pragma once
// Joins the kernels that the backends make of a functor's type; those of devices are made of its
// graph.

#include "goban/backend/cpu/sweep.hpp"

namespace goban {

template <class F, Axis Unit, class... P>
struct Launchers<SweepSignature<F, Unit, P...>> {
  static SweepKernels make() { return cpu::make_kernels<F, Unit, P...>(); }
};

}  // namespace goban
