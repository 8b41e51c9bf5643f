R"cuda(
// Kernel 2 on GPUs. Sets are words of 32 bits; a warp has the 32 vertices of one.

using uint32 = unsigned int;
using uint64 = unsigned long long;

constexpr uint32 all_lanes = 0xffffffffu, no_vertex = 0xffffffffu;
constexpr uint32 serial = SERIAL;  ///< neighbours that a thread looks at before its warp helps
constexpr uint32 piece = PIECE;    ///< edges of a vertex that a warp takes at a time

__device__ __forceinline__ bool has_bit(const uint32* words, uint32 i) {
  return words[i / 32] >> (i % 32) & 1;
}
__device__ __forceinline__ uint32 lane_of() { return threadIdx.x % 32; }

extern "C" __global__ void graph500_begin(uint32* visited, uint32* frontier, uint32* parent,
                                          uint32 row, uint32 column, uint32 is_own) {
  frontier[column / 32] |= 1u << (column % 32);
  if (is_own == 0) return;
  visited[row / 32] |= 1u << (row % 32);
  parent[row] = column;
}

/// The first of the neighbours [at, end) of each lane that is on the frontier: a lane looks at some,
/// then the warp helps one lane after the other.
__device__ __forceinline__ uint32 first_on_frontier(const uint32* __restrict__ frontier,
                                                    const uint32* __restrict__ neighbour, uint64 at,
                                                    uint64 end) {
  const uint32 lane = lane_of();
  uint32 chosen = no_vertex;
  const uint64 soon = at + serial < end ? at + serial : end;
  for (; at < soon && chosen == no_vertex; ++at) {
    const uint32 u = neighbour[at];
    if (has_bit(frontier, u)) chosen = u;
  }
  for (uint32 open = __ballot_sync(all_lanes, chosen == no_vertex && at < end); open != 0;
       open &= open - 1) {
    const int who = __ffs(open) - 1;
    const uint64 stop = __shfl_sync(all_lanes, end, who);
    uint32 hit = no_vertex;
    for (uint64 a = __shfl_sync(all_lanes, at, who); a < stop && hit == no_vertex; a += 32) {
      const uint32 u = a + lane < stop ? neighbour[a + lane] : no_vertex;
      const uint32 hits = __ballot_sync(all_lanes, u != no_vertex && has_bit(frontier, u));
      if (hits != 0) hit = __shfl_sync(all_lanes, u, __ffs(hits) - 1);
    }
    if (lane == static_cast<uint32>(who)) chosen = hit;
  }
  return chosen;
}

/// Unvisited vertices look for the first of their neighbours that is on the frontier. A warp has 32
/// words and takes four of them at a time, so that what it waits for is under way together.
extern "C" __global__ void __launch_bounds__(256)
    graph500_go_up(const uint32* __restrict__ visited, const uint32* __restrict__ frontier,
                   uint32* __restrict__ found, uint32* __restrict__ parent,
                   const uint32* __restrict__ first, const uint64* __restrict__ begin,
                   const uint32* __restrict__ neighbour, uint32 words) {
  constexpr int together = 4;
  const uint32 lane = lane_of(), warps = gridDim.x * (blockDim.x / 32);
  for (uint32 base = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 32; base < words;
       base += warps * 32) {
    const uint32 word = base + lane < words ? ~visited[base + lane] : 0;
    uint32 result = 0;
    for (uint32 some = __ballot_sync(all_lanes, word != 0); some != 0;) {
      int who[together];
      uint32 u[together];
      bool is_hit[together];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        who[k] = some != 0 ? __ffs(some) - 1 : -1;
        some &= some - 1;
        const uint32 unvisited = __shfl_sync(all_lanes, word, who[k] & 31);
        const bool looks = who[k] >= 0 && (unvisited >> lane & 1);
        u[k] = looks ? first[(base + who[k]) * 32 + lane] : no_vertex;
      }
#pragma unroll
      for (int k = 0; k < together; ++k) {
        is_hit[k] = u[k] != no_vertex && has_bit(frontier, u[k]);
      }
#pragma unroll
      for (int k = 0; k < together; ++k) {
        if (who[k] < 0) continue;
        const uint32 v = (base + who[k]) * 32 + lane;
        const bool goes_on = u[k] != no_vertex && !is_hit[k];
        uint32 chosen = is_hit[k] ? u[k] : no_vertex;
        if (__ballot_sync(all_lanes, goes_on) != 0) {
          const uint64 at = goes_on ? begin[v] + 1 : 0, end = goes_on ? begin[v + 1] : 0;
          const uint32 later = first_on_frontier(frontier, neighbour, at, end);
          if (goes_on) chosen = later;
        }
        if (chosen != no_vertex) parent[v] = chosen;
        const uint32 bits = __ballot_sync(all_lanes, chosen != no_vertex);
        if (lane == static_cast<uint32>(who[k])) result = bits;
      }
    }
    if (base + lane < words) found[base + lane] = result;
  }
}

