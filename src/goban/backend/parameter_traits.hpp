#pragma once
// What the type of a parameter or a functor says about its sweep, on every kind of device.

#include "goban/program/program.hpp"

namespace goban {

template <class P>
inline constexpr bool is_output = false;
template <class T, int C>
inline constexpr bool is_output<FieldParameter<Access::out, T, C>> = true;

template <class P>
inline constexpr bool is_updated = false;
template <class T, int C>
inline constexpr bool is_updated<FieldParameter<Access::inout, T, C>> = true;

/// What takes the place of another argument.
template <class P>
inline constexpr bool is_written_in_place = false;
template <class T, int C>
inline constexpr bool is_written_in_place<FieldParameter<Access::out, InPlace<T>, C>> = true;

template <class F>
inline constexpr bool is_reduction = false;
template <class F>
inline constexpr bool is_reduction<detail::ReturningFunctor<F>> = true;

}  // namespace goban
