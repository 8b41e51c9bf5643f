#include "graph500/gpu_paths.hpp"

#if GOBAN_HAVE_CUDA

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "graph500/gpu_kernels.hpp"
#include "graph500/gpu_launch.hpp"

namespace goban::graph500 {

using cuda::OnDevice;

namespace {

constexpr const char* finding = "finding paths";

}  // namespace

GpuPathPart::GpuPathPart(GpuPart& part, const PathWords& words)
    : part_(part), parent_bits_(static_cast<std::uint32_t>(words.parent_bits())) {
  const OnDevice current(part.device());
  const Partition& partition = part.partition();
  const Index own = partition.row_blocks() * Partition::block;
  const Index all = partition.column_blocks() * Partition::block;
  best_ = DeviceArray<Word>(own);
  near_ = DeviceArray<std::uint32_t>(own / 32);
  far_ = DeviceArray<std::uint32_t>(own / 32);
  frontier_ = DeviceArray<std::uint32_t>(all / 32);
  settled_ = DeviceArray<std::uint32_t>(all / 32);
  counts_ = DeviceArray<PathCounts>(1);
  distances_ = DeviceArray<float>(part.parent_count());
  if (is_alone()) return;
  reach_ = DeviceArray<Word>(all);
  items_ = DeviceArray<PathItem>(own);
  all_items_ = DeviceArray<PathItem>(all);
}

void GpuPathPart::begin(Vertex root) {
  const OnDevice current(part_.device());
  const cuda::CUstream stream = part_.stream();
  best_.fill(0xff, stream);
  for (const auto* set : {&near_, &far_, &settled_}) set->fill(0, stream);
  const Partition& partition = part_.partition();
  if (partition.owner(root) != partition.part()) return;
  const auto row = static_cast<std::uint32_t>(partition.row_of(root));
  cuda::launch(PathKernels::get().begin.here(), {{1}, {1}, 0, false}, stream, finding, best_.data(),
               near_.data(), row, root);
}

void GpuPathPart::take_near() {
  const OnDevice current(part_.device());
  counts_.fill(0, part_.stream());
  const auto words = static_cast<std::uint32_t>(near_.size());
  const auto part = static_cast<std::uint32_t>(part_.partition().part());
  const auto parts = static_cast<std::uint32_t>(part_.partition().parts());
  start(PathKernels::get().take_near, blocks_for(near_.size()), part_.stream(), finding,
        near_.data(), far_.data(), words, best_.data(), frontier_.data(), settled_.data(),
        items_.data(), part, parts, counts_.data());
}

PathCounts GpuPathPart::counts() {
  const OnDevice current(part_.device());
  PathCounts counts;
  counts_.get(&counts, part_.stream());
  return counts;
}

void GpuPathPart::begin_frontier() {
  const OnDevice current(part_.device());
  frontier_.fill(0, part_.stream());
}

void GpuPathPart::send_items(Index count, GpuPathPart& to, Index place) {
  part_.send(items_.data(), to.all_items_.data() + place,
             static_cast<std::size_t>(count) * sizeof(PathItem), to.part_);
}

void GpuPathPart::exchange_items(DeviceGroup& group, const std::vector<std::uint64_t>& counts) {
  std::vector<std::span<std::byte>> places;
  auto* place = reinterpret_cast<std::byte*>(all_items_.data());
  for (const std::uint64_t count : counts) {
    places.emplace_back(place, count * sizeof(PathItem));
    place += places.back().size();
  }
  const auto own = static_cast<std::size_t>(part_.partition().part());
  part_.exchange(group, {reinterpret_cast<std::byte*>(items_.data()), places[own].size()}, places);
}

void GpuPathPart::get_items(std::span<PathItem> items) {
  const OnDevice current(part_.device());
  items_.get(items, part_.stream());
}

void GpuPathPart::put_items(std::span<const PathItem> items) {
  const OnDevice current(part_.device());
  all_items_.put(items);
}

void GpuPathPart::receive_items(Index count) {
  const OnDevice current(part_.device());
  const auto item_count = static_cast<std::uint32_t>(count);
  start(PathKernels::get().receive, blocks_for(count), part_.stream(), finding, all_items_.data(),
        item_count, reach_.data(), frontier_.data(), settled_.data());
}

void GpuPathPart::relax_light(const DistanceBins& bins) { relax(frontier_, bins, false); }

void GpuPathPart::relax_heavy(const DistanceBins& bins) {
  relax(settled_, bins, true);
  const OnDevice current(part_.device());
  settled_.fill(0, part_.stream());
}

void GpuPathPart::relax(const DeviceArray<std::uint32_t>& set, const DistanceBins& bins,
                        bool heavy) {
  const OnDevice current(part_.device());
  const GpuPart::Pieces pieces = part_.list_edges(set);
  const DeviceAdjacency& columns = part_.columns();
  const float delta = bins.delta(), limit = bins.limit();
  const std::uint32_t is_heavy = heavy ? 1 : 0;
  start(PathKernels::get().relax, busy_blocks(), part_.stream(), finding, pieces.list, pieces.count,
        columns.begin.data(), columns.neighbour.data(), columns.weight.data(),
        (is_alone() ? best_ : reach_).data(), best_.data(), near_.data(), far_.data(), delta, limit,
        parent_bits_, is_heavy);
}

void GpuPathPart::next_bin(const DistanceBins& bins) {
  const OnDevice current(part_.device());
  counts_.fill(0, part_.stream());
  const auto words = static_cast<std::uint32_t>(far_.size());
  const float limit = bins.limit();
  start(PathKernels::get().next_bin, blocks_for(far_.size()), part_.stream(), finding, far_.data(),
        near_.data(), best_.data(), words, limit, counts_.data());
}

void GpuPathPart::write() {
  const OnDevice current(part_.device());
  counts_.fill(0, part_.stream());
  const auto count = static_cast<std::uint64_t>(distances_.size());
  start(PathKernels::get().write, blocks_for(distances_.size()), part_.stream(), finding,
        best_.data(), part_.label().data(), part_.original().data(), part_.parents().data(),
        distances_.data(), count, parent_bits_, counts_.data());
}

GpuPaths::GpuPaths(const std::vector<std::unique_ptr<GpuPart>>& parts, const Labels& labels,
                   Communicator& ranks, const DistanceBins& bins, DeviceGroup* group)
    : parts_(parts),
      labels_(labels),
      ranks_(ranks),
      words_(labels.count()),
      bins_(bins),
      group_(group) {
  for (const auto& part : parts) paths_.push_back(std::make_unique<GpuPathPart>(*part, words_));
}

void GpuPaths::run(Index root) {
  for (const auto& part : paths_) part->begin(labels_.label[root]);
  bins_.begin();
  do {
    while (take_near()) {
      for (const auto& part : paths_) part->relax_light(bins_);
    }
    for (const auto& part : paths_) part->relax_heavy(bins_);
  } while (next_bin());
  for (const auto& part : paths_) part->write();
  bool has_most_steps = false;
  for (const auto& part : paths_) has_most_steps |= part->counts().has_most_steps != 0;
  refuse_steps(has_most_steps, words_, ranks_);
}

bool GpuPaths::take_near() {
  for (const auto& part : paths_) part->take_near();
  std::vector<Index> counts;
  std::array<std::uint64_t, 1> sum{0};
  for (const auto& part : paths_) {
    counts.push_back(part->counts().taken);
    sum[0] += static_cast<std::uint64_t>(counts.back());
  }
  ranks_.sum(sum);
  if (sum[0] == 0) return false;
  if (parts_.front()->partition().parts() > 1) share_frontier(counts);
  return true;
}

/// No part uses its items any more: all have been waited for since they were received.
void GpuPaths::share_frontier(const std::vector<Index>& counts) {
  for (const auto& part : paths_) part->begin_frontier();
  if (group_ != nullptr) return share_by_group(counts[0]);
  if (ranks_.size() > 1) return share_by_host(counts[0]);
  Index place = 0;
  for (std::size_t n = 0; n < paths_.size(); ++n) {
    for (const auto& to : paths_) paths_[n]->send_items(counts[n], *to, place);
    place += counts[n];
  }
  for (std::size_t n = 0; n < paths_.size(); ++n) {
    parts_[n]->wait_for_sent(parts_);
    paths_[n]->receive_items(place);
  }
}

void GpuPaths::share_by_group(Index count) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(ranks_.size()), 0);
  counts[static_cast<std::size_t>(ranks_.rank())] = static_cast<std::uint64_t>(count);
  ranks_.sum(counts);
  paths_[0]->exchange_items(*group_, counts);
  paths_[0]->receive_items(
      static_cast<Index>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})));
}

