#pragma once
// Loops over offsets and components whose counter is a constant.

#include <type_traits>
#include <utility>

#include "goban/base/macros.hpp"

namespace goban {

namespace detail {
template <int... I, class F>
GOBAN_FUNCTION void unroll(std::integer_sequence<int, I...>, F&& f) {
  (f(std::integral_constant<int, I>{}), ...);
}
}  // namespace detail

/// Calls f(i) for i = 0 ... N-1; i is a std::integral_constant, usable as a template argument.
template <int N, class F>
GOBAN_FUNCTION void unroll(F&& f) {
  detail::unroll(std::make_integer_sequence<int, N>{}, f);
}

}  // namespace goban
