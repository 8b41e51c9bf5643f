#pragma once
// Sweeps and reductions that are launched together.

#include <vector>

#include "goban/backend/cuda/launch/sends.hpp"
#include "goban/backend/cuda/launch/stage_kernels.hpp"
#include "goban/backend/kernel_call.hpp"

namespace goban::cuda {

/// A sweep that may be part of a bundle.
struct BundlePart {
  const SweepTask* task;
  SweepCall call;
  StageKernels* kernels;
  Sends sends;
};

/// Whether each field of all parts is read alone, and another part writes it.
std::vector<bool> changing_fields(const std::vector<BundlePart>& parts);
/// Offsets fit into 31 bits from any cell of the part's fields to any that is read there.
bool has_short_offsets(const BundlePart& part);
/// The copies that all parts send when they are done, each once.
std::vector<CopyTask> sends_of(const std::vector<BundlePart>& parts);
/// The subject of a stage whose packs have so many cells.
const KernelSubject& subject_with_packs(StageKernels& kernels, int pack);

}  // namespace goban::cuda
