#pragma once
// Writes the text of kernels: the functor's recorded computation, straight through, in one of the
// shapes of kernels/.

#include <optional>
#include <string>

#include "goban/backend/generator/kernel_subject.hpp"

namespace goban::cuda {

/// What columns keep in shared memory.
struct ColumnScratch {
  Index number_bytes = 0;
  int kept = 0;               ///< numbers of a level, for the way back
  int carried = 0;            ///< numbers that the way forth hands from a level to the next
  bool has_segments = false;  ///< levels may be walked forth twice: that leaves fields as they were
};
ColumnScratch scratch_of_columns(const KernelSubject& subject);
/// Segments have a multiple of so many levels, of which values are on their way at most.
inline constexpr int levels_ahead_in_segments = 8;
/// A block that sweeps columns has no more threads than this.
inline constexpr int most_column_threads = 128;

/// How tiles march; see kernels/star.cuh.
struct MarchTiles {
  int steps = 1, rows = 1, warps = 1, ahead = 1, blocks = 1;
};

/// Kernels of a stage. Each has the entry "goban_kernel".
/// `sends_ends`: it can store ends of rows a second time, of fields of few components.
std::string sweep_text(const KernelSubject& subject, ThreadBlock block, bool sends_ends = false);
std::string in_place_text(const KernelSubject& subject);
/// Sweeps of one launch, packs of as many cells: for each of the texts, of which neighbours are of
/// one, so many. `regions`: how many it takes.
struct BundledText {
  std::string part;
  int count = 1;
};
std::string part_text(const KernelSubject& subject, ThreadBlock block = {});
std::string bundle_text(const std::vector<BundledText>& texts, const KernelSubject& any,
                        int least_blocks, int regions);
/// `in_segments`: keeps a segment of a column at a time, see kernels/column.cuh.
std::string column_text(const KernelSubject& subject, bool in_segments);
/// The text of a kernel for sweeps and the reductions after them, over so many planes at once.
std::string reduction_text(const std::vector<KernelSubject>& parts, int planes);
/// `kernel`: the file of the shape, "ring.cuh", "steps.cuh" or "by_blocks.cuh"; `sends`: steps that
/// store planes a second time.
std::string march_text(const KernelSubject& subject, const MarchTiles& tiles,
                       const std::string& kernel, bool sends = false);

}  // namespace goban::cuda
