#pragma once
// Where and when a functor is evaluated; see stencil/site.hpp, whose answers these are. Packs have
// been included before.

#include "goban/backend/kernels/mix.hpp"
#include "goban/backend/kernels/site_view.hpp"

namespace goban::device {

/// The first cell of a thread; in memory order.
struct Place {
  int fast, middle, slow;
};

/// Number and simulated time of the step.
GOBAN_DEVICE Index step_of(const SiteView& site) {
  return site.now ? static_cast<Index>(number_in_memory(site.now)) : site.step;
}
GOBAN_DEVICE double time_of(const SiteView& site) {
  return site.now ? number_in_memory(site.now + 1) : site.time;
}

GOBAN_DEVICE Index wrapped(Index i, Index extent) {
  if (i < 0) i += extent;
  if (i >= extent) i -= extent;
  if (i < 0 || i >= extent) i = (i % extent + extent) % extent;
  return i;
}

/// Global index of the first lane, beyond the ends, too. `Order`: memory order of the fields, two
/// bits an axis.
template <int Axis, int Order>
GOBAN_DEVICE Index global_index(const SiteView& site, const Place& at, int displacement) {
  const int local = Axis == (Order & 3) ? at.fast : Axis == (Order >> 2 & 3) ? at.middle : at.slow;
  return site.index[Axis] + local + displacement;
}

template <int Axis, int Order, int N>
GOBAN_DEVICE Pack<int32, N> site_index(const SiteView& site, const Place& at, int displacement) {
  const Index first = global_index<Axis, Order>(site, at, displacement);
  const Index extent = site.extents[Axis];
  if constexpr (Axis != (Order & 3)) {
    return all<int32, N>(static_cast<int32>(site.periodic[Axis] ? wrapped(first, extent) : first));
  } else {
    auto lanes = counting_from<int32, N>(static_cast<int32>(first));
    if (site.periodic[Axis] && (first < 0 || first + N > extent)) {
      unroll<N>([&](auto i) { lanes.set(i, static_cast<int32>(wrapped(first + i, extent))); });
    }
    return lanes;
  }
}

template <int Axis, int Order, class T, int N>
GOBAN_DEVICE Pack<T, N> site_position(const SiteView& site, const Place& at, int displacement,
                                      double offset) {
  const T origin = static_cast<T>(site.origin[Axis] + offset * site.spacing[Axis]);
  const auto index = convert<T>(site_index<Axis, Order, N>(site, at, displacement));
  return all<T, N>(origin) + all<T, N>(static_cast<T>(site.spacing[Axis])) * index;
}

template <int Order, class T, int N>
GOBAN_DEVICE Pack<T, N> site_random(const SiteView& site, const Place& at, int stream, int dx,
                                    int dy, int dz) {
  const auto x = site_index<0, Order, N>(site, at, dx);
  const auto y = site_index<1, Order, N>(site, at, dy);
  const auto z = site_index<2, Order, N>(site, at, dz);
  const uint64 key = mix(mix(mix(site.seed) ^ static_cast<uint64>(step_of(site))) ^
                         static_cast<uint64>(static_cast<Index>(stream)));
  const auto extent_x = static_cast<uint64>(site.extents[0]);
  const auto extent_y = static_cast<uint64>(site.extents[1]);
  return each<T, N>(
      [=](int32 i, int32 j, int32 k) {
        const uint64 cell = static_cast<uint64>(static_cast<Index>(i)) +
                            extent_x * (static_cast<uint64>(static_cast<Index>(j)) +
                                        extent_y * static_cast<uint64>(static_cast<Index>(k)));
        uint64 v = key + cell * 0x9e3779b97f4a7c15ull;
        v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ull;
        v = (v ^ (v >> 27)) * 0x94d049bb133111ebull;
        v ^= v >> 31;
        if constexpr (sizeof(T) == 4) {
          return static_cast<float>(static_cast<int32>(v >> 40)) * 0x1p-24f;
        } else {
          return static_cast<double>(static_cast<int64>(v >> 11)) * 0x1p-53;
        }
      },
      x, y, z);
}

/// The values, or constants where they lie beyond the ends of an axis that is not periodic.
template <int Axis, int Order, class T, int N>
GOBAN_DEVICE Pack<T, N> walled(const Pack<T, N>& values, const SiteView& site, const Place& at,
                               int displacement, T low, T high, int staggered) {
  if (site.periodic[Axis]) return values;
  const Index first = global_index<Axis, Order>(site, at, displacement);
  const Index end = site.extents[Axis] + staggered;
  Pack<T, N> result = values;
  if constexpr (Axis == (Order & 3)) {
    const auto lanes = counting_from<int32, N>(static_cast<int32>(first));
    result = select(lanes < all<int32, N>(0), all<T, N>(low), result);
    return select(lanes >= all<int32, N>(static_cast<int32>(end)), all<T, N>(high), result);
  } else {
    if (first < 0) result = all<T, N>(low);
    if (first >= end) result = all<T, N>(high);
    return result;
  }
}

}  // namespace goban::device
