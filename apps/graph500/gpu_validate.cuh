R"cuda(
// The five rules on a GPU. Levels are bytes.

using uint8 = unsigned char;
using uint32 = unsigned int;
using uint64 = unsigned long long;
using int64 = long long;

constexpr uint32 outside = 255, unknown = 254, most_levels = 250;
enum Rule { no_cycles, tree_edges, input_edges, spans_component, parents_are_edges };

/// Two vertices of 48 bits in 12 bytes.
struct Edge {
  uint32 low[2];
  unsigned short high[2];
};

struct Findings {
  uint64 broken[5];     ///< a vertex where each rule is broken, and 1; 0: nowhere
  uint64 edges;         ///< tuples of the component
  uint64 changed;       ///< in this round
  uint64 too_deep;      ///< more levels than bytes hold
  uint64 per_level[256];
};

__device__ __forceinline__ void note(Findings* findings, Rule rule, int64 vertex) {
  atomicMax(&findings->broken[rule], static_cast<uint64>(vertex) + 1);
}
__device__ __forceinline__ uint64 thread_of() {
  return blockIdx.x * static_cast<uint64>(blockDim.x) + threadIdx.x;
}

extern "C" __global__ void graph500_levels_begin(const int64* parents, uint8* level, uint64 count,
                                                 uint64 root, Findings* findings) {
  const uint64 v = thread_of();
  if (v >= count) return;
  level[v] = v == root ? 0 : parents[v] < 0 ? outside : unknown;
  if (v == root && parents[v] != static_cast<int64>(root)) note(findings, tree_edges, v);
}

/// Levels of vertices whose parents have one.
extern "C" __global__ void graph500_levels(const int64* parents, uint8* level, uint64 count,
                                           Findings* findings) {
  const uint64 v = thread_of();
  if (v >= count || level[v] != unknown) return;
  const uint64 parent = static_cast<uint64>(parents[v]);
  const uint32 above = parent < count ? level[parent] : outside;
  if (above == outside) {  // so that those below it are no cycle
    level[v] = outside;
    return note(findings, tree_edges, v);
  }
  if (above == unknown) return;
  if (above >= most_levels) findings->too_deep = 1;
  level[v] = above + 1;
  findings->changed = 1;
}

/// Those whose parents never had one; all others are counted.
extern "C" __global__ void graph500_levels_end(const uint8* level, uint64 count,
                                               Findings* findings) {
  __shared__ uint32 counts[256];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (uint64 v = thread_of(); v < count; v += gridDim.x * static_cast<uint64>(blockDim.x)) {
    if (level[v] == unknown) {
      note(findings, no_cycles, v);
    } else {
      atomicAdd(&counts[level[v]], 1u);
    }
  }
  __syncthreads();
  if (counts[threadIdx.x] != 0) {
    atomicAdd(&findings->per_level[threadIdx.x], static_cast<uint64>(counts[threadIdx.x]));
  }
}

/// Whether tuple e takes a and b too far apart, and whether it may be the tree's edge from a parent;
/// both are given levels, too.
template <class IsApart, class IsStep>
__device__ __forceinline__ void check_tuples(const Edge* __restrict__ edges, uint64 count,
                                             const uint8* __restrict__ level,
                                             const int64* __restrict__ parents, uint32* is_edge,
                                             Findings* findings, const IsApart& is_apart,
                                             const IsStep& is_step) {
  uint64 inside = 0;
  for (uint64 e = thread_of(); e < count; e += gridDim.x * static_cast<uint64>(blockDim.x)) {
    const Edge edge = edges[e];
    const uint64 a = static_cast<uint64>(edge.high[0]) << 32 | edge.low[0];
    const uint64 b = static_cast<uint64>(edge.high[1]) << 32 | edge.low[1];
    const uint32 level_a = level[a], level_b = level[b];
    if (level_a == outside && level_b == outside) continue;
    ++inside;
    if (level_a == outside || level_b == outside) {
      note(findings, spans_component, level_a == outside ? a : b);
    } else if (is_apart(a, b, level_a, level_b, e)) {
      note(findings, input_edges, a);
    }
    if (a == b) continue;
    const auto mark = [&](uint64 from, uint64 to, uint32 level_from, uint32 level_to) {
      if (!is_step(from, to, level_from, level_to, e)) return;
      if (parents[to] != static_cast<int64>(from)) return;
      if (!(is_edge[to / 32] >> (to % 32) & 1)) atomicOr(is_edge + to / 32, 1u << (to % 32));
    };
    mark(a, b, level_a, level_b);
    mark(b, a, level_b, level_a);
  }
  for (int step = 16; step > 0; step /= 2) inside += __shfl_xor_sync(0xffffffffu, inside, step);
  if (threadIdx.x % 32 == 0 && inside != 0) atomicAdd(&findings->edges, inside);
}

extern "C" __global__ void __launch_bounds__(256)
    graph500_tuples(const Edge* __restrict__ edges, uint64 count, const uint8* __restrict__ level,
                    const int64* __restrict__ parents, uint32* is_edge, Findings* findings) {
  check_tuples(
      edges, count, level, parents, is_edge, findings,
      [](uint64, uint64, uint32 level_a, uint32 level_b, uint64) {
        return level_a + 1 < level_b || level_b + 1 < level_a;
      },
      [](uint64, uint64, uint32 level_from, uint32 level_to, uint64) {
        return level_to == level_from + 1;
      });
}

extern "C" __global__ void __launch_bounds__(256)
    graph500_path_tuples(const Edge* __restrict__ edges, const float* __restrict__ weights,
                         uint64 count, const uint8* __restrict__ level,
                         const int64* __restrict__ parents, const float* __restrict__ distances,
                         uint64 root, float tolerance, uint32* is_edge, Findings* findings) {
  if (thread_of() == 0 && distances[root] != 0) note(findings, tree_edges, root);
  check_tuples(
      edges, count, level, parents, is_edge, findings,
      [&](uint64 a, uint64 b, uint32, uint32, uint64 e) {
        const float near = fminf(distances[a], distances[b]);
        return !(fmaxf(distances[a], distances[b]) <= near + weights[e] + tolerance);
      },
      [&](uint64 from, uint64 to, uint32, uint32, uint64 e) {
        return fabsf(distances[from] + weights[e] - distances[to]) <= tolerance;
      });
}

extern "C" __global__ void graph500_marked(const uint32* is_edge, const uint8* level, uint64 count,
                                           uint64 root, Findings* findings) {
  const uint64 v = thread_of();
  if (v >= count || v == root || level[v] == outside) return;
  if (!(is_edge[v / 32] >> (v % 32) & 1)) note(findings, parents_are_edges, v);
}
)cuda"
