R"cuda(
// Generation and kernel 1 on GPUs. A part has whole rows of the matrix: all edges of its vertices.

using uint32 = unsigned int;
using uint64 = unsigned long long;

constexpr uint32 all_lanes = 0xffffffffu, no_vertex = 0xffffffffu;

/// Two vertices of 48 bits in 12 bytes.
struct Edge {
  uint32 low[2];
  unsigned short high[2];
  __device__ uint64 vertex(int end) const {
    return static_cast<uint64>(high[end]) << 32 | low[end];
  }
};

/// As in kronecker.hpp.
struct KroneckerRule {
  uint64 draws, weights, keys;
  uint64 factor[3], offset[3];
  int scale;
};

__device__ __forceinline__ uint64 thread_of() {
  return blockIdx.x * static_cast<uint64>(blockDim.x) + threadIdx.x;
}
__device__ __forceinline__ uint64 threads_of() {
  return gridDim.x * static_cast<uint64>(blockDim.x);
}

__device__ __forceinline__ uint64 mix(uint64 v) {
  v += 0x9e3779b97f4a7c15ull;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ull;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebull;
  return v ^ (v >> 31);
}

__device__ __forceinline__ uint64 permuted(const KroneckerRule& rule, uint64 vertex) {
  const uint64 mask = (1ull << rule.scale) - 1;
  for (int r = 0; r < 3; ++r) {
    vertex = (vertex * rule.factor[r] + rule.offset[r]) & mask;
    vertex ^= vertex >> ((rule.scale + 1) / 2);
  }
  return vertex;
}

extern "C" __global__ void graph500_generate(KroneckerRule rule, uint64 begin, uint64 count,
                                             Edge* edges) {
  for (uint64 e = thread_of(); e < count; e += threads_of()) {
    const uint64 start = mix(rule.draws ^ mix(begin + e));
    uint64 first = 0, second = 0, bits = 0;
    for (int level = 0; level < rule.scale; ++level) {
      bits = level % 2 == 0 ? mix(start + level) : bits >> 32;
      const uint32 draw = static_cast<uint32>(bits);
      const bool beyond_a = draw >= 2448131359u, beyond_b = draw >= 3264175145u;
      const bool beyond_c = draw >= 4080218931u;
      first = first << 1 | (beyond_b ? 1 : 0);
      second = second << 1 | ((beyond_a && !beyond_b) || beyond_c ? 1 : 0);
    }
    first = permuted(rule, first);
    second = permuted(rule, second);
    Edge edge;
    edge.low[0] = static_cast<uint32>(first);
    edge.low[1] = static_cast<uint32>(second);
    edge.high[0] = static_cast<unsigned short>(first >> 32);
    edge.high[1] = static_cast<unsigned short>(second >> 32);
    edges[e] = edge;
  }
}

extern "C" __global__ void graph500_weights(KroneckerRule rule, uint64 begin, uint64 count,
                                            float* weights) {
  for (uint64 e = thread_of(); e < count; e += threads_of()) {
    const uint64 bits = mix(rule.weights ^ mix(begin + e));
    weights[e] = static_cast<float>(bits >> 40) * 5.9604644775390625e-8f;  // 2^-24
  }
}

/// Tuples that touch each original vertex, loops not counted.
extern "C" __global__ void graph500_degrees(const Edge* __restrict__ edges, uint64 count,
                                            uint32* degree) {
  for (uint64 e = thread_of(); e < count; e += threads_of()) {
    const Edge edge = edges[e];
    const uint64 a = edge.vertex(0), b = edge.vertex(1);
    if (a == b) continue;
    atomicAdd(degree + a, 1u);
    atomicAdd(degree + b, 1u);
  }
}

/// Calls f(list, entry) for both directions of a tuple that concern the part: lists of rows have
/// columns, lists of columns have rows.
template <class F>
__device__ __forceinline__ void each_entry(const Edge& edge, const uint32* label, uint32 part,
                                           uint32 parts, uint32 by_column, const F& f) {
  if (edge.vertex(0) == edge.vertex(1)) return;
  const uint32 ends[2] = {label[edge.vertex(0)], label[edge.vertex(1)]};
  for (int to = 0; to < 2; ++to) {
    const uint32 block = ends[to] / 64;
    if (block % parts != part) continue;
    const uint32 row = block / parts * 64 + ends[to] % 64, column = ends[1 - to];
    by_column ? f(column, row) : f(row, column);
  }
}

