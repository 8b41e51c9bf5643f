#pragma once
// Values of several types one after another, an aggregate as plain as they are: kernels take it by
// value, constant expressions make it of zeros.

#include "goban/base/macros.hpp"

namespace goban::detail {

template <class First, class... Rest>
struct Chain {
  First first;
  Chain<Rest...> rest;
};
template <class Last>
struct Chain<Last> {
  Last first;
};

/// Value I of a chain.
template <int I, class AnyChain>
GOBAN_FUNCTION auto& link(AnyChain& chain) {
  if constexpr (I == 0) {
    return chain.first;
  } else {
    return link<I - 1>(chain.rest);
  }
}

template <class First, class... Rest>
GOBAN_FUNCTION Chain<First, Rest...> chain_of(const First& first, const Rest&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return {first};
  } else {
    return {first, chain_of(rest...)};
  }
}

}  // namespace goban::detail
