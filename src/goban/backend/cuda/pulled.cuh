#pragma once
// Fields of many components, each read at one place alone: everything is asked for before the
// functor computes with the first of it, however often and in which order the functor reads.

#include <limits>

#include "goban/backend/cuda/cursor.cuh"

namespace goban::cuda {

/// Argument `Position`, which Shape::pulls.
template <class P, class Shape, int Position>
struct PulledParameter;

/// What a functor of these parameters gets for argument A.
template <class Shape, int A, class P>
using ParameterInSweep = std::conditional_t<Shape::pulls(A), PulledParameter<P, Shape, A>, P>;

/// The place of a read as one number.
GOBAN_INLINE constexpr int place_code(int i, int j, int k) { return i + 256 * (j + 256 * k); }

inline constexpr int nowhere = std::numeric_limits<int>::min();

/// A component at hand. Reads elsewhere, which the functor's type does not show, go to memory.
template <class S, int N, Axis Unit>
struct PulledComponent : goban::detail::FieldAccessorBase {
  using Value = Pack<ArithmeticOf<S>, N>;

  Reader<S, 1, N, Unit> reader;
  Value value;
  int place;

  GOBAN_ACCESSOR_FUNCTION PulledComponent(const Reader<S, 1, N, Unit>& reader_, const Value& value_,
                                          int place_)
      : reader(reader_), value(value_), place(place_) {}
  PulledComponent(const PulledComponent&) = default;

  GOBAN_ACCESSOR_FUNCTION Value operator()(int i = 0, int j = 0, int k = 0) const {
    const auto& moved = reader.moved;
    if (place_code(i + moved[0], j + moved[1], k + moved[2]) == place) return value;
    return reader(i, j, k);
  }
  GOBAN_ACCESSOR_FUNCTION PulledComponent shift(Axis a, int n) const {
    return {reader.shift(a, n), value, place};
  }
  template <Axis A>
  GOBAN_ACCESSOR_FUNCTION PulledComponent shift(int n) const {
    return shift(A, n);
  }
  template <class X>
  GOBAN_FUNCTION void operator=(const X&) const {
    GOBAN_CHECK_NOT_WRITTEN(X);
  }
  GOBAN_FUNCTION void operator=(const PulledComponent&) const {
    GOBAN_CHECK_NOT_WRITTEN(PulledComponent);
  }
};

template <class S, int C, int N, Axis Unit>
struct PulledReader : goban::detail::FieldAccessorBase {
  using Value = Pack<ArithmeticOf<S>, N>;
  static constexpr int components = C;

  Reader<S, C, N, Unit> reader;
  Value value[C];
  int place[C];

  GOBAN_ACCESSOR_FUNCTION explicit PulledReader(const Reader<S, C, N, Unit>& reader_)
      : reader(reader_) {}
  PulledReader(const PulledReader&) = default;

  GOBAN_ACCESSOR_FUNCTION Value operator()(int = 0, int = 0, int = 0) const {
    GOBAN_CHECK_ONE_COMPONENT_READ(C);
    return value[0];
  }
  GOBAN_ACCESSOR_FUNCTION PulledComponent<S, N, Unit> operator[](int c) const {
    return {reader[c], value[c], place[c]};
  }
  GOBAN_ACCESSOR_FUNCTION PulledReader shift(Axis a, int n) const {
    PulledReader shifted = *this;
    shifted.reader = reader.shift(a, n);
    return shifted;
  }
  template <Axis A>
  GOBAN_ACCESSOR_FUNCTION PulledReader shift(int n) const {
    return shift(A, n);
  }
  template <class X>
  GOBAN_FUNCTION void operator=(const X&) const {
    GOBAN_CHECK_NOT_WRITTEN(X);
  }
  GOBAN_FUNCTION void operator=(const PulledReader&) const {
    GOBAN_CHECK_NOT_WRITTEN(PulledReader);
  }
};

template <class T, int C, class Shape, int Position, int N, Axis Unit>
class Cursor<PulledParameter<FieldParameter<Access::in, T, C>, Shape, Position>, N, Unit>
    : Cursor<FieldParameter<Access::in, T, C>, N, Unit> {
  using Field = Cursor<FieldParameter<Access::in, T, C>, N, Unit>;

 public:
  using Slots = typename Field::Slots;
  template <class Arguments>
  GOBAN_INLINE Cursor(const Arguments& a, int position, const Place& at) : Field(a, position, at) {}
  template <int Row, int Plane, class Arguments>
  GOBAN_INLINE auto accessor(const Arguments& a, Slots& slots) const {
    static_assert(Row == 0 && Plane == 0);
    const auto reader = Field::template accessor<0, 0>(a, slots);
    PulledReader<T, C, N, Unit> pulled(reader);
    unroll<C>([&](auto c) {
      constexpr Pull pull = Shape::pull(Position, c);
      constexpr auto o = pull.offset;
      pulled.place[c] = pull.is_read ? place_code(o[0], o[1], o[2]) : nowhere;
      if constexpr (pull.is_read) pulled.value[c] = reader[c](o[0], o[1], o[2]);
    });
    return pulled;
  }
  using Field::send_row_ends;
  using Field::store;
  using Field::store_plain;
};

}  // namespace goban::cuda