extern "C" __global__ void graph500_count(const Edge* __restrict__ edges, uint64 count,
                                          const uint32* __restrict__ label, uint32 part,
                                          uint32 parts, uint32 by_column, uint32* counts) {
  for (uint64 e = thread_of(); e < count; e += threads_of()) {
    each_entry(edges[e], label, part, parts, by_column,
               [&](uint32 list, uint32) { atomicAdd(counts + list, 1u); });
  }
}

/// `counts` are zero before.
extern "C" __global__ void graph500_fill(const Edge* __restrict__ edges, uint64 count,
                                         const uint32* __restrict__ label, uint32 part,
                                         uint32 parts, uint32 by_column,
                                         const uint64* __restrict__ begin, uint32* counts,
                                         uint32* entries) {
  for (uint64 e = thread_of(); e < count; e += threads_of()) {
    each_entry(edges[e], label, part, parts, by_column, [&](uint32 list, uint32 entry) {
      entries[begin[list] + atomicAdd(counts + list, 1u)] = entry;
    });
  }
}

/// Sorts lists of up to 32 entries, a warp each, and removes duplicates; names longer ones.
extern "C" __global__ void __launch_bounds__(256)
    graph500_sort_short(const uint64* __restrict__ begin, uint64 lists, uint32* entries,
                        uint32* counts, uint32* longer, uint32* longer_count) {
  const uint32 lane = threadIdx.x % 32;
  for (uint64 list = thread_of() / 32; list < lists; list += threads_of() / 32) {
    const uint64 at = begin[list], length = begin[list + 1] - at;
    if (length > 32) {
      if (lane == 0) longer[atomicAdd(longer_count, 1u)] = static_cast<uint32>(list);
      continue;
    }
    uint32 value = lane < length ? entries[at + lane] : no_vertex;
    for (uint32 size = 2; size <= 32 && length > 1; size *= 2) {
      for (uint32 step = size / 2; step > 0; step /= 2) {
        const uint32 other = __shfl_xor_sync(all_lanes, value, step);
        const bool takes_lower = ((lane & step) == 0) == ((lane & size) == 0);
        value = takes_lower == (other < value) ? other : value;
      }
    }
    const uint32 before = __shfl_up_sync(all_lanes, value, 1);
    const bool stays = lane < length && (lane == 0 || value != before);
    const uint32 stay = __ballot_sync(all_lanes, stays);
    if (stays) entries[at + __popc(stay & ((1u << lane) - 1))] = value;
    if (lane == 0) counts[list] = __popc(stay);
  }
}

