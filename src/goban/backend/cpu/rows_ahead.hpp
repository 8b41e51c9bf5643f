#pragma once
// What is fetched of a field ahead of a walk through planes: the rows of the plane that is the
// first to enter the stencil, in the order of the walk. Hardware prefetchers lose track of many
// short streams.
//
// Of a few streams lines come into the second-level cache long before and into the first-level
// cache shortly before they are used. Every line on its way to either takes one of the buffers of a
// core that are all taken where there are many streams: there lines come to the first-level cache
// at once.

#include "goban/backend/cpu/kernel_shape.hpp"
#include "goban/backend/cpu/kernels/row_call.hpp"
#include "goban/backend/kernel_call.hpp"

namespace goban::cpu {

/// Of one argument.
class RowsAhead {
 public:
  /// The kernel computes so many planes together; `low`, `high`: the cells of its rows.
  RowsAhead(const KernelShape& shape, std::size_t argument, const SweepCall& call,
            std::size_t element, int components, int planes);

  std::size_t argument() const { return argument_; }

  /// Before a row.
  void start(Index middle, Index slow) const;
  /// Before the packs from `first` on; says where the kernel fetches from.
  void chunk(Index middle, Index slow, Index first, device::RowField& field) const;
  /// The same of a piece of a row of a group of planes that begins at `group`: what the row after
  /// next will be the first to need, a share with every plane, pack by pack. That is one row of
  /// each plane of the group, at the stencil's far end, and one of each plane beside the group. A
  /// group before, rows of the planes that no group has read yet come into the second-level cache.
  void piece(Index middle, Index slow, Index group, Index first, Index last,
             device::RowField& field) const;

 private:
  const std::byte* at(Index middle, Index slow) const;
  const std::byte* leading(Index middle, Index slow, Index first, Index chunks) const;
  const std::byte* row_ahead(Index middle, Index slow, Index rows) const;
  void fetch_cells(const std::byte* cells, Index count) const;
  void fetch_first_rows(Index middle, Index slow) const;
  void fetch_pad(Index middle, Index slow) const;
  void fetch_group_after(Index middle, Index slow, Index first, Index last,
                         device::RowField& field) const;
  void fetch_rows(Index low, Index high, Index plane, Index first, Index last) const;

  const KernelShape& shape_;
  const InputShape& input_;
  std::size_t argument_;
  Index element_;
  int components_;
  Index planes_;
  bool at_once_, fetches_;
  const std::byte* base_;
  Index middle_stride_, slow_stride_, component_stride_;  ///< bytes
  Box tile_;
  Index row_low_, row_high_;
  std::size_t middle_, slow_;
};

}  // namespace goban::cpu
