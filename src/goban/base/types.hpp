#pragma once
// The words every part shares: indices, axes, sides, element types.

#include <array>
#include <cstddef>
#include <cstdint>

namespace goban {

/// Cell index, count of cells, stride in elements. Always 64 bits.
using Index = std::int64_t;

/// One Index per axis: (x, y, z).
using Index3 = std::array<Index, 3>;

/// One real number per axis: (x, y, z).
using Real3 = std::array<double, 3>;

enum class Axis : int { x = 0, y = 1, z = 2 };
enum class Side : int { low = 0, high = 1 };

inline constexpr std::array<Axis, 3> all_axes = {Axis::x, Axis::y, Axis::z};
inline constexpr std::array<Side, 2> both_sides = {Side::low, Side::high};

constexpr int index_of(Axis a) { return static_cast<int>(a); }
constexpr int index_of(Side s) { return static_cast<int>(s); }

constexpr Index3 operator+(Index3 a, Index3 b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
constexpr Index3 operator-(Index3 a, Index3 b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
constexpr Index product(Index3 a) { return a[0] * a[1] * a[2]; }

constexpr Index round_up(Index value, Index multiple) {
  const Index remainder = value % multiple;
  return value + (remainder > 0 ? multiple - remainder : -remainder);
}
/// Largest multiple not above value, also for negative values.
constexpr Index round_down(Index value, Index multiple) {
  const Index remainder = value % multiple;
  return value - (remainder < 0 ? remainder + multiple : remainder);
}

/// What a stored element is. `half` is stored in 16 bits and computed in float.
enum class ElementType : std::uint8_t { uint8, int32, half, float32, float64 };

constexpr std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::uint8: return 1;
    case ElementType::half: return 2;
    case ElementType::float64: return 8;
    default: return 4;
  }
}

/// Lower-case name as in case files and output: "uint8", "int32", "half", "float32", "float64".
const char* name_of(ElementType type);

/// IEEE binary16 storage; arithmetic happens in float.
struct half {
  std::uint16_t bits = 0;
  half() = default;
  explicit half(float value);
  explicit operator float() const;
  bool operator==(const half&) const = default;
};

template <class T>
struct ElementTraits;
template <>
struct ElementTraits<std::uint8_t> {
  static constexpr ElementType type = ElementType::uint8;
  using Arithmetic = std::uint8_t;
};
template <>
struct ElementTraits<std::int32_t> {
  static constexpr ElementType type = ElementType::int32;
  using Arithmetic = std::int32_t;
};
template <>
struct ElementTraits<half> {
  static constexpr ElementType type = ElementType::half;
  using Arithmetic = float;
};
template <>
struct ElementTraits<float> {
  static constexpr ElementType type = ElementType::float32;
  using Arithmetic = float;
};
template <>
struct ElementTraits<double> {
  static constexpr ElementType type = ElementType::float64;
  using Arithmetic = double;
};

/// Stored as T, in place: a sweep that pulls such a field writes the new values where it read the
/// old ones, so that one set of values is enough. See Field.
template <class T>
struct InPlace {
  T value;
};
template <class T>
struct ElementTraits<InPlace<T>> : ElementTraits<T> {};
template <class T>
inline constexpr bool is_in_place = false;
template <class T>
inline constexpr bool is_in_place<InPlace<T>> = true;

namespace detail {
template <class T>
struct PlainElement {
  using Type = T;
};
template <class T>
struct PlainElement<InPlace<T>> {
  using Type = T;
};
}  // namespace detail
/// T both for T and for InPlace<T>.
template <class T>
using ElementOf = typename detail::PlainElement<T>::Type;

/// The type a functor computes with when a field stores T.
template <class T>
using ArithmeticOf = typename ElementTraits<T>::Arithmetic;

/// Calls f with a value-initialised element of the C++ type behind `type`.
template <class F>
decltype(auto) visit_element(ElementType type, F&& f) {
  switch (type) {
    case ElementType::uint8: return f(std::uint8_t{});
    case ElementType::int32: return f(std::int32_t{});
    case ElementType::half: return f(half{});
    case ElementType::float32: return f(float{});
    default: return f(double{});
  }
}

}  // namespace goban
