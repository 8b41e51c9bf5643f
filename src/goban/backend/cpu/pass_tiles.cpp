#include "goban/backend/cpu/pass_tiles.hpp"

#include <limits>
#include <map>
#include <optional>

#include "goban/backend/cpu/thread_team.hpp"

namespace goban::cpu {
namespace {

using Kind = TileEdge::Kind;

/// Returns what all steps together update along an axis.
Part whole(const PassTask& task, int axis) {
  Part all{std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()};
  for (const auto& step : task.steps) {
    all.begin = std::min(all.begin, step.sweep.box.lower[axis]);
    all.end = std::max(all.end, step.sweep.box.upper[axis]);
  }
  return all;
}

/// Returns the positions where the parts of threads meet, so that all threads have the same work
/// before gaps are closed. Returns nothing if the axis is too short for this number of parts.
std::optional<std::vector<Index>> meeting_points(const Part& all, const PassLags& lags, int axis,
                                                 Index parts) {
  std::vector<Index> points;
  if (parts == 1) return points;
  const Reach mean = lags.mean_withdrawal(axis), most = lags.widest_withdrawal(axis);
  const Index length = all.end - all.begin + mean.low + mean.high;
  for (Index n = 1; n < parts; ++n) {
    points.push_back(all.begin - mean.low + length * n / parts);
  }
  Index shortest = std::min(points.front() - all.begin, all.end - points.back());
  for (std::size_t n = 1; n < points.size(); ++n) {
    shortest = std::min(shortest, points[n] - points[n - 1]);
  }
  if (shortest < most.low + most.high + lags.thickness(axis)) return std::nullopt;
  return points;
}

/// Returns the parts and, between them, the gaps.
std::vector<TileRange> parts_and_gaps(const std::vector<Index>& points) {
  std::vector<TileRange> all;
  TileEdge lower;
  for (const Index at : points) {
    all.push_back({lower, {Kind::high, at}});
    all.push_back({{Kind::high, at}, {Kind::low, at}});
    lower = {Kind::low, at};
  }
  all.push_back({lower, {}});
  return all;
}

/// Cuts a part into tiles of about `rows` rows.
std::vector<TileRange> in_tiles(const TileRange& part, const Part& all, const PassLags& lags,
                                Index rows) {
  const int axis = lags.middle();
  const Reach mean = lags.mean_withdrawal(axis), most = lags.widest_withdrawal(axis);
  const bool begins_patch = part.lower.kind == Kind::patch;
  const Index begin = begins_patch ? all.begin : part.lower.at;
  const Index end = part.upper.kind == Kind::patch ? all.end : part.upper.at;
  const Index lost = (begins_patch ? 0 : mean.low) + mean.high;
  const Index least = most.low + most.high + lags.thickness(axis);
  const Index fitting = (end - begin - lost + rows - 1) / rows;
  const Index possible = 1 + (end - begin - least) / std::max(rows / 2, lags.thickness(axis));
  const Index count = std::clamp<Index>(fitting, 1, std::max<Index>(possible, 1));
  const Index first = std::max(begin + lost + (end - begin - lost) / count, begin + least);
  std::vector<TileRange> tiles;
  TileEdge lower = part.lower;
  for (Index n = 1; n < count; ++n) {
    const TileEdge upper{Kind::high, first + (end - first) * (n - 1) / (count - 1)};
    tiles.push_back({lower, upper});
    lower = upper;
  }
  tiles.push_back({lower, part.upper});
  return tiles;
}

/// Returns the bytes of cache that a row of a tile needs: of every field the planes between the
/// step that reaches farthest ahead and the one that comes last.
double bytes_of_row(const PassTask& task, const PassLags& lags) {
  struct Planes {
    Index ahead = std::numeric_limits<Index>::min(), behind = std::numeric_limits<Index>::min();
    double bytes = 0;
  };
  std::map<const std::byte*, Planes> memories;
  const auto note = [&](std::size_t s, int v, const Reach& r) {
    const auto& info = task.versions[static_cast<std::size_t>(v)];
    Planes& planes = memories[info.memory.write];
    planes.ahead = std::max(planes.ahead, r.high - lags.lag(s));
    planes.behind = std::max(planes.behind, r.low + lags.lag(s));
    planes.bytes = static_cast<double>(info.components) * static_cast<double>(size_of(info.type));
  };
  for (std::size_t s = 0; s < lags.steps(); ++s) {
    for (const int v : lags.used_by(s)) note(s, v, lags.reach(s, v, lags.slow()));
    for (const int v : task.steps[s].writes) {
      if (v >= 0) note(s, v, {});
    }
  }
  const Part row = whole(task, lags.fast());
  double bytes = 0;
  for (const auto& [memory, planes] : memories) {
    bytes += planes.bytes *
             static_cast<double>(planes.ahead + planes.behind + 2 * lags.planes_per_round()) *
             static_cast<double>(row.end - row.begin);
  }
  return bytes;
}

/// The tiles of a part or a gap, in order. It has number i along the slow axis and j along the
/// middle one; odd numbers are gaps.
struct Chain {
  std::size_t i, j;
  std::vector<Tile> tiles;
};

/// Returns the number of sections in which a tile is computed, so that slow threads leave some to
/// others. There are few, as every section may move a working set into another core's cache.
std::size_t sections_of(const std::vector<Chain>& chains, const Part& planes, int threads) {
  if (threads == 1) return 1;
  constexpr Index per_thread = 8, fewest_planes = 48;
  Index tiles = 0;
  for (const Chain& chain : chains) {
    if (chain.i % 2 + chain.j % 2 == 0) tiles += static_cast<Index>(chain.tiles.size());
  }
  const Index most = std::max<Index>(1, (planes.end - planes.begin) / fewest_planes);
  const Index wanted = (per_thread * threads + tiles - 1) / tiles;
  return static_cast<std::size_t>(std::clamp<Index>(wanted, 1, most));
}

/// Returns all work in order: first the parts, tile by tile and section by section, then the gaps
/// between them, then those between gaps.
std::vector<TileWork> in_order(const std::vector<Chain>& chains, std::size_t across,
                               std::size_t sections) {
  std::vector<TileWork> work;
  std::vector<std::vector<std::size_t>> of_chain(chains.size());  // its work so far
  std::size_t longest = 0;
  for (const Chain& chain : chains) longest = std::max(longest, chain.tiles.size());
  for (std::size_t gaps = 0; gaps < 3; ++gaps) {
    for (std::size_t n = 0; n < longest * sections; ++n) {
      const std::size_t tile = n / sections, section = n % sections;
      for (std::size_t c = 0; c < chains.size(); ++c) {
        const Chain& chain = chains[c];
        if (chain.i % 2 + chain.j % 2 != gaps || tile >= chain.tiles.size()) continue;
        std::vector<std::size_t>& mine = of_chain[c];
        TileWork one{chain.tiles[tile], section, sections, {}};
        if (section > 0) one.after.push_back(mine.back());
        if (tile > 0) one.after.push_back(mine[n - sections]);
        if (chain.j % 2 == 1) {  // beside parts: what is as far along the slow axis
          const auto& below = of_chain[c - 1];
          one.after.push_back(below[below.size() - sections + section]);
          one.after.push_back(of_chain[c + 1][section]);
        }
        if (chain.i % 2 == 1) {
          one.after.push_back(of_chain[c - across].back());
          one.after.push_back(of_chain[c + across].back());
        }
        mine.push_back(work.size());
        work.push_back(std::move(one));
      }
    }
  }
  return work;
}

Index bound(const TileEdge& edge, Index end_of_box, const Reach& withdrawal) {
  switch (edge.kind) {
    case Kind::low: return edge.at + withdrawal.low;
    case Kind::high: return edge.at - withdrawal.high;
    default: return end_of_box;
  }
}

}  // namespace

Range range_of(const PassTask& task, const PassLags& lags, std::size_t step, int axis,
               const TileRange& tile) {
  const Box& box = task.steps[step].sweep.box;
  const Reach withdrawal = lags.withdrawal(step, axis);
  Range range;
  range.lower = bound(tile.lower, box.lower[axis], withdrawal);
  range.upper = bound(tile.upper, box.upper[axis], withdrawal);
  range.first = tile.lower.kind == Kind::patch;
  range.last = tile.upper.kind == Kind::patch;
  return range;
}

std::vector<TileWork> cut_pass(const PassTask& task, const PassLags& lags, int threads,
                               double cache_bytes) {
  constexpr Index fewest_rows = 8;
  const Part rows = whole(task, lags.middle()), planes = whole(task, lags.slow());
  std::vector<Index> row_points, plane_points;
  Index most = 0;
  for (Index beside = threads; beside >= 1; --beside) {
    const auto points = meeting_points(rows, lags, lags.middle(), beside);
    if (!points) continue;
    for (Index behind = threads / beside; behind >= 1 && beside * behind > most; --behind) {
      const auto others = meeting_points(planes, lags, lags.slow(), behind);
      if (!others) continue;
      most = beside * behind;
      row_points = *points;
      plane_points = *others;
    }
  }
  const Index rows_of_tile = std::max<Index>(
      fewest_rows, static_cast<Index>(cache_bytes / std::max(1.0, bytes_of_row(task, lags))));
  const auto across = parts_and_gaps(row_points), along = parts_and_gaps(plane_points);
  std::vector<Chain> chains;
  for (std::size_t i = 0; i < along.size(); ++i) {
    for (std::size_t j = 0; j < across.size(); ++j) {
      Chain chain{i, j, {}};
      if (j % 2 == 1) {
        chain.tiles.push_back({across[j], along[i]});
      } else {
        for (const TileRange& tile : in_tiles(across[j], rows, lags, rows_of_tile)) {
          chain.tiles.push_back({tile, along[i]});
        }
      }
      chains.push_back(std::move(chain));
    }
  }
  return in_order(chains, across.size(), sections_of(chains, planes, threads));
}

}  // namespace goban::cpu
