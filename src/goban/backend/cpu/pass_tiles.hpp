#pragma once
// How a pass over several steps is cut into tiles that compute every value once.
//
// Tiles of whole rows, low enough for a core's own cache, lie beside each other. A tile leans
// towards the one before it and follows it round by round: threads move through the planes one
// behind the other, and what two tiles both need is read from memory once.
//
// Where there are too few planes for all threads to follow each other, threads work on parts, which
// may lie beside each other, behind each other or both. A part shrinks from step to step on sides
// where it has a neighbour, so that it needs nothing of others; the gaps that open are closed
// afterwards.
//
//   step 4   |     \     \     \...../     \     |
//   step 3   |      \     \     \.../       \    |    two parts: three tiles, then two;
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

/// A tile and, by their numbers, those before it: some it may follow round by round, others must be
/// done.
struct TileWork {
  Tile tile;
  std::vector<std::size_t> follows, after;
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
