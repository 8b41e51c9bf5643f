#include "graph500/gpu_part.hpp"

#if GOBAN_HAVE_CUDA

#include <algorithm>
#include <utility>

#include "goban/backend/cuda/driver/nccl.hpp"
#include "graph500/gpu_kernels.hpp"
#include "graph500/gpu_launch.hpp"

namespace goban::graph500 {

using cuda::address;
using cuda::check;
using cuda::driver;
using cuda::OnDevice;

namespace {

constexpr const char* searching = "searching";

/// Pieces of all frontiers that are searched top-down: never more than these.
Index most_pieces(Index vertices, Index edges) { return vertices + edges / edges_a_piece + 1; }

}  // namespace

GpuPart::GpuPart(int device, const Partition& partition, DeviceAdjacency rows,
                 DeviceAdjacency columns, const Buffer<std::uint32_t>& own_degree,
                 const Labels& labels)
    : device_(device),
      partition_(partition),
      vertices_(labels.label.size()),
      rows_(std::move(rows)),
      columns_(std::move(columns)) {
  const OnDevice current(device);
  check(driver().cuStreamCreateWithPriority(&stream_, cuda::CU_STREAM_NON_BLOCKING, 0), "starting");
  check(driver().cuEventCreate(&sent_, cuda::CU_EVENT_DISABLE_TIMING), "starting");
  host_counts_ = static_cast<std::uint64_t*>(cuda::allocate_pinned(3 * sizeof(std::uint64_t)));
  if (partition_.parts() > 1) {
    gathered_ = DeviceArray<Word>(partition_.column_blocks());
  } else {
    label_ = DeviceArray<Vertex>(labels.label.all());
  }
  degree_ = DeviceArray<std::uint32_t>(own_degree.all());
  original_ = DeviceArray<std::uint32_t>(labels.original.all());
  visited_ = DeviceArray<std::uint32_t>(2 * partition_.row_blocks());
  found_ = DeviceArray<std::uint32_t>(2 * partition_.row_blocks());
  frontier_ = DeviceArray<std::uint32_t>(2 * partition_.column_blocks());
  const Index owned = partition_.row_blocks() * Partition::block;
  parent_ = DeviceArray<Vertex>(owned);
  parents_ = DeviceArray<Index>(partition_.parts() == 1 ? vertices_ : owned);
  pieces_ = DeviceArray<std::uint64_t>(
      most_pieces(partition_.column_blocks() * Partition::block, columns_.neighbour.size()));
  counts_ = DeviceArray<std::uint64_t>(3);
}

GpuPart::~GpuPart() {
  const OnDevice current(device_);
  driver().cuStreamSynchronize(stream_);
  driver().cuMemFreeHost(host_counts_);
  driver().cuEventDestroy(sent_);
  driver().cuStreamDestroy(stream_);
}

void GpuPart::begin(Vertex root) {
  const OnDevice current(device_);
  visited_.fill(0, stream_);
  frontier_.fill(0, stream_);
  parent_.fill(0xff, stream_);
  const auto row = static_cast<std::uint32_t>(partition_.row_of(root));
  const auto column = static_cast<std::uint32_t>(partition_.column_of(root));
  const std::uint32_t is_own = partition_.owner(root) == partition_.part() ? 1 : 0;
  cuda::launch(SearchKernels::get().begin.here(), {{1}, {1}, 0, false}, stream_, "searching",
               visited_.data(), frontier_.data(), parent_.data(), row, column, is_own);
}

void GpuPart::go_up() {
  const OnDevice current(device_);
  const auto words = static_cast<std::uint32_t>(visited_.size());
  start(SearchKernels::get().go_up, busy_blocks(), stream_, searching, visited_.data(),
        frontier_.data(), found_.data(), parent_.data(), rows_.first.data(), rows_.begin.data(),
        rows_.neighbour.data(), words);
}

void GpuPart::go_down() {
  const OnDevice current(device_);
  found_.fill(0, stream_);
  const Pieces pieces = list_edges(frontier_);
  start(SearchKernels::get().go_down, busy_blocks(), stream_, searching, pieces.list, pieces.count,
        columns_.begin.data(), columns_.neighbour.data(), visited_.data(), found_.data(),
        parent_.data());
}

GpuPart::Pieces GpuPart::list_edges(const DeviceArray<std::uint32_t>& set) {
  std::uint64_t* const listed = counts_.data() + 2;
  check(driver().cuMemsetD8Async(address(listed), 0, sizeof(*listed), stream_), searching);
  const auto words = static_cast<std::uint32_t>(set.size());
  auto* const count = reinterpret_cast<std::uint32_t*>(listed);
  start(SearchKernels::get().list, blocks_for(set.size()), stream_, searching, set.data(),
        columns_.begin.data(), pieces_.data(), count, words);
  return {pieces_.data(), count};
}

void GpuPart::finish() {
  const OnDevice current(device_);
  check(driver().cuMemsetD8Async(address(counts_.data()), 0, 2 * sizeof(std::uint64_t), stream_),
        "searching");
  const auto words = static_cast<std::uint32_t>(found_.size());
  start(SearchKernels::get().finish, blocks_for(found_.size()), stream_, searching, found_.data(),
        visited_.data(), degree_.data(), counts_.data(), words);
  check(driver().cuMemcpyDtoHAsync(host_counts_, address(counts_.data()), 2 * sizeof(std::uint64_t),
                                   stream_),
        "searching");
}

GpuPart::Totals GpuPart::totals() {
  synchronize();
  return {static_cast<Index>(host_counts_[0]), static_cast<Index>(host_counts_[1])};
}

void GpuPart::take_own_frontier() { std::swap(found_, frontier_); }

void GpuPart::send_found(GpuPart& to) {
  send(found_.data(), to.gathered_.data() + partition_.part() * partition_.own_blocks(),
       found_.bytes(), to);
}

void GpuPart::send(const void* bytes, void* place, std::size_t count, const GpuPart& to) {
  const OnDevice current(device_);
  if (count > 0) {
    check(driver().cuMemcpyPeerAsync(address(place), cuda::context_of(to.device_), address(bytes),
                                     cuda::context_of(device_), count, stream_),
          "sending what was found");
  }
  check(driver().cuEventRecord(sent_, stream_), "sending what was found");
}

void GpuPart::exchange(DeviceGroup& group, std::span<std::byte> mine,
                       const std::vector<std::span<std::byte>>& places) {
  const OnDevice current(device_);
  std::vector<Transfer> all;
  for (int part = 0; part < partition_.parts(); ++part) {
    const std::span<std::byte> place = places[static_cast<std::size_t>(part)];
    if (part == partition_.part()) {
      if (mine.empty()) continue;
      check(
          driver().cuMemcpyAsync(address(place.data()), address(mine.data()), mine.size(), stream_),
          "sending what was found");
      continue;
    }
    if (!mine.empty()) all.push_back({PeerPath::End::sends, part, mine.data(), mine.size()});
    if (!place.empty()) all.push_back({PeerPath::End::receives, part, place.data(), place.size()});
  }
  if (!all.empty()) cuda::transfer_messages(group, all, stream_);
}

void GpuPart::exchange_found(DeviceGroup& group) {
  std::vector<std::span<std::byte>> places;
  for (int part = 0; part < partition_.parts(); ++part) {
    auto* const place =
        reinterpret_cast<std::byte*>(gathered_.data() + part * partition_.own_blocks());
    places.emplace_back(place, found_.bytes());
  }
  exchange(group, {reinterpret_cast<std::byte*>(found_.data()), found_.bytes()}, places);
}

void GpuPart::wait_for_sent(std::span<const std::unique_ptr<GpuPart>> from) {
  const OnDevice current(device_);
  for (const auto& part : from) {
    check(driver().cuStreamWaitEvent(stream_, part->sent_, 0), "receiving what was found");
  }
}

void GpuPart::send_found(std::span<Word> host) {
  const OnDevice current(device_);
  check(driver().cuMemcpyDtoHAsync(host.data(), address(found_.data()), host.size_bytes(), stream_),
        "sending what was found");
  synchronize();
}

void GpuPart::receive_found(int part, std::span<const Word> host) {
  const OnDevice current(device_);
  check(driver().cuMemcpyHtoDAsync(address(gathered_.data() + part * partition_.own_blocks()),
                                   host.data(), host.size_bytes(), stream_),
        "receiving what was found");
}

void GpuPart::take_frontier(std::span<const std::unique_ptr<GpuPart>> from) {
  const OnDevice current(device_);
  wait_for_sent(from);
  const auto blocks = static_cast<std::uint32_t>(partition_.own_blocks());
  const auto parts = static_cast<std::uint32_t>(partition_.parts());
  auto* const frontier = reinterpret_cast<Word*>(frontier_.data());
  start(SearchKernels::get().interleave, blocks_for(partition_.column_blocks()), stream_, searching,
        gathered_.data(), frontier, blocks, parts);
}

void GpuPart::write() {
  const OnDevice current(device_);
  const auto count = static_cast<std::uint64_t>(parents_.size());
  start(SearchKernels::get().write, blocks_for(parents_.size()), stream_, searching, parent_.data(),
        label_.data(), original_.data(), parents_.data(), count);
}

void GpuPart::synchronize() const {
  const OnDevice current(device_);
  check(driver().cuStreamSynchronize(stream_), "searching");
}

void GpuPart::copy_parents(Index* parents) const {
  const OnDevice current(device_);
  parents_.get(parents, stream_);
}

/// Lists are made between two places, of which weights take the second afterwards; those of rows
/// are there when those of columns are made.
Index GpuPart::bytes_needed(Index vertices, Index edges, int parts, bool with_weights) {
  const Index lists = 2 * edges * 4 * (parts > 1 ? 3 : 2);
  const Index tuples = edges * (12 + (with_weights ? 4 : 0));
  Index of_all = vertices * (parts > 1 ? 8 + 8 + 8 + 4 + 4 + 1 : 8 + 4 + 4 + 1 + 8 + 8);
  Index of_own = vertices * (8 + 8 + 4 + 4 + 4 + 8);
  if (with_weights) {
    of_all += vertices * (4 + (parts > 1 ? 8 + 16 : 0));
    of_own += vertices * (8 + 4 + (parts > 1 ? 16 : 0));
  }
  return (lists + tuples + of_own + 2 * edges * 8 / edges_a_piece) / parts + of_all;
}

std::unique_ptr<GpuPart> copied(int device, const Graph& graph, const Labels& labels) {
  const OnDevice current(device);
  DeviceAdjacency rows = copied(graph.by_row);
  DeviceAdjacency columns = graph.partition.parts() > 1 ? copied(graph.by_column) : rows;
  return std::make_unique<GpuPart>(device, graph.partition, std::move(rows), std::move(columns),
                                   graph.own_degree, labels);
}

}  // namespace goban::graph500

#endif
