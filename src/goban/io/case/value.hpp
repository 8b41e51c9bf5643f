#pragma once
// Values of a case, and members of structs as such values.

#include <algorithm>
#include <concepts>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/io/case/time_value.hpp"

namespace goban {

enum class KeyType { boolean, integer, real, text, choice, path, integers, reals, texts, tables };

/// A value of a case: which alternative holds follows from the KeyType (choice and path are
/// texts). A text under a number key is one of its words, as in threads = "auto", or an expression
/// of time; texts under a list of numbers are such expressions and numbers.
using CaseValue = std::variant<std::monostate, bool, Index, double, std::string, std::vector<Index>,
                               std::vector<double>, std::vector<std::string>>;

namespace members {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
concept Text = std::same_as<T, std::string> || std::same_as<T, std::filesystem::path>;
template <class T>
concept Varying = std::same_as<T, TimeValue> || std::same_as<T, TimeValue3>;

/// How a number or a text of a case is kept.
template <class T>
using Kept =
    std::conditional_t<std::is_same_v<T, bool>, bool,
                       std::conditional_t<std::integral<T>, Index,
                                          std::conditional_t<std::floating_point<T> || Varying<T>,
                                                             double, std::string>>>;

/// The type of the key that a member of this type is.
template <class T>
constexpr KeyType key_type() {
  if constexpr (is_optional<T>) {
    return key_type<typename T::value_type>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return KeyType::boolean;
  } else if constexpr (std::integral<T>) {
    return KeyType::integer;
  } else if constexpr (std::floating_point<T> || std::is_same_v<T, TimeValue>) {
    return KeyType::real;
  } else if constexpr (Text<T>) {
    return std::is_same_v<T, std::string> ? KeyType::text : KeyType::path;
  } else {
    constexpr KeyType entry = key_type<typename T::value_type>();
    return entry == KeyType::integer ? KeyType::integers
           : entry == KeyType::real  ? KeyType::reals
                                     : KeyType::texts;
  }
}

/// How many entries the list has that a member of this type is; 0: any number.
template <class T>
inline constexpr std::size_t length = 0;
template <class T, std::size_t n>
inline constexpr std::size_t length<std::array<T, n>> = n;
template <class T>
inline constexpr std::size_t length<std::optional<T>> = length<T>;

/// A member as a value; monostate: an optional one without any.
template <class T>
CaseValue as_value(const T& member) {
  if constexpr (is_optional<T>) {
    return member ? as_value(*member) : CaseValue();
  } else if constexpr (std::is_same_v<T, TimeValue>) {
    return member.at(0);
  } else if constexpr (std::is_same_v<T, TimeValue3>) {
    return as_value(at(member, 0));
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return Kept<T>(member);
  } else if constexpr (Text<T>) {
    return member.string();
  } else {
    return std::vector<Kept<typename T::value_type>>(member.begin(), member.end());
  }
}

TimeValue time_value_of(const CaseValue& value, const std::string& unit);
TimeValue3 time_values_of(const CaseValue& value, const std::string& unit);

/// An integer is none of its member's type.
struct NumberTooLarge : std::exception {};

/// A member gets a value of its type of key; numbers that vary are in this unit.
template <class T>
void assign(T& member, const CaseValue& value, const std::string& unit) {
  if constexpr (is_optional<T>) {
    assign(member.emplace(), value, unit);
  } else if constexpr (std::is_same_v<T, TimeValue>) {
    member = time_value_of(value, unit);
  } else if constexpr (std::is_same_v<T, TimeValue3>) {
    member = time_values_of(value, unit);
  } else if constexpr (std::is_arithmetic_v<T>) {
    const Kept<T> number = std::get<Kept<T>>(value);
    member = static_cast<T>(number);
    if (std::integral<T> && static_cast<Kept<T>>(member) != number) throw NumberTooLarge();
  } else if constexpr (Text<T>) {
    member = std::get<std::string>(value);
  } else {
    const auto& entries = std::get<std::vector<Kept<typename T::value_type>>>(value);
    if constexpr (length<T> == 0) {
      member.assign(entries.begin(), entries.end());
    } else {
      std::copy(entries.begin(), entries.end(), member.begin());
    }
  }
}

}  // namespace members
}  // namespace goban
