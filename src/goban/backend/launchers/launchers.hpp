#pragma once
// Joins the kernels that the backends make of a functor.

#ifndef __CUDA_ARCH__  // nvcc's pass for the device needs none of the CPU's
#include "goban/backend/cpu/sweep.hpp"
#endif
#ifdef __CUDACC__
#include "goban/backend/cuda/sweep.cuh"
#endif

namespace goban {

template <class F, Axis Unit, class... P, class Mode>
struct Launchers<SweepSignature<F, Unit, P...>, Mode> {
  static SweepKernels make() {
    SweepKernels kernels;
#ifndef __CUDA_ARCH__
    kernels = cpu::make_kernels<F, Unit, P...>();
#endif
#ifdef __CUDACC__
    kernels.device = cuda::make_kernels<F, Unit, P...>();
#endif
    return kernels;
  }
};

}  // namespace goban
