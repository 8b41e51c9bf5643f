#pragma once
// The kinds of parameters a functor has, as types: the compile-time description of an `apply`.

#include "goban/base/types.hpp"

namespace goban {

enum class Access { in, out, inout };

/// A field of Components values of storage type T a cell.
template <Access A, class T, int Components = 1>
struct FieldParameter {
  static constexpr Access access = A;
  using Storage = T;
  static constexpr int components = Components;
};

/// Position, index, step and time of the cell; see SiteAccessor.
struct SiteParameter {};

/// One number of type T for the whole sweep; see ValueAccessor.
template <class T>
struct ValueParameter {
  using Value = T;
};

/// The same as a value.
struct ParameterDescription {
  enum class Kind : std::uint8_t { field, site, value };
  Kind kind = Kind::site;
  Access access = Access::in;
  ElementType type = ElementType::float32;  ///< fields only
  int components = 0;                       ///< fields only
};

template <class P>
inline constexpr bool is_field_parameter = false;
template <Access A, class T, int Components>
inline constexpr bool is_field_parameter<FieldParameter<A, T, Components>> = true;

template <class P>
struct DescriptionOf;
template <Access A, class T, int Components>
struct DescriptionOf<FieldParameter<A, T, Components>> {
  static constexpr ParameterDescription value = {ParameterDescription::Kind::field, A,
                                                 ElementTraits<T>::type, Components};
};
template <>
struct DescriptionOf<SiteParameter> {
  static constexpr ParameterDescription value = {.kind = ParameterDescription::Kind::site};
};
template <class T>
struct DescriptionOf<ValueParameter<T>> {
  static constexpr ParameterDescription value = {.kind = ParameterDescription::Kind::value};
};

}  // namespace goban
