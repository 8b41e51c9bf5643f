#include "goban/domain/halo/rounding.hpp"

#include <cmath>
#include <sstream>

#include "goban/base/error.hpp"

namespace goban {
namespace {

[[noreturn]] void refuse(double value, ElementType type) {
  std::ostringstream text;
  text << "a value of " << value << " cannot travel as " << name_of(type);
  throw Error(ExitCode::usage, text.str(), "it is too large",
              "use a higher precision of halos, or full");
}

template <class From, class To>
void convert(const From* from, To* to, Index count) {
  using Wide = std::conditional_t<std::is_same_v<From, double>, double, float>;
  for (Index i = 0; i < count; ++i) {
    const auto value = static_cast<Wide>(from[i]);
    to[i] = static_cast<To>(static_cast<ArithmeticOf<To>>(value));
    if (std::isinf(static_cast<ArithmeticOf<To>>(to[i])) && !std::isinf(value)) {
      refuse(value, ElementTraits<To>::type);
    }
  }
}

}  // namespace

ElementType type_on_the_way(ElementType type, HaloPrecision precision) {
  const bool is_double = type == ElementType::float64, is_float = type == ElementType::float32;
  if (precision == HaloPrecision::half && (is_double || is_float)) return ElementType::half;
  if (precision == HaloPrecision::single && is_double) return ElementType::float32;
  return type;
}

void convert(const std::byte* from, ElementType from_type, std::byte* to, ElementType to_type,
             Index count) {
  visit_element(from_type, [&](auto from_value) {
    visit_element(to_type, [&](auto to_value) {
      using From = decltype(from_value);
      using To = decltype(to_value);
      convert(reinterpret_cast<const From*>(from), reinterpret_cast<To*>(to), count);
    });
  });
}

}  // namespace goban
