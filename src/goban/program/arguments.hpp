#pragma once
// What is passed to apply for the parameters of a functor, in their order.

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include "goban/field/field.hpp"
#include "goban/program/stage.hpp"
#include "goban/stencil/parameters.hpp"

namespace goban {

template <Access A, class T, int Components, class Layout>
struct FieldArgument {
  using Description = FieldParameter<A, T, Components>;
  using LayoutType = Layout;
  const Field<T, Components, Layout>* field;
  StageArgument argument() const {
    return {StageArgument::Kind::field, A, field->record(), field->grid(), nullptr};
  }
};
template <class T, int C, class L>
auto in(const Field<T, C, L>& field) {
  return FieldArgument<Access::in, T, C, L>{&field};
}
template <class T, int C, class L>
auto out(const Field<T, C, L>& field) {
  return FieldArgument<Access::out, T, C, L>{&field};
}
template <class T, int C, class L>
auto inout(const Field<T, C, L>& field) {
  return FieldArgument<Access::inout, T, C, L>{&field};
}

struct SiteArgument {
  using Description = SiteParameter;
  using LayoutType = void;
  StageArgument argument() const {
    return {StageArgument::Kind::site, Access::in, nullptr, nullptr, nullptr};
  }
};
/// Global position, index, step, time and random numbers of the cell.
inline constexpr SiteArgument site{};

template <class T, int Components>
struct ScratchArgument {
  using Description = ScratchParameter<T, Components>;
  using LayoutType = void;
  StageArgument argument() const {
    return {StageArgument::Kind::scratch, Access::inout, nullptr, nullptr, nullptr};
  }
};
/// Components numbers that a column functor keeps for every level; see stencil/columns.hpp.
template <class T, int Components = 1>
inline constexpr ScratchArgument<T, Components> scratch{};

template <class T>
struct ParameterArgument {
  using Description = ValueParameter<T>;
  using LayoutType = void;
  Access access;
  Parameter<T> parameter;
  StageArgument argument() const {
    return {StageArgument::Kind::value, access, nullptr, nullptr, parameter.record()};
  }
  /// What a function has made of the value; one that is read alone stays as it was.
  void store(T value) const {
    if (access != Access::in) Parameter<T>(parameter).set(value);
  }
};
template <class T>
auto param(const Parameter<T>& p) {
  return ParameterArgument<T>{Access::in, p};
}
template <class T>
auto in(const Parameter<T>& p) {
  return ParameterArgument<T>{Access::in, p};
}
/// A number of a scalar stage that stays as it is.
inline auto in(double value) { return in(Parameter<double>("number", value)); }
template <class T>
auto out(const Parameter<T>& p) {
  return ParameterArgument<T>{Access::out, p};
}
template <class T>
auto inout(const Parameter<T>& p) {
  return ParameterArgument<T>{Access::inout, p};
}
template <class T>
auto into(const Parameter<T>& p) {
  return ParameterArgument<T>{Access::out, p};
}

/// What apply takes.
template <class Argument>
concept ProgramArgument = requires(const Argument& a) {
  typename Argument::Description;
  { a.argument() } -> std::same_as<StageArgument>;
};

namespace detail {

template <class Argument>
inline constexpr bool is_parameter_argument = false;
template <class T>
inline constexpr bool is_parameter_argument<ParameterArgument<T>> = true;

template <class All, std::size_t... I>
constexpr bool are_program_arguments(std::index_sequence<I...>) {
  return (ProgramArgument<std::tuple_element_t<I, All>> && ...);
}

/// Those of a functor, then what is made of its values, and where that goes.
template <class... Rest>
constexpr bool are_of_a_reduction() {
  if constexpr (sizeof...(Rest) < 3) {
    return false;
  } else {
    constexpr std::size_t inputs = sizeof...(Rest) - 2;
    using All = std::tuple<Rest...>;
    return std::is_same_v<std::tuple_element_t<inputs, All>, Reduction> &&
           is_parameter_argument<std::tuple_element_t<inputs + 1, All>> &&
           are_program_arguments<All>(std::make_index_sequence<inputs>{});
  }
}

/// Memory order shared by all field arguments; they must agree.
template <class... Layouts>
struct CommonLayout {
  using type = ijk;
  static constexpr bool agree = true;
};
template <class... Rest>
struct CommonLayout<void, Rest...> : CommonLayout<Rest...> {};
template <class First, class... Rest>
struct CommonLayout<First, Rest...> {
  using type = First;
  static constexpr bool agree = ((std::is_same_v<First, Rest> || std::is_void_v<Rest>)&&...);
};

}  // namespace detail

}  // namespace goban
