#pragma once
// Generation and kernel 1 on GPUs.

#include <vector>

#include "graph500/device_array.hpp"
#include "graph500/graph.hpp"
#include "graph500/kronecker.hpp"

namespace goban::graph500 {

struct DeviceTuples {
  DeviceArray<Edge> edges;
  DeviceArray<float> weights;  ///< empty: not wanted
};
/// Tuples in memory of GPUs that reach each other's, a share each.
using DeviceEdges = std::vector<DeviceTuples>;

/// As Adjacency.
struct DeviceAdjacency {
  DeviceArray<std::uint64_t> begin;
  DeviceArray<Vertex> neighbour, first;
  DeviceArray<float> weight;  ///< empty: not wanted
};
/// Copies the lists to the current device.
DeviceAdjacency copied(const Adjacency& adjacency);

/// Tuples [begin, begin + count) on the current device.
DeviceTuples generated(const KroneckerRule& rule, Index begin, Index count, bool with_weights,
                       cuda::CUstream stream);

/// A share of the host's, on the current device.
DeviceTuples copied(const EdgeList& list, const Part& share);

/// Adds the tuples of the current device that touch each vertex to `degree`.
void count_ends(const DeviceArray<Edge>& edges, Buffer<std::uint32_t>& degree,
                cuda::CUstream stream, ThreadTeam& team);

/// Lists of a part with whole rows, made on the current device, without weights; `label` lies
/// there, too.
DeviceAdjacency made(Lists lists, const DeviceEdges& edges, const DeviceArray<Vertex>& label,
                     const Partition& partition, Index labels, cuda::CUstream stream,
                     ThreadTeam& team);
/// Gives them the weights that the tuples have.
void weigh(DeviceAdjacency& adjacency, Lists lists, const DeviceEdges& edges,
           const DeviceArray<Vertex>& label, const Partition& partition, cuda::CUstream stream);

/// The first neighbour of each, once all are there.
void set_first(DeviceAdjacency& adjacency, cuda::CUstream stream);

/// Lets the current device read memory of another. False: it cannot.
bool reach(int device);

}  // namespace goban::graph500
