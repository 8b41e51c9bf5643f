#pragma once
// What is fetched of a field ahead of a walk through planes: the rows of the plane that is the
// first to enter the stencil, in the order of the walk. Hardware prefetchers lose track of many
// short streams.
//
// Where there are few streams, lines come into the second-level cache long before and into the
// first-level cache shortly before they are used. Every line on its way to either takes one of the
// buffers of a core, which are all taken where there are many streams: there lines come to the
// first-level cache at once.

#include "goban/backend/cpu/kernel_shape.hpp"
#include "goban/backend/cpu/kernels/row_call.hpp"
#include "goban/backend/kernel_call.hpp"

namespace goban::cpu {

/// Fetches the rows of one argument ahead.
class RowsAhead {
 public:
  /// The kernel computes so many planes together.
  RowsAhead(const KernelShape& shape, std::size_t argument, const SweepCall& call,
            std::size_t element, int components, int planes);

  std::size_t argument() const { return argument_; }

  /// Before rows from one on, of one plane or of those that are computed together: says where the
  /// kernel fetches from. Returns for how many rows, at most so many, that moves on from row to
  /// row.
  Index start(Index middle, Index slow, Index rows, device::RowField& field) const;
  /// The same of a piece of rows of a group of planes that begins at `slow`: what the row after
  /// next will be the first to need, a share with every plane, pack by pack. That is one row of
  /// each plane of the group, at the stencil's far end, and one of each plane beside the group. A
  /// group before, rows of the planes that no group has read yet come into the second-level cache.
  Index start_group(Index middle, Index slow, Index planes, Index rows, Index first, Index last,
                    device::RowField& field) const;

 private:
  struct Place {
    const std::byte* row;
    Index rows;  ///< for which it moves on
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
  Index rows_soon_, rows_later_;    ///< ahead
  Index cells_soon_, cells_later_;  ///< along long rows instead
  const std::byte* base_;
  Index middle_stride_, slow_stride_, component_stride_;  ///< bytes
  Box tile_;
  Index row_low_, row_high_;
  std::size_t middle_, slow_;
};

}  // namespace goban::cpu