void GpuPaths::share_by_host(Index count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * sizeof(PathItem));
  paths_[0]->get_items(
      {reinterpret_cast<PathItem*>(bytes.data()), static_cast<std::size_t>(count)});
  std::vector<Parcel> parcels;
  for (int rank = 0; rank < ranks_.size(); ++rank) parcels.push_back({rank, bytes});
  std::vector<PathItem> items;
  for (const Parcel& parcel : ranks_.exchange(std::move(parcels))) {
    const std::size_t before = items.size();
    items.resize(before + parcel.bytes.size() / sizeof(PathItem));
    if (!parcel.bytes.empty()) {
      std::memcpy(items.data() + before, parcel.bytes.data(), parcel.bytes.size());
    }
  }
  paths_[0]->put_items(items);
  paths_[0]->receive_items(static_cast<Index>(items.size()));
}

/// As ShortestPaths::next_bin().
bool GpuPaths::next_bin() {
  constexpr std::int64_t no_distance = ~std::uint32_t{0};
  for (bins_.next();;) {
    for (const auto& part : paths_) part->next_bin(bins_);
    std::array<std::uint64_t, 1> moved{0};
    std::array<std::int64_t, 1> nearest{no_distance};
    for (const auto& part : paths_) {
      const PathCounts counts = part->counts();
      moved[0] += counts.moved;
      nearest[0] = std::min<std::int64_t>(nearest[0], ~counts.not_nearest);
    }
    ranks_.sum(moved);
    ranks_.minimum(nearest);
    if (moved[0] > 0) return true;
    if (nearest[0] == no_distance) return false;
    bins_.next_beyond(std::bit_cast<float>(static_cast<std::uint32_t>(nearest[0])));
  }
}

}  // namespace goban::graph500

#endif
