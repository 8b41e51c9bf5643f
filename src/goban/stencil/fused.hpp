#pragma once
// Functors that follow each other, as one: where a later one reads what an earlier one writes, the
// earlier one is evaluated again, at the cell that is read. Its results take no way through memory.
//
//   cell       i-1     i     i+1
//   u           o------o------o      read
//                \    / \    /
//   flux          f(i)   f(i+1)      evaluated at i and, shifted by one cell, at i+1
//                    \   /
//   next               o             written

#include <tuple>
#include <type_traits>

#include "goban/stencil/evaluation.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban {

/// A parameter whose values beyond the ends of the grid are constants where they are made again.
/// Such a functor has a SiteParameter, too.
template <class P>
struct WalledParameter {};

namespace detail {

template <class P>
inline constexpr bool is_walled = false;
template <class P>
inline constexpr bool is_walled<WalledParameter<P>> = true;
template <class P>
struct UnwalledOf {
  using Type = P;
};
template <class P>
struct UnwalledOf<WalledParameter<P>> {
  using Type = P;
};
template <class P>
using Unwalled = typename UnwalledOf<P>::Type;

template <class Part>
inline constexpr bool says_that_it_branches = requires {
  requires Part::Functor::branches;
};

}  // namespace detail

/// Functors one after another. Parameters: std::tuple of FieldParameter, IntermediateParameter,
/// both also as WalledParameter, SiteParameter and ValueParameter; those that are not intermediate
/// are this functor's. Each parameter is written by one part at most and read by later ones alone;
/// a part with an inout writes nothing that others read.
template <class Parameters, class... Parts>
struct Fused;

template <class... P, class... Parts>
struct Fused<std::tuple<P...>, Parts...> {
  detail::Chain<Parts...> parts;
  /// Of the walled parameters, in their order.
  std::array<ConstantGhosts, (0 + ... + (detail::is_walled<P> ? 1 : 0))> ghosts{};

  template <int I>
  using ParameterAt = std::tuple_element_t<std::size_t{I}, std::tuple<detail::Unwalled<P>...>>;

  /// Some part says that it branches; see is_branching.
  static constexpr bool branches = (... || detail::says_that_it_branches<Parts>);

  /// Which part writes a parameter; -1: none.
  static constexpr int writer(int parameter) {
    int found = -1, part = 0;
    ((found = Parts::writing(parameter) >= 0 ? part : found, ++part), ...);
    return found;
  }
  /// Position of a parameter that is not intermediate among those of the functor.
  static constexpr int position(int parameter) {
    int position = 0, at = 0;
    ((position += at++ < parameter && !is_intermediate<detail::Unwalled<P>> ? 1 : 0), ...);
    return position;
  }
  /// Position of a parameter among the walled ones; -1: it is none.
  static constexpr int walls(int parameter) {
    int position = 0, at = 0, found = -1;
    ((found = at == parameter && detail::is_walled<P> ? position : found,
      position += detail::is_walled<P> ? 1 : 0, ++at),
     ...);
    return found;
  }
  static constexpr int site() {
    int found = -1, at = 0;
    ((found = std::same_as<P, SiteParameter> ? at : found, ++at), ...);
    return found;
  }
  /// Something that a part writes is not intermediate.
  static constexpr bool stores(int part) {
    int parameter = 0;
    bool found = false;
    ((found = found || (writer(parameter) == part && !is_intermediate<detail::Unwalled<P>>),
      ++parameter),
     ...);
    return found;
  }

  template <class... Accessors>
  GOBAN_ACCESSOR_FUNCTION void operator()(Accessors... accessors) const {
    using Parted = detail::Evaluation<Fused, Accessors...>;
    typename Parted::Record record{};
    const Parted evaluation(*this, record, accessors...);
    unroll<static_cast<int>(sizeof...(Parts))>([&](auto part) {
      if constexpr (stores(part)) evaluation.template store<part>();
    });
  }
};

}  // namespace goban
