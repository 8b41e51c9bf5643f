#pragma once
// What parts on GPUs have of their vertices, as values of all original vertices.

#include <cstring>
#include <vector>

#include "graph500/gpu_part.hpp"

namespace goban::graph500 {

/// Collective. Part n of this rank has `count(n)` values, of original vertices where it is the only
/// one, else of those it owns; copy(n, values) gives them. `none` is the value of isolated ones.
template <class T, class Count, class Copy>
std::vector<T> gathered(const std::vector<std::unique_ptr<GpuPart>>& parts, const Labels& labels,
                        Communicator& ranks, ThreadTeam& team, T none, const Count& count,
                        const Copy& copy) {
  std::vector<T> all(static_cast<std::size_t>(labels.label.size()), none);
  const Partition& first = parts.front()->partition();
  if (first.parts() == 1) {
    copy(0, all.data());
    return all;
  }
  const auto scatter = [&](const Partition& partition, std::span<const std::byte> values) {
    team.run_split(partition.own_blocks() * Partition::block, [&](Index begin, Index end, int) {
      for (Index own = begin; own < end; ++own) {
        const Vertex label = partition.label_of_own(own);
        if (label >= labels.count()) continue;
        std::memcpy(&all[labels.original[label]],
                    values.data() + static_cast<std::size_t>(own) * sizeof(T), sizeof(T));
      }
    });
  };
  std::vector<Parcel> parcels;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count(n)) * sizeof(T));
    copy(n, reinterpret_cast<T*>(bytes.data()));
    if (ranks.size() == 1) scatter(parts[n]->partition(), bytes);
    for (int rank = 0; rank < ranks.size() && ranks.size() > 1; ++rank) {
      parcels.push_back({rank, bytes});
    }
  }
  if (ranks.size() == 1) return all;
  for (const Parcel& parcel : ranks.exchange(std::move(parcels))) {
    scatter(Partition(first.parts(), 1, parcel.rank, labels.count()), parcel.bytes);
  }
  return all;
}

/// Parents of the last search, or of the last shortest paths.
inline std::vector<Index> gathered_parents(const std::vector<std::unique_ptr<GpuPart>>& parts,
                                           const Labels& labels, Communicator& ranks,
                                           ThreadTeam& team) {
  return gathered(
      parts, labels, ranks, team, Index{-1},
      [&](std::size_t n) { return parts[n]->parent_count(); },
      [&](std::size_t n, Index* values) { parts[n]->copy_parents(values); });
}

}  // namespace goban::graph500
