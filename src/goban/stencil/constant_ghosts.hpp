#pragma once
// Values beyond the ends of the grid that are made again instead of read: constants.

#include "goban/stencil/graph/traced_accessor.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban {

/// In cells.
struct Displacement {
  int x = 0, y = 0, z = 0;
};

/// Of axes that are not periodic: what lies beyond the low and the high end.
struct ConstantGhosts {
  std::array<std::array<double, 2>, 3> value{};  ///< as stored
  std::array<bool, 3> staggered{};               ///< the last value lies on the last face
};

namespace detail {

/// The values of the cells `at` away from the site; ends of later axes win, as in corners of halos.
template <class T>
GOBAN_FUNCTION Traced<T> with_ghosts(Traced<T> values, const ConstantGhosts& ghosts,
                                     const TracedSite& site, Displacement at) {
  const int away[3] = {at.x, at.y, at.z};
  const Recorder& recorder = *site.recorder;
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    values = Traced<T>(
        site.recorder,
        recorder.node(
            {GraphOp::walled,
             GraphType::of<T>(true),
             {operand<T>(recorder, values), -1, -1},
             {a, site.moved[axis] + away[a], bits_of(static_cast<T>(ghosts.value[axis][0])),
              bits_of(static_cast<T>(ghosts.value[axis][1])), ghosts.staggered[axis]}}));
  }
  return values;
}

}  // namespace detail

/// The values that come back from memory once stored as S.
template <class S, class T>
GOBAN_FUNCTION Traced<T> as_stored(const Traced<T>& values) {
  if constexpr (std::same_as<S, half>) {
    if (values.recorder != nullptr && values.recorder->makes_graph()) {
      return Traced<T>(values.recorder, values.recorder->node({GraphOp::stored_as_half,
                                                               GraphType::of<T>(true),
                                                               {values.node, -1, -1}}));
    }
    if (values.recorder == nullptr && !std::is_constant_evaluated()) {
      return Traced<T>(static_cast<T>(static_cast<half>(values.constant)));
    }
  }
  return values;
}

}  // namespace goban
