R"cuda(
// Kernel 3 on GPUs. Sets are words of 32 bits; what is known of a vertex is a number as of
// path_word.hpp. Labels number the vertices of a column, as parts have whole rows.

using uint32 = unsigned int;
using uint64 = unsigned long long;

constexpr uint32 all_lanes = 0xffffffffu, no_vertex = 0xffffffffu;
constexpr uint32 piece = PIECE;  ///< edges of a vertex that a warp takes at a time
constexpr uint64 unreached = ~0ull;
constexpr uint32 distance_shift = 33;

/// A vertex of the frontier, for other parts.
struct PathItem {
  uint64 word;
  uint32 label, unused;
};
struct PathCounts {
  uint32 taken, moved;
  uint32 not_nearest;     ///< inverted bits of the smallest distance beyond the limit; 0: none
  uint32 has_most_steps;
};

__device__ __forceinline__ uint64 beyond(uint64 word, float weight, uint32 label,
                                         uint32 parent_bits) {
  const uint64 most = (1ull << (distance_shift - parent_bits)) - 1;
  const float here = __uint_as_float(static_cast<uint32>(word >> distance_shift));
  const float there = here + weight;
  uint64 steps = 0;
  if (!(there > here)) {
    const uint64 before = word >> parent_bits & most;
    steps = before < most ? before + 1 : most;
  }
  return static_cast<uint64>(__float_as_uint(there)) << distance_shift | steps << parent_bits |
         label;
}

extern "C" __global__ void graph500_begin_paths(uint64* best, uint32* near, uint32 row,
                                                uint32 label) {
  best[row] = label;
  near[row / 32] = 1u << (row % 32);
}

/// Vertices near enough become the frontier: as a set where there is one part, else as items.
extern "C" __global__ void __launch_bounds__(256)
    graph500_take_near(uint32* __restrict__ near, uint32* __restrict__ far, uint32 words,
                       const uint64* __restrict__ best, uint32* __restrict__ frontier,
                       uint32* __restrict__ settled, PathItem* __restrict__ items, uint32 part,
                       uint32 parts, PathCounts* counts) {
  const uint32 lane = threadIdx.x % 32, mine = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32 word = mine < words ? near[mine] : 0;
  if (word != 0) {
    near[mine] = 0;
    far[mine] &= ~word;
  }
  if (parts == 1 && mine < words) {
    frontier[mine] = word;
    if (word != 0) settled[mine] |= word;
  }
  const uint32 own = __popc(word);
  uint32 before = own;
  for (int step = 1; step < 32; step *= 2) {
    const uint32 left = __shfl_up_sync(all_lanes, before, step);
    if (lane >= static_cast<uint32>(step)) before += left;
  }
  uint32 place = 0;
  if (lane == 31 && before != 0) place = atomicAdd(&counts->taken, before);
  place = __shfl_sync(all_lanes, place, 31) + before - own;
  if (parts == 1) return;
  for (uint32 bits = word; bits != 0; bits &= bits - 1) {
    const uint32 row = mine * 32 + __ffs(bits) - 1;
    items[place++] = {best[row], (row / 64 * parts + part) * 64 + row % 64, 0};
  }
}

/// The frontier of all parts.
extern "C" __global__ void __launch_bounds__(256)
    graph500_receive_items(const PathItem* __restrict__ items, uint32 count, uint64* reach,
                           uint32* frontier, uint32* settled) {
  const uint32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const uint32 label = items[i].label;
  reach[label] = items[i].word;
  atomicOr(frontier + label / 32, 1u << (label % 32));
  atomicOr(settled + label / 32, 1u << (label % 32));
}

