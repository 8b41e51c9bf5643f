#include "graph500/gpu_build.hpp"

#if GOBAN_HAVE_CUDA

#include <algorithm>

#include "graph500/adjacency.hpp"
#include "graph500/gpu_kernels.hpp"
#include "graph500/gpu_launch.hpp"

namespace goban::graph500 {
namespace {

/// Sums of the counts before each, and of all.
Buffer<std::uint64_t> sums_of(const DeviceArray<std::uint32_t>& counts, cuda::CUstream stream,
                              ThreadTeam& team) {
  Buffer<std::uint32_t> values(counts.size());
  counts.get(values.data(), stream);
  Buffer<std::uint64_t> begin(counts.size() + 1);
  team.run_split(counts.size(), [&](Index from, Index to, int) {
    std::copy(values.begin() + from, values.begin() + to, begin.begin() + from);
  });
  begin[counts.size()] = 0;
  sum_up(begin, team);
  return begin;
}

}  // namespace

DeviceAdjacency copied(const Adjacency& adjacency) {
  return {DeviceArray<std::uint64_t>(adjacency.begin.all()),
          DeviceArray<Vertex>(adjacency.neighbour.all()),
          DeviceArray<Vertex>(adjacency.first.all()),
          adjacency.weight.size() > 0 ? DeviceArray<float>(adjacency.weight.all())
                                      : DeviceArray<float>()};
}

DeviceTuples copied(const EdgeList& list, const Part& share) {
  const auto begin = static_cast<std::size_t>(share.begin);
  const auto size = static_cast<std::size_t>(share.end - share.begin);
  DeviceTuples tuples{DeviceArray<Edge>(list.edges.all().subspan(begin, size)), {}};
  if (list.weights.size() > 0) {
    tuples.weights = DeviceArray<float>(list.weights.all().subspan(begin, size));
  }
  return tuples;
}

DeviceTuples generated(const KroneckerRule& rule, Index begin, Index count, bool with_weights,
                       cuda::CUstream stream) {
  DeviceTuples tuples{DeviceArray<Edge>(count), {}};
  start(BuildKernels::get().generate, busy_blocks(), stream, "generating", rule,
        static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(count), tuples.edges.data());
  if (with_weights) {
    tuples.weights = DeviceArray<float>(count);
    start(BuildKernels::get().weights, busy_blocks(), stream, "generating", rule,
          static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(count),
          tuples.weights.data());
  }
  cuda::check(cuda::driver().cuStreamSynchronize(stream), "generating");
  return tuples;
}

void count_ends(const DeviceArray<Edge>& edges, Buffer<std::uint32_t>& degree,
                cuda::CUstream stream, ThreadTeam& team) {
  DeviceArray<std::uint32_t> counts(degree.size());
  counts.fill(0, stream);
  start(BuildKernels::get().degrees, busy_blocks(), stream, "counting", edges.data(),
        static_cast<std::uint64_t>(edges.size()), counts.data());
  Buffer<std::uint32_t> here(degree.size());
  counts.get(here.data(), stream);
  team.run_split(degree.size(), [&](Index begin, Index end, int) {
    for (Index v = begin; v < end; ++v) degree[v] += here[v];
  });
}

DeviceAdjacency made(Lists lists, const DeviceEdges& edges, const DeviceArray<Vertex>& label,
                     const Partition& partition, Index labels, cuda::CUstream stream,
                     ThreadTeam& team) {
  const BuildKernels& kernels = BuildKernels::get();
  const unsigned int blocks = busy_blocks();
  const Index count = Partition::block *
                      (lists == Lists::rows ? partition.row_blocks() : partition.column_blocks());
  const auto list_count = static_cast<std::uint64_t>(count);
  const auto part = static_cast<std::uint32_t>(partition.part());
  const auto parts = static_cast<std::uint32_t>(partition.parts());
  const std::uint32_t by_column = lists == Lists::columns ? 1 : 0;
  DeviceArray<std::uint32_t> counts(count), longer(count), longer_count(1);
  counts.fill(0, stream);
  for (const auto& [share, weights] : edges) {
    start(kernels.count, blocks, stream, "counting", share.data(),
          static_cast<std::uint64_t>(share.size()), label.data(), part, parts, by_column,
          counts.data());
  }
  const Buffer<std::uint64_t> sums = sums_of(counts, stream, team);
  const DeviceArray<std::uint64_t> begin(sums.all());
  const auto entry_count = static_cast<Index>(sums[count]);
  const DeviceArray<Vertex> entries(entry_count);
  DeviceAdjacency adjacency;
  adjacency.neighbour = DeviceArray<Vertex>(entry_count);  // first for sorting
  counts.fill(0, stream);
  for (const auto& [share, weights] : edges) {
    start(kernels.fill, blocks, stream, "filling lists", share.data(),
          static_cast<std::uint64_t>(share.size()), label.data(), part, parts, by_column,
          begin.data(), counts.data(), entries.data());
  }
  longer_count.fill(0, stream);
  start(kernels.sort_short, blocks, stream, "sorting lists", begin.data(), list_count,
        entries.data(), counts.data(), longer.data(), longer_count.data());
  std::uint32_t digits = 0;
  while (digits < 4 && labels >> (8 * digits) != 0) ++digits;
  start(kernels.sort_long, blocks, stream, "sorting lists", begin.data(), entries.data(),
        adjacency.neighbour.data(), counts.data(), longer.data(), longer_count.data(), digits);
  const Buffer<std::uint64_t> new_sums = sums_of(counts, stream, team);
  adjacency.begin = DeviceArray<std::uint64_t>(new_sums.all());
  adjacency.first = DeviceArray<Vertex>(count);
  start(kernels.close, blocks, stream, "closing gaps", begin.data(), adjacency.begin.data(),
        list_count, entries.data(), adjacency.neighbour.data(), adjacency.first.data());
  adjacency.neighbour.shorten(static_cast<Index>(new_sums[count]));
  cuda::check(cuda::driver().cuStreamSynchronize(stream), "closing gaps");
  return adjacency;
}

void weigh(DeviceAdjacency& adjacency, Lists lists, const DeviceEdges& edges,
           const DeviceArray<Vertex>& label, const Partition& partition, cuda::CUstream stream) {
  const auto part = static_cast<std::uint32_t>(partition.part());
  const auto parts = static_cast<std::uint32_t>(partition.parts());
  const std::uint32_t by_column = lists == Lists::columns ? 1 : 0;
  adjacency.weight = DeviceArray<float>(adjacency.neighbour.size());
  adjacency.weight.fill(0xff, stream);
  auto* const bits = reinterpret_cast<std::uint32_t*>(adjacency.weight.data());
  for (const auto& [share, weights] : edges) {
    start(BuildKernels::get().weigh, busy_blocks(), stream, "weighing edges", share.data(),
          weights.data(), static_cast<std::uint64_t>(share.size()), label.data(), part, parts,
          by_column, adjacency.begin.data(), adjacency.neighbour.data(), bits);
  }
  cuda::check(cuda::driver().cuStreamSynchronize(stream), "weighing edges");
}

void set_first(DeviceAdjacency& adjacency, cuda::CUstream stream) {
  const auto lists = static_cast<std::uint64_t>(adjacency.begin.size() - 1);
  adjacency.first = DeviceArray<Vertex>(adjacency.begin.size() - 1);
  start(BuildKernels::get().first, busy_blocks(), stream, "adopting lists", adjacency.begin.data(),
        lists, adjacency.neighbour.data(), adjacency.first.data());
  cuda::check(cuda::driver().cuStreamSynchronize(stream), "adopting lists");
}

bool reach(int device) {
  const int here = cuda::current_device();
  if (here == device) return true;
  int can = 0;
  cuda::check(cuda::driver().cuDeviceCanAccessPeer(&can, here, device), "reaching another GPU");
  if (can == 0) return false;
  const cuda::CUresult status = cuda::driver().cuCtxEnablePeerAccess(cuda::context_of(device), 0);
  if (status != cuda::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
    cuda::check(status, "reaching another GPU");
  }
  return true;
}

}  // namespace goban::graph500

#endif
