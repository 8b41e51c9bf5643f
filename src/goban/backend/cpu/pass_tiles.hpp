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

/// The end of a tile along an axis.
struct TileEdge {
  enum class Kind : std::uint8_t {
    patch,  ///< the end of each step's box
    /// At `at` and, step by step, farther above: a part's lower end, which leaves cells to the gap
    /// below it.
    low,
    /// At `at` and, step by step, farther below: a tile's upper end, which leaves cells to the tile
    /// above it.
    high,
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

/// A section of a tile along the slow axis, and the numbers of the work that it must wait for.
struct TileWork {
  Tile tile;
  std::size_t section, sections;
  std::vector<std::size_t> after;
};

/// Returns all work of a pass, each after what it must wait for. Tiles use at most `cache_bytes`
/// bytes of cache if their rows are short enough.
std::vector<TileWork> cut_pass(const PassTask& task, const PassLags& lags, int threads,
                               double cache_bytes);

/// The range that a step updates of a tile along an axis.
struct Range {
  Index lower, upper;
  /// `first`: it begins where the step's box begins; `last`: it ends where that ends
  bool first, last;
};
Range range_of(const PassTask& task, const PassLags& lags, std::size_t step, int axis,
               const TileRange& tile);

}  // namespace goban::cpu