/// The same of longer lists, a block each: eight bits at a time, in `digits` passes between entries
/// and `spare`.
extern "C" __global__ void __launch_bounds__(256)
    graph500_sort_long(const uint64* __restrict__ begin, uint32* entries, uint32* spare,
                       uint32* counts, const uint32* longer, const uint32* longer_count,
                       uint32 digits) {
  __shared__ uint32 place[256], of_warp[8][256], warp_sum[8];
  const uint32 t = threadIdx.x, lane = t % 32, warp = t / 32;
  for (uint32 n = blockIdx.x; n < *longer_count; n += gridDim.x) {
    const uint32 list = longer[n];
    const uint64 at = begin[list], length = begin[list + 1] - at;
    uint32 *from = entries + at, *to = spare + at;
    for (uint32 pass = 0; pass < digits; ++pass) {
      const uint32 shift = 8 * pass;
      place[t] = 0;
      __syncthreads();
      for (uint64 i = t; i < length; i += 256) atomicAdd(&place[from[i] >> shift & 255], 1u);
      __syncthreads();
      uint32 sum = place[t];
      for (int step = 1; step < 32; step *= 2) {
        const uint32 left = __shfl_up_sync(all_lanes, sum, step);
        if (lane >= static_cast<uint32>(step)) sum += left;
      }
      if (lane == 31) warp_sum[warp] = sum;
      __syncthreads();
      for (uint32 w = 0; w < warp; ++w) sum += warp_sum[w];
      place[t] = sum - place[t];
      for (uint64 start = 0; start < length; start += 256) {
        for (uint32 w = 0; w < 8; ++w) of_warp[w][t] = 0;
        __syncthreads();
        const bool is_one = start + t < length;
        const uint32 value = is_one ? from[start + t] : 0;
        const uint32 digit = is_one ? value >> shift & 255 : 256;
        const uint32 alike = __match_any_sync(all_lanes, digit);
        const uint32 rank = __popc(alike & ((1u << lane) - 1));
        if (is_one && rank == 0) of_warp[warp][digit] = __popc(alike);
        __syncthreads();
        uint32 next = place[t];
        for (uint32 w = 0; w < 8; ++w) {
          const uint32 count = of_warp[w][t];
          of_warp[w][t] = next;
          next += count;
        }
        place[t] = next;
        __syncthreads();
        if (is_one) to[of_warp[warp][digit] + rank] = value;
        __syncthreads();
      }
      uint32* const sorted = to;
      to = from;
      from = sorted;
    }
    uint32 kept = 0;
    for (uint64 start = 0; start < length; start += 256) {
      const uint64 i = start + t;
      const uint32 value = i < length ? from[i] : 0;
      const bool stays = i < length && (i == 0 || from[i - 1] != value);
      const uint32 stay = __ballot_sync(all_lanes, stays);
      if (lane == 0) warp_sum[warp] = __popc(stay);
      __syncthreads();
      uint32 before = kept;
      for (uint32 w = 0; w < 8; ++w) {
        if (w < warp) before += warp_sum[w];
        kept += warp_sum[w];
      }
      if (stays) entries[at + before + __popc(stay & ((1u << lane) - 1))] = value;
      __syncthreads();
    }
    if (t == 0) counts[list] = kept;
  }
}

/// Lists without gaps, and the first entry of each.
extern "C" __global__ void __launch_bounds__(256)
    graph500_close(const uint64* __restrict__ begin, const uint64* __restrict__ new_begin,
                   uint64 lists, const uint32* __restrict__ entries, uint32* __restrict__ closed,
                   uint32* __restrict__ first) {
  const uint32 lane = threadIdx.x % 32;
  for (uint64 list = thread_of() / 32; list < lists; list += threads_of() / 32) {
    const uint64 from = begin[list], to = new_begin[list], length = new_begin[list + 1] - to;
    for (uint64 i = lane; i < length; i += 32) closed[to + i] = entries[from + i];
    if (lane == 0) first[list] = length > 0 ? entries[from] : no_vertex;
  }
}

extern "C" __global__ void graph500_first(const uint64* __restrict__ begin, uint64 lists,
                                          const uint32* __restrict__ neighbour, uint32* first) {
  for (uint64 list = thread_of(); list < lists; list += threads_of()) {
    const uint64 at = begin[list];
    first[list] = at < begin[list + 1] ? neighbour[at] : no_vertex;
  }
}

/// The smallest weight of the tuples between two vertices, at its place in lists that are sorted.
/// Weights are at least 0, so that they are ordered as their bits are; before, all bits are set.
extern "C" __global__ void graph500_weigh(const Edge* __restrict__ edges,
                                          const float* __restrict__ weights, uint64 count,
                                          const uint32* __restrict__ label, uint32 part,
                                          uint32 parts, uint32 by_column,
                                          const uint64* __restrict__ begin,
                                          const uint32* __restrict__ neighbour,
                                          uint32* list_weights) {
  for (uint64 e = thread_of(); e < count; e += threads_of()) {
    const uint32 weight = __float_as_uint(weights[e]);
    each_entry(edges[e], label, part, parts, by_column, [&](uint32 list, uint32 entry) {
      uint64 at = begin[list], end = begin[list + 1] - 1;
      while (at < end) {
        const uint64 middle = (at + end) / 2;
        if (neighbour[middle] < entry) {
          at = middle + 1;
        } else {
          end = middle;
        }
      }
      atomicMin(list_weights + at, weight);
    });
  }
}
)cuda"
