#pragma once
// How a pass over several steps is cut into tiles that compute every value once.
//
// A thread's part of the patch shrinks from step to step on sides where it has a neighbour, so that
// it needs nothing of others; the gaps that open between parts are closed afterwards. Within a
// part, tiles that fit a core's cache come one after the other and lean towards those before. Parts
// may lie beside each other, behind each other or both. Threads take sections of tiles as they
// come.
//
//   step 4   |     \     \     \...../     \     |
//   step 3   |      \     \     \.../       \    |    two threads: three tiles, then two;
//   step 2   |       \     \     \./         \   |    . what is left to be closed
//   step 1   |        \     \     |           \  |

#include <vector>

#include "goban/backend/cpu/pass_lags.hpp"

namespace goban::cpu {

/// Where a tile ends along an axis.
struct TileEdge {
  enum class Kind : std::uint8_t {
    patch,  ///< where the box of a step ends
    low,    ///< at `at` and, step by step, above it: what the gap leaves to the part above it
    high,   ///< at `at` and, step by step, below it: what a tile leaves to the one above it
  };
  Kind kind = Kind::patch;
  Index at = 0;
};

struct TileRange {
  TileEdge lower, upper;
};

struct Tile {
  TileRange rows, planes;
};

/// A section of a tile's way along the slow axis and, by its number, the work it comes after.
struct TileWork {
  Tile tile;
  std::size_t section, sections;
  std::vector<std::size_t> after;
};

/// All work of a pass, each after what it must wait for. Tiles take at most so many bytes of cache
/// if their rows do.
std::vector<TileWork> cut_pass(const PassTask& task, const PassLags& lags, int threads,
                               double cache_bytes);

/// What a step updates of a tile along an axis.
struct Range {
  Index lower, upper;
  bool first, last;  ///< it ends with the box of the step
};
Range range_of(const PassTask& task, const PassLags& lags, std::size_t step, int axis,
               const TileRange& tile);

}  // namespace goban::cpu
