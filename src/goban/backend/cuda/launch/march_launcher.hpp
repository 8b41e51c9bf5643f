#pragma once
// Launches star-shaped functors on tiles that march through the planes, for one step or for several
// in one pass.

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/launch/stage_kernels.hpp"

namespace goban::cuda {

/// Returns the tiles for such a functor: rows per warp, warps per block, planes that are copied
/// ahead, and blocks per multiprocessor.
MarchTiles march_tiles(const DeviceShape& shape, const Footprint& footprint, int steps);

/// Returns the form of the kernel of a marching sweep.
KernelForm march_form(const StageKernels& kernels);

/// Launches a sweep of a stage that can march (DeviceShape::marches()), on a device with a copy
/// engine.
void march_sweep(StageKernels& kernels, int device, const SweepTask& task, const SweepCall& sweep,
                 CUstream stream);

/// Launches all steps of a pass, on a device with a copy engine. Returns the copies into other
/// patches that the kernel does not store itself.
std::vector<CopyTask> march_pass(StageKernels& kernels, int device, const PassTask& task,
                                 CUstream stream);
/// Adds the sources of the kernels of a pass.
void add_pass_sources(StageKernels& kernels, const PassTask& task,
                      std::vector<KernelSource>& sources);

/// Returns whether the device has an engine that copies boxes into shared memory (TMA). Without it
/// nothing marches.
bool has_copy_engine(int device);

}  // namespace goban::cuda
