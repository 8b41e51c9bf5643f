#pragma once
// Conversion of packs between element types.

#include "goban/stencil/pack/pack_types.hpp"

namespace goban {

/// The pack with each element converted as by static_cast; narrowing integers wrap. A value that
/// does not fit into the integer asked for gives an unspecified one.
template <LaneType To, class From, int N>
GOBAN_INLINE Pack<To, N> convert(const Pack<From, N>& a) {
  if constexpr (std::same_as<To, From>) {
    return a;
  } else if constexpr (sizeof(From) == 1 && !std::same_as<To, std::int32_t>) {
    return convert<To>(convert<std::int32_t>(a));
  } else if constexpr (sizeof(To) == 1 && !std::same_as<From, std::int32_t>) {
    return convert<To>(convert<std::int32_t>(a));
  } else if constexpr (N == 1) {
    return Pack<To, N>(static_cast<To>(a.raw));
  } else {
    return Pack<To, N>(detail::converted<To, From, N>(a.raw));
  }
}

namespace detail {

// The pack in which packs and numbers meet: Promoted over the packs, numbers do not count.
template <class A, class B>
struct CommonPackOf {
  using Type = std::conditional_t<is_pack<A>, A, B>;
};
template <class T, class U, int N>
struct CommonPackOf<Pack<T, N>, Pack<U, N>> {
  using Type = Pack<Promoted<T, U>, N>;
};
template <class A, class B>
using CommonPack = typename CommonPackOf<A, B>::Type;

template <class P, class X>
GOBAN_INLINE P to_pack(const X& x) {
  if constexpr (is_pack<X>) {
    return convert<typename P::Value>(x);
  } else {
    GOBAN_SCALAR_MUST_FIT(X, typename P::Value);
    return P(x);
  }
}

template <class X>
concept PackOrScalar = is_pack<X> || Scalar<X>;

}  // namespace detail

/// Arguments of functions of packs: packs of one width and numbers, at least one pack.
template <class... X>
concept PackArguments = (detail::PackOrScalar<X> && ...) && (is_pack<X> || ...);

namespace detail {
template <int To, int From, int N>
GOBAN_INLINE Mask<To, N> mask_of(const Mask<From, N>& m) {
  return Mask<To, N>(converted<SignedOfSize<To>, SignedOfSize<From>, N>(m.raw));
}
}  // namespace detail

/// The mask for elements of another size.
template <int To, int From, int N>
GOBAN_INLINE Mask<To, N> resize(const Mask<From, N>& m) {
  if constexpr (To == From) {
    return m;
  } else if constexpr (N == 1) {
    return Mask<To, N>(m.raw);
  } else if constexpr (From == 1 && To > 2) {
    return resize<To>(detail::mask_of<2>(m));
  } else if constexpr (From == 2 && To == 8) {
    return resize<To>(detail::mask_of<4>(m));
  } else if constexpr (From == 8 && To < 4) {
    return resize<To>(detail::mask_of<4>(m));
  } else if constexpr (From == 4 && To == 1) {
    return resize<To>(detail::mask_of<2>(m));
  } else {
    return detail::mask_of<To>(m);
  }
}

}  // namespace goban
