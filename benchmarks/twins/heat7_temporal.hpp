#pragma once
// Four steps of the 7 points (heat7.hpp, same bits) in one pass through the second-level cache.
//
// Tiles of rows overlap, so threads never wait; in a tile planes are updated two at a time, step t
// one plane behind step t - 1. Values between steps live in rings of four planes.
//
//   z ->   step 1   ...[ . . . o o]          o computed in this round
//          step 2   ..[ . . . o o]           . still needed by the step below
//          step 3   .[ . . . o o]
//          step 4    . . . o o               to memory

#include <algorithm>
#include <cstdint>
#include <vector>

#include "benchmarks/twins/grid.hpp"
#include "benchmarks/twins/vector.hpp"

namespace goban::twins {
namespace temporal {

inline constexpr int steps = 4;
inline constexpr Index n = lanes<float>;
inline constexpr int together = 2;         // planes
inline constexpr int held = together + 2;  // planes of a ring
inline constexpr Index cache = 860 << 10;  // bytes of the second level for a tile, of 1 MiB
// Planes from one sweep over all tiles to the next: what neighbouring tiles both read is then still
// in the third level.
inline constexpr Index planes_of_slab = 128;

/// Values between two steps: rows -steps ... height + steps of a tile, x from -n to cells + n.
struct Rings {
  Index height, pitch, plane, size;  ///< rows of a tile; elements; of the rings of one thread
  explicit Rings(const TwinGrid& grid) : height(4), pitch(grid.cells[0] + 2 * n) {
    while (height < grid.cells[1] && bytes_of_tile(height + 4) <= cache) height += 4;
    // 3 KiB off a multiple of 4 KiB, and rings 512 bytes apart: at equal offsets planes would meet
    // in the same sets of the first-level cache.
    constexpr Index page = 4096 / sizeof(float);
    plane = round_up((height + 2 * steps + 2) * pitch, page) + 3 * page / 4;
    size = steps * (held * plane + 128);
  }
  Index offset(int step, Index z) const {
    const Index slot = ((z % held) + held) % held;
    return (step - 1) * (held * plane + 128) + slot * plane + steps * pitch + n;
  }

 private:
  Index bytes_of_tile(Index rows) const {
    Index sum = (together + held) * (rows + 2 * steps);
    for (int t = 1; t < steps; ++t) sum += held * (rows + 2 * (steps - t));
    return sum * pitch * Index{sizeof(float)};
  }
};

/// Rows that the next round is the first to read, fetched evenly over the rows of this round. A
/// burst for a row at a time is faster than a line with every pack.
class Ahead {
 public:
  Ahead(const float* first_row, const TwinGrid& grid, Index rows, Index spread_over)
      : first_row_(first_row), grid_(grid), rows_(rows), spread_over_(spread_over) {}
  GOBAN_TWIN_INLINE void fetch_due() {
    const Index due = ++asked_ * rows_ * together / spread_over_;
    for (; done_ < due; ++done_) {
      const float* row = first_row_ + done_ / rows_ * grid_.plane + done_ % rows_ * grid_.pitch;
      for (Index i = -n; i < grid_.cells[0] + n; i += n) fetch<Cache::first>(row + i);
    }
  }

 private:
  const float* first_row_;
  TwinGrid grid_;
  Index rows_, spread_over_, asked_ = 0, done_ = 0;
};

/// Two planes to update and the two beside them.
struct Planes {
  const float* in[held];
  float* out[together];
  Index in_pitch, out_pitch;
};

template <bool Last>
GOBAN_TWIN_INLINE void update(const Planes& planes, Index y0, Index y1, Index x0, Index x1, float r,
                              Ahead& ahead) {
  for (Index y = y0; y < y1; ++y) {
    ahead.fetch_due();
    const Index in = y * planes.in_pitch, out = y * planes.out_pitch, pitch = planes.in_pitch;
    for (Index x = x0; x < x1; x += n) {
      Vector<float> here[held], next[together];
#pragma GCC unroll 4
      for (int k = 0; k < held; ++k) here[k] = load(planes.in[k] + in + x);
#pragma GCC unroll 4
      for (int k = 0; k < together; ++k) {
        const float* p = planes.in[k + 1] + in + x;
        next[k] = here[k + 1] + r * (load_shifted<1>(p) + load_shifted<-1>(p) + load(p + pitch) +
                                     load(p - pitch) + here[k + 2] + here[k] - 6.0f * here[k + 1]);
      }
#pragma GCC unroll 4
      for (int k = 0; k < together; ++k) {
        float* to = planes.out[k] + out + x;
        if constexpr (Last) {
          stream(to, next[k]);
        } else {
          store(to, next[k]);
        }
      }
    }
  }
}

/// Rows y0, y0 + 1, ... of a slab of planes, through all steps.
struct Tile {
  const TwinGrid& grid;
  const Rings& rings;
  float* memory;
  const float* u;
  float* next;
  float r;

