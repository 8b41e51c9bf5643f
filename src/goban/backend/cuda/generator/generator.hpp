#pragma once
// Writes the texts of kernels: the functor's recorded computation as straight-line code in one of
// the shapes of kernels/.

#include <optional>
#include <string>

#include "goban/backend/generator/kernel_subject.hpp"

namespace goban::cuda {

/// What column kernels keep in shared memory.
struct ColumnScratch {
  Index number_bytes = 0;
  int kept = 0;     ///< numbers per level that the backward sweep needs
  int carried = 0;  ///< numbers that the forward sweep hands from a level to the next
  /// The forward sweep may be repeated, because it leaves fields unchanged, so that columns can be
  /// kept in segments.
  bool has_segments = false;
};
ColumnScratch scratch_of_columns(const KernelSubject& subject);
/// The number of levels of a segment is a multiple of this, which is also the most levels that are
/// loaded ahead.
inline constexpr int levels_ahead_in_segments = 8;
/// The largest number of threads of a block that sweeps columns.
inline constexpr int most_column_threads = 128;

/// The tiles of marching kernels; see kernels/star.cuh.
struct MarchTiles {
  int steps = 1, rows = 1, warps = 1, ahead = 1, blocks = 1;
};

/// These return the texts of a stage's kernels. Each has the entry "goban_kernel". `sends_ends`:
/// the kernel can store ends of rows of fields with few components a second time.
std::string sweep_text(const KernelSubject& subject, ThreadBlock block, bool sends_ends = false);
std::string in_place_text(const KernelSubject& subject);
/// Several consecutive sweeps of a bundle that have the same text.
struct BundledText {
  std::string part;
  int count = 1;
};
std::string part_text(const KernelSubject& subject, ThreadBlock block = {});
std::string bundle_text(const std::vector<BundledText>& texts, const KernelSubject& any,
                        int least_blocks, int regions);
/// `in_segments`: the kernel keeps a segment of a column at a time, see kernels/column.cuh.
std::string column_text(const KernelSubject& subject, bool in_segments);
/// Returns the text of a kernel for sweeps and the reductions after them, over `planes` planes at
/// once.
std::string reduction_text(const std::vector<KernelSubject>& parts, int planes);
/// `kernel`: the file of the shape, "ring.cuh" or "steps.cuh"; `sends`: steps store planes a second
/// time.
std::string march_text(const KernelSubject& subject, const MarchTiles& tiles,
                       const std::string& kernel, bool sends = false);

}  // namespace goban::cuda
