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

/// Position, index, step and time of the cell; see TracedSite.
struct SiteParameter {};

/// One number of type T for the whole sweep; see TracedValue.
template <class T>
struct ValueParameter {
  using Value = T;
};

/// Components values of type T for every level of a column, while it is swept; see columns.hpp.
template <class T, int Components = 1>
struct ScratchParameter {
  using Value = T;
  static constexpr int components = Components;
};

/// The same as a value.
struct ParameterDescription {
  enum class Kind : std::uint8_t { field, site, value, scratch };
  Kind kind = Kind::site;
  Access access = Access::in;
  ElementType type = ElementType::float32;  ///< fields and scratch only
  int components = 0;                       ///< fields and scratch only

  /// What it is assigned is among the outputs of a functor.
  constexpr bool is_written() const {
    return kind == Kind::scratch || (kind == Kind::field && access != Access::in);
  }
};

template <class P>
inline constexpr bool is_field_parameter = false;
template <Access A, class T, int Components>
inline constexpr bool is_field_parameter<FieldParameter<A, T, Components>> = true;

template <class P>
inline constexpr bool is_scratch = false;
template <class T, int Components>
inline constexpr bool is_scratch<ScratchParameter<T, Components>> = true;

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
template <class T, int Components>
struct DescriptionOf<ScratchParameter<T, Components>> {
  static constexpr ParameterDescription value = {ParameterDescription::Kind::scratch, Access::inout,
                                                 ElementTraits<T>::type, Components};
};

}  // namespace goban