/// Follows the light or the heavy ones of edges that graph500_list has listed. `from` may be
/// `best`: who becomes better meanwhile is near or far again.
extern "C" __global__ void __launch_bounds__(256)
    graph500_relax(const uint2* __restrict__ pieces, const uint32* __restrict__ count,
                   const uint64* __restrict__ begin, const uint32* __restrict__ neighbour,
                   const float* __restrict__ weight, const uint64* from, uint64* best,
                   uint32* near, uint32* far, float delta, float limit, uint32 parent_bits,
                   uint32 heavy) {
  const uint32 lane = threadIdx.x % 32, warps = gridDim.x * (blockDim.x / 32), total = *count;
  for (uint32 i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; i < total; i += warps) {
    const uint2 item = pieces[i];
    const uint64 word = __ldcg(from + item.x);
    const uint64 start = begin[item.x] + static_cast<uint64>(item.y) * piece;
    const uint64 last = begin[item.x + 1], end = start + piece < last ? start + piece : last;
    for (uint64 a = start + lane; a < end; a += 32) {
      const float w = weight[a];
      if ((w < delta) == (heavy != 0)) continue;
      const uint32 v = neighbour[a];
      const uint64 next = beyond(word, w, item.x, parent_bits);
      if (__ldcg(best + v) <= next) continue;
      const uint64 held = atomicMin(best + v, next);
      if (held >> parent_bits <= next >> parent_bits) continue;  // what follows from it stays
      const float distance = __uint_as_float(static_cast<uint32>(next >> distance_shift));
      atomicOr((distance < limit ? near : far) + v / 32, 1u << (v % 32));
    }
  }
}

/// Far ones below the limit are near.
extern "C" __global__ void __launch_bounds__(256)
    graph500_next_bin(const uint32* __restrict__ far, uint32* near,
                      const uint64* __restrict__ best, uint32 words, float limit,
                      PathCounts* counts) {
  const uint32 lane = threadIdx.x % 32, mine = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32 word = mine < words ? far[mine] : 0;
  uint32 least = 0xffffffffu, taken = mine < words ? near[mine] : 0;
  for (uint32 some = __ballot_sync(all_lanes, word != 0); some != 0; some &= some - 1) {
    const uint32 who = __ffs(some) - 1;
    const bool is_far = __shfl_sync(all_lanes, word, who) >> lane & 1;
    uint32 distance = 0xffffffffu;
    if (is_far) {
      distance = static_cast<uint32>(best[(mine - lane + who) * 32 + lane] >> distance_shift);
    }
    const bool is_near = is_far && __uint_as_float(distance) < limit;
    if (is_far && !is_near && distance < least) least = distance;
    const uint32 bits = __ballot_sync(all_lanes, is_near);
    if (lane == who) taken |= bits;
  }
  if (taken != 0) near[mine] = taken;
  uint32 moved = __popc(taken);
  for (int step = 16; step > 0; step /= 2) {
    moved += __shfl_xor_sync(all_lanes, moved, step);
    const uint32 other = __shfl_xor_sync(all_lanes, least, step);
    least = other < least ? other : least;
  }
  if (lane != 0) return;
  if (moved != 0) atomicAdd(&counts->moved, moved);
  if (least != 0xffffffffu) atomicMax(&counts->not_nearest, ~least);
}

/// Parents as original vertices, of all original vertices where `label` is given; distances.
extern "C" __global__ void __launch_bounds__(256)
    graph500_write_paths(const uint64* __restrict__ best, const uint32* __restrict__ label,
                         const uint32* __restrict__ original, long long* __restrict__ parents,
                         float* __restrict__ distances, uint64 count, uint32 parent_bits,
                         PathCounts* counts) {
  const uint64 i = blockIdx.x * static_cast<uint64>(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  const uint32 own = label != nullptr ? label[i] : static_cast<uint32>(i);
  const uint64 word = own != no_vertex ? best[own] : unreached;
  if (word == unreached) {
    parents[i] = -1;
    distances[i] = __uint_as_float(0x7f800000u);
    return;
  }
  const uint64 most = (1ull << (distance_shift - parent_bits)) - 1;
  parents[i] = static_cast<long long>(original[word & ((1ull << parent_bits) - 1)]);
  distances[i] = __uint_as_float(static_cast<uint32>(word >> distance_shift));
  if ((word >> parent_bits & most) == most) counts->has_most_steps = 1;
}
)cuda"
