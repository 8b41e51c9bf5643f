#pragma once
// Where and when a functor is evaluated: index, position, step, time and random numbers of a cell.

#include "goban/base/mix.hpp"
#include "goban/base/types.hpp"
#include "goban/stencil/misuse.hpp"
#include "goban/stencil/pack.hpp"
#include "goban/stencil/uniform.hpp"

namespace goban {

/// What a kernel knows about the current cell; it advances `index` along its loops.
struct SiteInfo {
  Index3 index;        ///< global, of the first lane; outside 0 ... extents-1 in ghosts
  Index3 extents;      ///< cells of the whole grid
  bool periodic[3];    ///< per axis: ghosts are copies of cells at the other end
  Real3 origin;        ///< position of the lowest corner of the grid
  Real3 spacing;       ///< distance between cells
  Real3 offset;        ///< in spacings, from the lower face: 0.5 for cells, 0 along a face's axis
  Index step;          ///< number of the step that is computed
  double time;         ///< simulated time at its start
  std::uint64_t seed;  ///< of the run
  /// Where a device finds step and time, side by side; null: they are those above.
  const double* now = nullptr;
};

namespace detail {

// The function of base/mix.hpp in every lane, without its first addition.
template <int N>
GOBAN_ACCESSOR_FUNCTION Pack<std::uint64_t, N> mix_lanes(const Pack<std::uint64_t, N>& counter) {
  auto v = counter;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}

// Start of the sequence, one per run, step and stream, in which the cell's index counts.
GOBAN_FUNCTION std::uint64_t random_key(std::uint64_t seed, Index step, int stream) {
  return mix(mix(mix(seed) ^ static_cast<std::uint64_t>(step)) ^
             static_cast<std::uint64_t>(stream));
}

GOBAN_ACCESSOR_FUNCTION Index wrapped(Index i, Index extent) {
  if (i < 0) i += extent;
  if (i >= extent) i -= extent;
  if (i < 0 || i >= extent) i = (i % extent + extent) % extent;
  return i;
}

}  // namespace detail

/// The cells of one pack, along UnitAxis. In ghosts of a periodic axis all answers are the owner's.
template <int N, Axis UnitAxis = Axis::x>
struct SiteAccessor {
  const SiteInfo* info;

  GOBAN_ACCESSOR_FUNCTION explicit SiteAccessor(const SiteInfo& info_) : info(&info_) {}

  /// Global index along an axis, 0 ... extent-1 where the axis is periodic.
  GOBAN_ACCESSOR_FUNCTION Pack<std::int32_t, N> index(Axis axis) const {
    const int a = index_of(axis);
    const Index first = info->index[a], extent = info->extents[a];
    using Lanes = Pack<std::int32_t, N>;
    if (axis != UnitAxis) {
      return Lanes(info->periodic[a] ? detail::wrapped(first, extent) : first);
    }
    Lanes lanes = first + iota<std::int32_t, N>();
    if (info->periodic[a] && (first < 0 || first + N > extent)) {
      for (int i = 0; i < N; ++i) {
        lanes.set_lane(i, static_cast<std::int32_t>(detail::wrapped(first + i, extent)));
      }
    }
    return lanes;
  }

  /// Position along an axis: origin + (index + offset) spacing.
  template <class T = double>
  GOBAN_ACCESSOR_FUNCTION Pack<T, N> position(Axis axis) const {
    const int a = index_of(axis);
    return static_cast<T>(info->origin[a] + info->offset[a] * info->spacing[a]) +
           static_cast<T>(info->spacing[a]) * convert<T>(index(axis));
  }

  GOBAN_ACCESSOR_FUNCTION Uniform<double> time() const { return Uniform<double>(info->time); }
  GOBAN_ACCESSOR_FUNCTION Uniform<std::int64_t> step() const {
    return Uniform<std::int64_t>(info->step);
  }

  /// Uniform in [0, 1), one number per run, step, stream and cell whoever computes it.
  template <class T = double>
  GOBAN_ACCESSOR_FUNCTION Pack<T, N> random(int stream = 0) const {
    const auto x = convert<std::uint64_t>(index(Axis::x));
    const auto y = convert<std::uint64_t>(index(Axis::y));
    const auto z = convert<std::uint64_t>(index(Axis::z));
    const auto cell = x + info->extents[0] * (y + info->extents[1] * z);
    const auto bits = detail::mix_lanes(detail::random_key(info->seed, info->step, stream) +
                                        cell * 0x9e3779b97f4a7c15u);
    if constexpr (sizeof(T) == 4) {
      return convert<T>(convert<std::int32_t>(bits >> 40)) * T(0x1p-24);
    } else {
      return convert<T>(convert<std::int64_t>(bits >> 11)) * T(0x1p-53);
    }
  }
};

}  // namespace goban