/// Lists the edges of the frontier: vertex and piece, at most `piece` edges each.
extern "C" __global__ void __launch_bounds__(256)
    graph500_list(const uint32* __restrict__ frontier, const uint64* __restrict__ begin,
                  uint2* __restrict__ pieces, uint32* __restrict__ count, uint32 words) {
  const uint32 lane = lane_of(), mine = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32 word = mine < words ? frontier[mine] : 0;
  for (uint32 some = __ballot_sync(all_lanes, word != 0); some != 0; some &= some - 1) {
    const int who = __ffs(some) - 1;
    const uint32 bits = __shfl_sync(all_lanes, word, who);
    const uint32 c = (mine - lane + who) * 32 + lane;
    uint32 own = 0;
    if (bits >> lane & 1) {
      own = static_cast<uint32>((begin[c + 1] - begin[c] + piece - 1) / piece);
    }
    uint32 before = own;
    for (int step = 1; step < 32; step *= 2) {
      const uint32 left = __shfl_up_sync(all_lanes, before, step);
      if (lane >= static_cast<uint32>(step)) before += left;
    }
    uint32 place = 0;
    if (lane == 31) place = atomicAdd(count, before);
    place = __shfl_sync(all_lanes, place, 31) + before - own;
    // Vertices of many edges are listed by the whole warp.
    for (uint32 many = __ballot_sync(all_lanes, own > 32); many != 0; many &= many - 1) {
      const int rich = __ffs(many) - 1;
      const uint32 total = __shfl_sync(all_lanes, own, rich);
      const uint32 start = __shfl_sync(all_lanes, place, rich);
      const uint32 vertex = __shfl_sync(all_lanes, c, rich);
      for (uint32 p = lane; p < total; p += 32) pieces[start + p] = make_uint2(vertex, p);
    }
    if (own <= 32) {
      for (uint32 p = 0; p < own; ++p) pieces[place + p] = make_uint2(c, p);
    }
  }
}

/// The frontier offers itself as parent; of several the smallest label stays.
extern "C" __global__ void __launch_bounds__(256)
    graph500_go_down(const uint2* __restrict__ pieces, const uint32* __restrict__ count,
                     const uint64* __restrict__ begin, const uint32* __restrict__ neighbour,
                     const uint32* __restrict__ visited, uint32* found, uint32* parent) {
  const uint32 lane = lane_of(), warps = gridDim.x * (blockDim.x / 32), total = *count;
  for (uint32 i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; i < total; i += warps) {
    const uint2 item = pieces[i];
    const uint64 start = begin[item.x] + static_cast<uint64>(item.y) * piece;
    const uint64 last = begin[item.x + 1], end = start + piece < last ? start + piece : last;
    for (uint64 a = start + lane; a < end; a += 32) {
      const uint32 v = neighbour[a];
      if (has_bit(visited, v) || parent[v] <= item.x) continue;
      atomicMin(parent + v, item.x);
      atomicOr(found + v / 32, 1u << (v % 32));
    }
  }
}

/// What was found is visited; counts it and its edges.
extern "C" __global__ void __launch_bounds__(256)
    graph500_finish(const uint32* __restrict__ found, uint32* __restrict__ visited,
                    const uint32* __restrict__ degree, uint64* totals, uint32 words) {
  const uint32 lane = lane_of(), mine = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32 word = mine < words ? found[mine] : 0;
  if (word != 0) visited[mine] |= word;
  uint64 vertices = __popc(word), edges = 0;
  for (uint32 some = __ballot_sync(all_lanes, word != 0); some != 0; some &= some - 1) {
    const int who = __ffs(some) - 1;
    const uint32 bits = __shfl_sync(all_lanes, word, who);
    if (bits >> lane & 1) edges += degree[(mine - lane + who) * 32 + lane];
  }
  for (int step = 16; step > 0; step /= 2) {
    vertices += __shfl_xor_sync(all_lanes, vertices, step);
    edges += __shfl_xor_sync(all_lanes, edges, step);
  }
  __shared__ uint64 sums[2][8];
  if (lane == 0) {
    sums[0][threadIdx.x / 32] = vertices;
    sums[1][threadIdx.x / 32] = edges;
  }
  __syncthreads();
  if (threadIdx.x >= 2) return;
  uint64 sum = 0;
  for (int warp = 0; warp < 8; ++warp) sum += sums[threadIdx.x][warp];
  if (sum != 0) atomicAdd(totals + threadIdx.x, sum);
}

/// Blocks of 64 vertices that the parts have found, in turn, are the next frontier.
extern "C" __global__ void __launch_bounds__(256)
    graph500_interleave(const uint64* __restrict__ found, uint64* __restrict__ frontier,
                        uint32 blocks, uint32 parts) {
  const uint32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < blocks * parts) frontier[i] = found[i % parts * static_cast<uint64>(blocks) + i / parts];
}

/// Parents as original vertices, of all original vertices where `label` is given.
extern "C" __global__ void __launch_bounds__(256)
    graph500_write(const uint32* __restrict__ parent, const uint32* __restrict__ label,
                   const uint32* __restrict__ original, long long* __restrict__ parents,
                   uint64 count) {
  const uint64 i = blockIdx.x * static_cast<uint64>(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  const uint32 own = label != nullptr ? label[i] : static_cast<uint32>(i);
  const uint32 chosen = own != no_vertex ? parent[own] : no_vertex;
  parents[i] = chosen != no_vertex ? static_cast<long long>(original[chosen]) : -1;
}
)cuda"
