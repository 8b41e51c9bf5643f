#pragma once
// The sweeps and reductions of a bundle.

#include <vector>

#include "goban/backend/cuda/launch/sends.hpp"
#include "goban/backend/cuda/launch/stage_kernels.hpp"
#include "goban/backend/kernel_call.hpp"

namespace goban::cuda {

/// A sweep or a reduction that may be part of a bundle.
struct BundlePart {
  const SweepTask* task;
  SweepCall call;
  StageKernels* kernels;
  Sends sends;
};

/// Returns for each field argument of all parts whether this part only reads it and another part
/// writes it.
std::vector<bool> changing_fields(const std::vector<BundlePart>& parts);
/// Returns the numbers of the parts in groups, each in order: a part of one group neither writes
/// what a part of another writes or reads, nor reads what it writes.
std::vector<std::vector<std::size_t>> groups_of(const std::vector<BundlePart>& parts);
/// Returns whether the distance between any two cells that the part reads in a field fits into 31
/// bits.
bool has_short_offsets(const BundlePart& part);
/// Returns the copies into other patches to make when all parts are done, each once.
std::vector<CopyTask> sends_of(const std::vector<BundlePart>& parts);
/// Returns the subject of a stage with `pack` cells per pack.
const KernelSubject& subject_with_packs(StageKernels& kernels, int pack);

}  // namespace goban::cuda
