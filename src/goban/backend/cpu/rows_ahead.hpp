#pragma once
// Decides what is fetched of a field ahead of a walk through planes: the rows of the plane that is
// the first to enter the stencil, in the order of the walk. Hardware prefetchers lose track of many
// short streams.
//
// If there are few streams, lines come into the second-level cache long before they are used, and
// into the first-level cache shortly before. Every line on its way to either takes one of the
// buffers of a core. If there are many streams all buffers are taken, so that lines then come to
// the first-level cache at once.

#include "goban/backend/cpu/kernel_shape.hpp"
#include "goban/backend/cpu/kernels/row_call.hpp"
#include "goban/backend/kernel_call.hpp"

namespace goban::cpu {

/// Fetches the rows of one argument ahead.
class RowsAhead {
 public:
  /// The kernel computes `planes` planes together.
  RowsAhead(const KernelShape& shape, std::size_t argument, const SweepCall& call,
            std::size_t element, int components, int planes);

  std::size_t argument() const { return argument_; }

  /// Must be called before rows from (middle, slow) on, of one plane or of the planes that are
  /// computed together. Sets in `field` where the kernel fetches from. Returns for how many rows,
  /// at most `rows`, the kernel may move on from row to row.
  Index start(Index middle, Index slow, Index rows, device::RowField& field) const;
  /// Does the same for a piece of rows of a group of planes that begins at `slow`. The kernel
  /// fetches what the row after next will be the first to need, in equal shares with every plane,
  /// pack by pack. That is one row of each plane of the group, at the stencil's far end, and one of
  /// each plane beside the group. One group earlier, rows of planes that no group has read yet are
  /// fetched into the second-level cache.
  Index start_group(Index middle, Index slow, Index planes, Index rows, Index first, Index last,
                    device::RowField& field) const;

 private:
  struct Place {
    const std::byte* row;
    Index rows;  ///< the number of rows for which it moves on
  };
  const std::byte* at(Index middle, Index slow) const;
  Place ahead(Index middle, Index slow, Index rows, Index most) const;
  void fetch_cells(const std::byte* cells, Index count) const;
  void fetch_first_rows(Index middle, Index slow) const;
  void fetch_rows(Index low, Index high, Index plane, Index first, Index last) const;

  const KernelShape& shape_;
  const InputShape& input_;
  std::size_t argument_;
  Index element_;
  int components_;
  Index planes_;
  bool fetches_;
  Index rows_soon_, rows_later_;    ///< how many rows ahead
  Index cells_soon_, cells_later_;  ///< how many cells ahead, along long rows
  const std::byte* base_;
  Index middle_stride_, slow_stride_, component_stride_;  ///< bytes
  Box tile_;
  Index row_low_, row_high_;
  std::size_t middle_, slow_;
};

}  // namespace goban::cpu
