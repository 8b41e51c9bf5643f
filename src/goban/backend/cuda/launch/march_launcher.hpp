#pragma once
// Star-shaped functors on tiles that march through the planes, one step or several in one pass:
// which kernel does it, in which shape.

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/launch/stage_kernels.hpp"

namespace goban::cuda {

/// Rows a warp, warps a block, planes that are copied ahead of their use, blocks a multiprocessor.
MarchTiles march_tiles(const DeviceShape& shape, const Footprint& footprint, int steps);

/// What a sweep that marches takes; where memory is not aligned as the device copies it, it takes
/// another one.
KernelForm march_form(const StageKernels& kernels, int device);

/// A sweep whose stage DeviceShape says can march.
void march_sweep(StageKernels& kernels, int device, const SweepTask& task, const SweepCall& sweep,
                 CUstream stream);

/// All steps of the pass; returns what it sends that the kernel does not store.
std::vector<CopyTask> march_pass(StageKernels& kernels, int device, const PassTask& task,
                                 CUstream stream);
/// What its kernels are compiled from.
void add_pass_sources(StageKernels& kernels, int device, const PassTask& task,
                      std::vector<KernelSource>& sources);

/// Whether the device copies ahead by itself: else a pass renews one field.
bool has_copy_engine(int device);

}  // namespace goban::cuda
