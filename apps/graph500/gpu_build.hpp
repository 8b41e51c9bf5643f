#pragma once
// Generation and kernel 1 on GPUs.

#include <vector>

#include "graph500/device_array.hpp"
#include "graph500/graph.hpp"
#include "graph500/kronecker.hpp"

namespace goban::graph500 {

/// Tuples in memory of GPUs that reach each other's, a share each.
using DeviceEdges = std::vector<DeviceArray<Edge>>;

/// As Adjacency.
struct DeviceAdjacency {
  DeviceArray<std::uint64_t> begin;
  DeviceArray<Vertex> neighbour, first;
};
/// To the current device.
DeviceAdjacency copied(const Adjacency& adjacency);

/// Tuples [begin, begin + count) on the current device.
DeviceArray<Edge> generated(const KroneckerRule& rule, Index begin, Index count,
                            cuda::CUstream stream);

/// Adds the tuples of the current device that touch each vertex to `degree`.
void count_ends(const DeviceArray<Edge>& edges, Buffer<std::uint32_t>& degree,
                cuda::CUstream stream, ThreadTeam& team);

enum class Lists { rows, columns };
/// Lists of a part with whole rows, made on the current device; `label` lies there, too.
DeviceAdjacency made(Lists lists, const DeviceEdges& edges, const DeviceArray<Vertex>& label,
                     const Partition& partition, Index labels, cuda::CUstream stream,
                     ThreadTeam& team);

/// Lets the current device read memory of another. False: it cannot.
bool reach(int device);

}  // namespace goban::graph500
