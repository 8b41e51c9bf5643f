#pragma once
// Values beyond the ends of the grid that are made again instead of read: constants.

#include "goban/stencil/accessor.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban {

/// Of axes that are not periodic: what lies beyond the low and the high end.
struct ConstantGhosts {
  std::array<std::array<double, 2>, 3> value{};  ///< as stored
  std::array<bool, 3> staggered{};               ///< the last value lies on the last face
};

namespace detail {

/// The values of the cells `at` away from the site; ends of later axes win, as in corners of halos.
template <class T, int N, Axis UnitAxis>
GOBAN_ACCESSOR_FUNCTION Pack<T, N> with_ghosts(Pack<T, N> values, const ConstantGhosts& ghosts,
                                               const SiteAccessor<N, UnitAxis>& site,
                                               Displacement at) {
  const SiteInfo& info = *site.info;
  const int away[3] = {at.x, at.y, at.z};
  goban::unroll<3>([&](auto a) __attribute__((always_inline)) {
    if (info.periodic[a]) return;
    const T low = static_cast<T>(ghosts.value[a][0]), high = static_cast<T>(ghosts.value[a][1]);
    const Index first = info.index[a] + away[a];
    const Index end = info.extents[a] + (ghosts.staggered[a] ? 1 : 0);
    if constexpr (static_cast<Axis>(a()) == UnitAxis) {
      const auto lanes = static_cast<std::int32_t>(first) + iota<std::int32_t, N>();
      values = select(lanes < 0, low, values);
      values = select(lanes >= static_cast<std::int32_t>(end), high, values);
    } else {
      if (first < 0) values = Pack<T, N>(low);
      if (first >= end) values = Pack<T, N>(high);
    }
  });
  return values;
}

}  // namespace detail

}  // namespace goban
