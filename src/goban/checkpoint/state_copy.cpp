#include "goban/checkpoint/state_copy.hpp"

#include "goban/domain/data/shared_boxes.hpp"
#include "goban/grid/blocks.hpp"

namespace goban {
namespace {

/// Where an array does not say who has what: slabs along its slowest axis.
Box slab_of(const CheckpointArray& array, int ranks, int rank) {
  Box slab{{0, 0, 0}, array.extents};
  slab.lower[2] = array.extents[2] * rank / ranks;
  slab.upper[2] = array.extents[2] * (rank + 1) / ranks;
  return slab;
}

Box share_of(const CheckpointArray& array, int ranks, int rank) {
  return array.owned_by ? array.owned_by(rank) : slab_of(array, ranks, rank);
}

}  // namespace

void StateCopy::take(const CheckpointSubject& subject, const CheckpointState& state, int ranks,
                     int rank) {
  subject_ = subject;
  subject_.accept = {};
  state_ = state;
  shares_.resize(subject.arrays.size());
  boxes_.resize(subject.arrays.size());
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const CheckpointArray& array = subject.arrays[i];
    boxes_[i].clear();
    for (int r = 0; r < ranks; ++r) boxes_[i].push_back(share_of(array, ranks, r));
    Share& share = shares_[i];
    share.box = boxes_[i][static_cast<std::size_t>(rank)];
    const auto bytes = static_cast<std::size_t>(share.box.volume() * array.bytes_per_cell());
    if (share.bytes < bytes) {
      share.values = {};  // never both at once
      // Not cleared: the threads that copy take the pages.
      share.values = std::make_unique_for_overwrite<std::byte[]>(bytes);
      share.bytes = bytes;
    }
    array.copy_out(share.box, share.values.get());
    CheckpointArray& kept = subject_.arrays[i];
    kept.owned_by = {};
    kept.copy_out = {};
    kept.copy_in = {};
  }
}

CheckpointSubject StateCopy::subject(Communicator& communicator) const {
  CheckpointSubject subject = subject_;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    CheckpointArray& array = subject.arrays[i];
    const std::vector<Box>& boxes = boxes_[i];
    const SharedBoxes all(
        communicator, [&boxes](int rank) { return boxes[static_cast<std::size_t>(rank)]; },
        array.components, size_of(array.type));
    array.owned_by = [&boxes](int rank) { return boxes[static_cast<std::size_t>(rank)]; };
    array.copy_out = [all, &share = shares_[i], components = array.components,
                      size = size_of(array.type)](const Box& box, void* elements) {
      all.copy_out(box, elements, [&](const Box& part, void* values) {
        copy_common(share.box, share.values.get(), part, values, components, size);
      });
    };
  }
  return subject;
}

}  // namespace goban
