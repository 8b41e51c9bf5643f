#include "graph500/adjacency.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace goban::graph500 {
namespace {

/// Rows that a thread takes at a time; the first ones have the most neighbours.
constexpr Index rows_at_once = 64;

/// What a neighbour is sorted as: of several tuples the lightest comes first.
using Entry = std::uint64_t;

Entry entry_of(Vertex neighbour, float weight) {
  std::uint32_t bits;
  std::memcpy(&bits, &weight, sizeof(bits));
  return static_cast<Entry>(neighbour) << 32 | bits;
}

/// Sorts by 11 bits at a time; `spare` is a second place. For short lists std::sort is faster.
void sort(Vertex* values, std::size_t count, std::vector<Vertex>& spare) {
  constexpr int digit = 11;
  if (count < 512) return std::sort(values, values + count);
  const Vertex most = *std::max_element(values, values + count);
  if (spare.size() < count) spare.resize(count);
  Vertex *from = values, *to = spare.data();
  for (int shift = 0; shift < 32 && (most >> shift) != 0; shift += digit) {
    std::array<std::size_t, (1 << digit) + 1> place{};
    const auto digit_of = [&](Vertex value) { return value >> shift & ((1 << digit) - 1); };
    for (std::size_t i = 0; i < count; ++i) ++place[digit_of(from[i]) + 1];
    for (std::size_t d = 1; d < place.size(); ++d) place[d] += place[d - 1];
    for (std::size_t i = 0; i < count; ++i) to[place[digit_of(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != values) std::memcpy(values, from, count * sizeof(Vertex));
}

/// Sorts a row and removes duplicates; returns how many remain.
std::size_t sorted_once(Vertex* row, float* weights, std::size_t count, std::vector<Vertex>& spare,
                        std::vector<Entry>& entries) {
  if (weights == nullptr) {
    sort(row, count, spare);
    return static_cast<std::size_t>(std::unique(row, row + count) - row);
  }
  entries.resize(count);
  for (std::size_t i = 0; i < count; ++i) entries[i] = entry_of(row[i], weights[i]);
  std::sort(entries.begin(), entries.end());
  std::size_t kept = 0;
  for (const Entry entry : entries) {
    const auto neighbour = static_cast<Vertex>(entry >> 32);
    if (kept > 0 && row[kept - 1] == neighbour) continue;
    const auto bits = static_cast<std::uint32_t>(entry);
    std::memcpy(&weights[kept], &bits, sizeof(bits));
    row[kept++] = neighbour;
  }
  return kept;
}

template <class T>
std::uint64_t add_one(T& counter, bool is_shared) {
  if (!is_shared) return counter++;
  return std::atomic_ref<T>(counter).fetch_add(1, std::memory_order_relaxed);
}

/// Moves what remains of the rows together, each thread's rows first.
template <class T>
void close_gaps(Buffer<T>& values, const Buffer<std::uint64_t>& begin,
                const Buffer<std::uint64_t>& new_begin, ThreadTeam& team) {
  const Index rows = begin.size() - 1;
  team.run([&](int thread) {
    const Part part = split_evenly(rows, team.size(), thread);
    if (part.begin == part.end) return;
    T* to = &values[static_cast<Index>(begin[part.begin])];
    for (Index r = part.begin; r < part.end; ++r) {
      const std::uint64_t count = new_begin[r + 1] - new_begin[r];
      std::memmove(to, &values[static_cast<Index>(begin[r])], count * sizeof(T));
      to += count;
    }
  });
  for (int thread = 1; thread < team.size(); ++thread) {
    const Part part = split_evenly(rows, team.size(), thread);
    if (part.begin == part.end) continue;
    std::memmove(values.data() + new_begin[part.begin], values.data() + begin[part.begin],
                 (new_begin[part.end] - new_begin[part.begin]) * sizeof(T));
  }
  values.shorten(static_cast<Index>(new_begin[rows]));
}

}  // namespace

void sum_up(Buffer<std::uint64_t>& counts, ThreadTeam& team) {
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(team.size()) + 1);
  team.run_together([&](int thread) {
    const Part part = split_evenly(counts.size(), team.size(), thread);
    std::uint64_t sum = 0;
    for (Index i = part.begin; i < part.end; ++i) sum += counts[i];
    sums[static_cast<std::size_t>(thread) + 1] = sum;
    team.barrier();
    std::uint64_t next = 0;
    for (int t = 0; t <= thread; ++t) next += sums[static_cast<std::size_t>(t)];
    for (Index i = part.begin; i < part.end; ++i) next += std::exchange(counts[i], next);
  });
}

Adjacency make_adjacency(Index vertices, bool with_weights, const EachPair& each,
                         ThreadTeam& team) {
  const bool is_shared = team.size() > 1;
  Adjacency adjacency;
  Buffer<std::uint64_t>& begin = adjacency.begin = Buffer<std::uint64_t>(vertices + 1);
  fill(begin, std::uint64_t{0}, team);
  team.run([&](int thread) {
    each(thread, [&](std::span<const Pair> pairs) {
      for (const Pair& pair : pairs) add_one(begin[pair.to], is_shared);
    });
  });
  sum_up(begin, team);
  const auto count = static_cast<Index>(begin[vertices]);
  adjacency.neighbour = Buffer<Vertex>(count);
  if (with_weights) adjacency.weight = Buffer<float>(count);
  Buffer<std::uint64_t> place(vertices + 1);
  team.run_split(vertices + 1, [&](Index from, Index to, int) {
    std::copy(begin.data() + from, begin.data() + to, place.data() + from);
  });
  team.run([&](int thread) {
    each(thread, [&](std::span<const Pair> pairs) {
      for (const Pair& pair : pairs) {
        const auto slot = static_cast<Index>(add_one(place[pair.to], is_shared));
        adjacency.neighbour[slot] = pair.from;
        if (with_weights) adjacency.weight[slot] = pair.weight;
      }
    });
  });
  Buffer<std::uint64_t>& new_begin = place;
  new_begin[vertices] = 0;
  std::atomic<Index> next{0};
  team.run([&](int) {
    std::vector<Vertex> spare;
    std::vector<Entry> entries;
    for (Index row = next.fetch_add(rows_at_once); row < vertices;
         row = next.fetch_add(rows_at_once)) {
      const Index end = std::min(vertices, row + rows_at_once);
      for (Index r = row; r < end; ++r) {
        const auto at = static_cast<Index>(begin[r]);
        new_begin[r] = sorted_once(adjacency.neighbour.data() + at,
                                   with_weights ? adjacency.weight.data() + at : nullptr,
                                   begin[r + 1] - begin[r], spare, entries);
      }
    }
  });
  sum_up(new_begin, team);
  close_gaps(adjacency.neighbour, begin, new_begin, team);
  if (with_weights) close_gaps(adjacency.weight, begin, new_begin, team);
  adjacency.begin = std::move(new_begin);
  set_first(adjacency, team);
  return adjacency;
}

void set_first(Adjacency& adjacency, ThreadTeam& team) {
  adjacency.first = Buffer<Vertex>(adjacency.vertices());
  team.run_split(adjacency.vertices(), [&](Index from, Index to, int) {
    for (Index v = from; v < to; ++v) {
      const std::uint64_t at = adjacency.begin[v];
      adjacency.first[v] =
          at == adjacency.begin[v + 1] ? no_vertex : adjacency.neighbour[static_cast<Index>(at)];
    }
  });
}

}  // namespace goban::graph500
