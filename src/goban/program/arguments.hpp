#pragma once
// What is passed to apply for the parameters of a functor, in their order.

#include <type_traits>

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

template <class T>
struct ParameterArgument {
  using Description = ValueParameter<T>;
  using LayoutType = void;
  Access access;
  Parameter<T> parameter;
  StageArgument argument() const {
    return {StageArgument::Kind::value, access, nullptr, nullptr, parameter.record()};
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

namespace detail {

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
