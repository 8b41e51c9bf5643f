#pragma once
// Types that a case chooses by run.precision and run.layout.

#include <stdexcept>

#include "goban/field/record.hpp"
#include "goban/io/case/file.hpp"

namespace goban {

/// How a case names a type of fields.
template <class T>
inline constexpr const char* type_name = "";
template <>
inline constexpr const char* type_name<half> = "half";
template <>
inline constexpr const char* type_name<float> = "float32";
template <>
inline constexpr const char* type_name<double> = "float64";
template <>
inline constexpr const char* type_name<ijk> = "ijk";
template <>
inline constexpr const char* type_name<kij> = "kij";

namespace detail {
template <class Type, class... Others, class Use>
auto with_type(const std::string& name, const Use& use)
    -> decltype(use.template operator()<Type>()) {
  if (name == type_name<Type>) return use.template operator()<Type>();
  if constexpr (sizeof...(Others) > 0) {
    return with_type<Others...>(name, use);
  } else {
    throw std::logic_error("the application has no " + name);
  }
}
}  // namespace detail

/// What use<T>() returns, with the type that run.precision names among Types.
template <class... Types, class Use>
auto with_precision(const Case& values, const Use& use) {
  return detail::with_type<Types...>(values.choice("run.precision"), use);
}

/// The same of run.layout.
template <class... Layouts, class Use>
auto with_layout(const Case& values, const Use& use) {
  return detail::with_type<Layouts...>(values.choice("run.layout"), use);
}

}  // namespace goban
