#pragma once
// The types functors compute with and the one rule by which two of them meet, for every width.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace goban {

/// Element of a pack: what a functor computes with.
template <class T>
concept LaneType = std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::int32_t> || std::same_as<T, std::uint8_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t>;

template <class S>
inline constexpr bool is_scalar = std::is_arithmetic_v<S>;
template <class T, T value>
inline constexpr bool is_scalar<std::integral_constant<T, value>> = true;

/// Plain number beside packs: a literal, a member of the functor, the counter of an unrolled loop.
template <class S>
concept Scalar = is_scalar<S>;

namespace detail {

template <class T, class U>
constexpr auto promoted() {
  if constexpr (std::is_floating_point_v<T> != std::is_floating_point_v<U>) {
    return std::conditional_t<std::is_floating_point_v<T>, T, U>{};
  } else if constexpr (sizeof(T) != sizeof(U)) {
    return std::conditional_t<(sizeof(T) > sizeof(U)), T, U>{};
  } else {
    return std::conditional_t<std::is_unsigned_v<T>, T, U>{};
  }
}

template <class S>
struct PlainOf {
  using Type = S;
};
template <class T, T value>
struct PlainOf<std::integral_constant<T, value>> {
  using Type = T;
};

}  // namespace detail

/// The type of a result. Both floating or both integer: the wider, unsigned at equal width; else
/// the floating one.
template <class T, class U>
using Promoted = decltype(detail::promoted<T, U>());

/// True where a number of type S may meet a pack of T: it then takes the type T.
/// A floating-point number beside integers would lose its fraction, so it may not.
template <class S, class T>
inline constexpr bool scalar_fits =
    !std::is_floating_point_v<typename detail::PlainOf<S>::Type> || std::is_floating_point_v<T>;

/// What select(mask, a, b) of two whole numbers gives: as wide as the lanes that were compared.
template <std::size_t LaneBytes>
using SelectedInteger =
    std::conditional_t<LaneBytes == 8, std::int64_t,
                       std::conditional_t<LaneBytes == 1, std::uint8_t, std::int32_t>>;

#define GOBAN_SCALAR_MUST_FIT(S, T)                                                              \
  static_assert(::goban::scalar_fits<S, T>,                                                      \
                "goban: a floating-point number beside integer values would lose its fraction; " \
                "write convert<float>(u())")

}  // namespace goban
