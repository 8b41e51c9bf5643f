#include "goban/checkpoint/state_copy.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <span>

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

/// Not cleared; in large pages where there are enough.
AlignedMemory memory_of(std::size_t bytes) {
  constexpr std::size_t page = std::size_t{2} << 20;
  AlignedMemory memory = aligned_memory(bytes, bytes >= page ? page : 64);
  if (bytes >= page) madvise(memory.get(), bytes, MADV_HUGEPAGE);
  return memory;
}

/// Changes no byte, so that others may write meanwhile; where the kernel cannot (before
/// Linux 5.14), whoever writes first gets the pages.
void ask_for_pages(std::byte* memory, std::size_t bytes, const std::stop_token& is_over) {
  constexpr std::size_t piece = std::size_t{64} << 20, page = 4096;
  const std::size_t before = reinterpret_cast<std::uintptr_t>(memory) % page;
  for (std::size_t at = 0; at < bytes && !is_over.stop_requested(); at += piece) {
    const std::size_t count = std::min(piece, bytes - at);
    if (madvise(memory + at - before, count + before, MADV_POPULATE_WRITE) != 0) return;
  }
}

}  // namespace

void StateCopy::make_room(const CheckpointSubject& subject, int ranks, int rank) {
  shares_.resize(subject.arrays.size());
  boxes_.resize(subject.arrays.size());
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const CheckpointArray& array = subject.arrays[i];
    boxes_[i].clear();
    for (int r = 0; r < ranks; ++r) boxes_[i].push_back(share_of(array, ranks, r));
    Share& share = shares_[i];
    share.box = boxes_[i][static_cast<std::size_t>(rank)];
    const auto bytes = static_cast<std::size_t>(share.box.volume() * array.bytes_per_cell());
    if (share.bytes >= bytes) continue;
    pages_ = {};
    share.values = {};  // never both at once
    share.values = memory_of(bytes);
    share.bytes = bytes;
  }
}

void StateCopy::reserve(const CheckpointSubject& subject, int ranks, int rank) {
  make_room(subject, ranks, rank);
  std::vector<std::span<std::byte>> memory;
  for (const Share& share : shares_) memory.emplace_back(share.values.get(), share.bytes);
  pages_ = std::jthread([memory](const std::stop_token& is_over) {
    for (const std::span<std::byte>& one : memory) ask_for_pages(one.data(), one.size(), is_over);
  });
}

void StateCopy::take(const CheckpointSubject& subject, const CheckpointState& state, int ranks,
                     int rank) {
  make_room(subject, ranks, rank);
  subject_ = subject;
  subject_.accept = {};
  state_ = state;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    subject.arrays[i].copy_out(shares_[i].box, shares_[i].values.get());
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
