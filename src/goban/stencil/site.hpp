#pragma once
// Where and when a functor is evaluated: index, position, step, time and random numbers of a cell.

#include "goban/base/mix.hpp"
#include "goban/base/types.hpp"

namespace goban {

/// What is known of a cell.
struct SiteInfo {
  Index3 index;        ///< global, outside 0 ... extents-1 in ghosts
  Index3 extents;      ///< cells of the whole grid
  bool periodic[3];    ///< per axis: ghosts are copies of cells at the other end
  Real3 origin;        ///< position of the lowest corner of the grid
  Real3 spacing;       ///< distance between cells
  Real3 offset;        ///< in spacings, from the lower face: 0.5 for cells, 0 along a face's axis
  Index step;          ///< number of the step that is computed
  double time;         ///< simulated time at its start
  std::uint64_t seed;  ///< the seed of the run
  /// Where a device finds step and time, side by side; null: they are those above.
  const double* now = nullptr;
};

namespace detail {

// Start of the sequence, one per run, step and stream, in which the cell's index counts.
inline std::uint64_t random_key(std::uint64_t seed, Index step, int stream) {
  return mix(mix(mix(seed) ^ static_cast<std::uint64_t>(step)) ^
             static_cast<std::uint64_t>(stream));
}

inline Index wrapped(Index i, Index extent) {
  if (i < 0) i += extent;
  if (i >= extent) i -= extent;
  if (i < 0 || i >= extent) i = (i % extent + extent) % extent;
  return i;
}

}  // namespace detail

// What functors are told of a cell; in ghosts of a periodic axis all answers are the owner's.

/// Global index along an axis, 0 ... extent-1 where the axis is periodic.
inline std::int32_t index_at(const SiteInfo& site, Axis axis) {
  const auto a = static_cast<std::size_t>(index_of(axis));
  return static_cast<std::int32_t>(
      site.periodic[a] ? detail::wrapped(site.index[a], site.extents[a]) : site.index[a]);
}

/// Position along an axis: origin + (index + offset) spacing.
template <class T>
T position_at(const SiteInfo& site, Axis axis) {
  const auto a = static_cast<std::size_t>(index_of(axis));
  return static_cast<T>(site.origin[a] + site.offset[a] * site.spacing[a]) +
         static_cast<T>(site.spacing[a]) * static_cast<T>(index_at(site, axis));
}

/// Uniform in [0, 1), one number per run, step, stream and cell whoever computes it.
template <class T>
T random_at(const SiteInfo& site, int stream) {
  const auto index = [&](Axis axis) { return static_cast<std::uint64_t>(index_at(site, axis)); };
  const auto extent = [&](std::size_t a) { return static_cast<std::uint64_t>(site.extents[a]); };
  const std::uint64_t cell =
      index(Axis::x) + extent(0) * (index(Axis::y) + extent(1) * index(Axis::z));
  // The function of base/mix.hpp without its first addition.
  std::uint64_t v = detail::random_key(site.seed, site.step, stream) + cell * 0x9e3779b97f4a7c15u;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  v ^= v >> 31;
  if constexpr (sizeof(T) == 4) {
    return static_cast<T>(static_cast<std::int32_t>(v >> 40)) * T(0x1p-24);
  } else {
    return static_cast<T>(static_cast<std::int64_t>(v >> 11)) * T(0x1p-53);
  }
}

}  // namespace goban
