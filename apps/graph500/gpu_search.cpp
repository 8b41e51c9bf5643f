#include "graph500/gpu_search.hpp"

#if GOBAN_HAVE_CUDA

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace goban::graph500 {
namespace {

using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

}  // namespace

GpuSearch::GpuSearch(const std::vector<std::unique_ptr<GpuPart>>& parts, const Labels& labels,
                     Communicator& ranks, const DirectionRule& rule, DeviceGroup* group)
    : parts_(parts),
      labels_(labels),
      ranks_(ranks),
      rule_(rule),
      group_(group),
      part_count_(parts.front()->partition().parts()) {
  for (const std::uint32_t degree : labels.degree) edges_ += degree;
}

void GpuSearch::run(Index root) {
  levels_.clear();
  const Vertex label = labels_.label[root];
  for (const auto& part : parts_) part->begin(label);
  Direction direction(rule_, labels_.count(), edges_, labels_.degree[label]);
  while (!direction.is_over()) {
    const auto start = steady_clock::now();
    const bool bottom_up = direction.is_bottom_up();
    for (const auto& part : parts_) {
      bottom_up ? part->go_up() : part->go_down();
      part->finish();
    }
    std::array<std::uint64_t, 2> sums{};
    for (const auto& part : parts_) {
      const GpuPart::Totals totals = part->totals();
      sums[0] += static_cast<std::uint64_t>(totals.found);
      sums[1] += static_cast<std::uint64_t>(totals.edges);
    }
    const auto before_messages = steady_clock::now();
    ranks_.sum(sums);
    direction.found(static_cast<Index>(sums[0]), static_cast<Index>(sums[1]));
    if (!direction.is_over()) spread();
    levels_.push_back({bottom_up, static_cast<Index>(sums[0]), seconds_since(start),
                       part_count_ > 1 ? seconds_since(before_messages) : 0,
                       std::exchange(sent_, 0)});
  }
  for (const auto& part : parts_) part->write();
  for (const auto& part : parts_) part->synchronize();
}

/// What the parts have found is their next frontier.
void GpuSearch::spread() {
  if (part_count_ == 1) return parts_[0]->take_own_frontier();
  if (group_ != nullptr) {
    parts_[0]->exchange_found(*group_);
    parts_[0]->take_frontier({});
    sent_ = parts_[0]->partition().own_blocks() * Index{sizeof(Word)} * (ranks_.size() - 1);
    return;
  }
  if (ranks_.size() > 1) return spread_by_host();
  for (const auto& from : parts_) {
    for (const auto& to : parts_) from->send_found(*to);
  }
  for (const auto& part : parts_) part->take_frontier(parts_);
}

void GpuSearch::spread_by_host() {
  GpuPart& mine = *parts_[0];
  words_.resize(static_cast<std::size_t>(mine.partition().own_blocks()));
  mine.send_found(words_);
  const std::vector<std::byte> bytes = packed(words_);
  sent_ = static_cast<Index>(bytes.size()) * (ranks_.size() - 1);
  std::vector<Parcel> parcels;
  for (int rank = 0; rank < ranks_.size(); ++rank) parcels.push_back({rank, bytes});
  for (const Parcel& parcel : ranks_.exchange(std::move(parcels))) {
    std::fill(words_.begin(), words_.end(), 0);
    unpack(parcel.bytes, [&](Index w, Word bits) { words_[static_cast<std::size_t>(w)] |= bits; });
    mine.receive_found(parcel.rank, words_);
    mine.synchronize();
  }
  mine.take_frontier({});
}

}  // namespace goban::graph500

#endif
