#pragma once
// How the components of a cell lie to each other.

#include "goban/base/macros.hpp"
#include "goban/base/types.hpp"

namespace goban {

/// Elements from component 0 to component c of a field that stores S.
template <class S>
struct ComponentOffset {
  Index stride;

  ComponentOffset() = default;
  [[gnu::always_inline]] GOBAN_FUNCTION ComponentOffset(Index stride_) : stride(stride_) {}
  [[gnu::always_inline]] GOBAN_FUNCTION Index operator()(Index c) const { return c * stride; }
};

/// Of fields stored in place every component has its own.
template <class S>
struct ComponentOffset<InPlace<S>> {
  const Index* offset;

  ComponentOffset() = default;
  [[gnu::always_inline]] GOBAN_FUNCTION ComponentOffset(const Index* offset_) : offset(offset_) {}
  [[gnu::always_inline]] GOBAN_FUNCTION Index operator()(Index c) const { return offset[c]; }
};

}  // namespace goban