  void run(Index y0, Index height, Index z0, Index z1) const {
    Index rows = 0;
    for (int t = 1; t <= steps; ++t) rows += height + 2 * (steps - t);
    // Step t updates planes z - t + 1 and the next, if a later step needs them.
    for (Index z = z0 - steps + 1; z - steps + 1 < z1; z += together) {
      const bool more = z + 2 * together < z1 + steps;
      Ahead ahead(u + (z + together + 1) * grid.plane + (y0 - steps) * grid.pitch, grid,
                  more ? height + 2 * steps : 0, rows);
      for (int t = 1; t < steps; ++t) {
        const Index at = z - t + 1, beyond = steps - t;
        if (at + together <= z0 - beyond || at >= z1 + beyond) continue;
        update<false>(planes(t, at, y0), -beyond, height + beyond, -n, grid.cells[0] + n, r, ahead);
      }
      const Index at = z - steps + 1;
      if (at + together <= z0) continue;
      Planes last = planes(steps, at, y0);
      if (at + 1 == z1) last.out[1] = memory;  // an odd slab: nobody needs the rings any more
      update<true>(last, 0, height, 0, grid.cells[0], r, ahead);
    }
  }

 private:
  Planes planes(int t, Index z, Index y0) const {
    Planes planes;
    const Index row = y0 * grid.pitch;
    for (int k = 0; k < held; ++k) {
      const Index at = z + k - 1;
      planes.in[k] = t == 1 ? u + at * grid.plane + row : memory + rings.offset(t - 1, at);
    }
    for (int k = 0; k < together; ++k) {
      const Index at = z + k;
      planes.out[k] = t == steps ? next + at * grid.plane + row : memory + rings.offset(t, at);
    }
    planes.in_pitch = t == 1 ? grid.pitch : rings.pitch;
    planes.out_pitch = t == steps ? grid.pitch : rings.pitch;
    return planes;
  }
};

}  // namespace temporal

class Heat7Temporal {
 public:
  static constexpr int steps = temporal::steps;

  /// `steps` layers of ghost cells surround the cells; 128 bytes on either side of a row are
  /// readable, and a row is not much longer than its cells.
  Heat7Temporal(const TwinGrid& grid, int threads)
      : grid_(grid), rings_(grid), memory_(static_cast<std::size_t>(threads)) {
    constexpr Index alignment = vector_bytes / sizeof(float);
    for (auto& memory : memory_) {
      memory.assign(static_cast<std::size_t>(rings_.size + alignment), 0.0f);
    }
  }

  /// The part of `steps` steps that belongs to `thread`: next becomes what `steps` sweeps make of
  /// u, each over one layer of ghost cells less. Moves about 10 bytes a cell.
  void operator()(const float* u, float* next, float r, int thread, int threads) {
    auto& memory = memory_[static_cast<std::size_t>(thread)];
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    auto* aligned = reinterpret_cast<float*>(round_up(static_cast<Index>(address), vector_bytes));
    const temporal::Tile tile{grid_, rings_, aligned, u, next, r};
    const Rows rows = split_planes(grid_, thread, threads);
    for (Index z = rows.z0; z < rows.z1; z += temporal::planes_of_slab) {
      for (Index y = rows.y0; y < rows.y1; y += rings_.height) {
        tile.run(y, std::min(rings_.height, rows.y1 - y), z,
                 std::min(z + temporal::planes_of_slab, rows.z1));
      }
    }
    _mm_sfence();
  }

 private:
  TwinGrid grid_;
  temporal::Rings rings_;
  std::vector<std::vector<float>> memory_;  ///< per thread
};

}  // namespace goban::twins
