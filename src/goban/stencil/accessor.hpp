#pragma once
// What kernels hand to functors for fields and parameters of the sweep: u(i,j,k) reads a pack at a
// constant offset, v = x writes one. Everything is inlined away.

#include "goban/base/macros.hpp"
#include "goban/base/types.hpp"
#include "goban/stencil/component_offset.hpp"
#include "goban/stencil/misuse.hpp"
#include "goban/stencil/pack.hpp"
#include "goban/stencil/parameters.hpp"
#include "goban/stencil/site.hpp"
#include "goban/stencil/uniform.hpp"

namespace goban {

/// A displacement known at compile time, in cells.
struct Displacement {
  int x = 0, y = 0, z = 0;
};

/// Reads C components stored as S. A pack starts at the current cell and runs along UnitAxis. The
/// current cell lies D from `cell`: evaluations side by side share one `cell`, so that the compiler
/// sees which of their loads are the same. Neighbours along UnitAxis come by shuffles, which share
/// loads, unless values are ReadOnce.
template <class S, int C, int N, Axis UnitAxis = Axis::x, Displacement D = Displacement{},
          bool ReadOnce = false>
struct Reader : detail::FieldAccessorBase {
  using Value = Pack<ArithmeticOf<S>, N>;
  static constexpr int components = C;

  const S* cell;     ///< component 0 at the current cell
  Index strides[3];  ///< elements per step along each axis; that of UnitAxis is not used
  ComponentOffset<S> component;  ///< elements to the other components
  int lane;  ///< cells along UnitAxis that shift() has moved; `cell` stays aligned

  GOBAN_ACCESSOR_FUNCTION Reader(const S* cell_, Index3 strides_, ComponentOffset<S> component_,
                                 int lane_ = 0)
      : cell(cell_),
        strides{strides_[0], strides_[1], strides_[2]},
        component(component_),
        lane(lane_) {}

  /// Elements to the cell n further along an axis other than UnitAxis.
  GOBAN_ACCESSOR_FUNCTION Index across(Axis a, int n) const {
    return a == UnitAxis ? 0 : n * strides[index_of(a)];
  }

  /// Where the first of these values lies.
  GOBAN_ACCESSOR_FUNCTION const S* address(int i, int j, int k) const {
    i += D.x;
    j += D.y;
    k += D.z;
    const int along = UnitAxis == Axis::x ? i : UnitAxis == Axis::y ? j : k;
    return cell + across(Axis::x, i) + across(Axis::y, j) + across(Axis::z, k) + (lane + along);
  }

  /// The values i, j, k cells away.
  GOBAN_ACCESSOR_FUNCTION Value operator()(int i = 0, int j = 0, int k = 0) const {
    GOBAN_CHECK_ONE_COMPONENT_READ(C);
    i += D.x;
    j += D.y;
    k += D.z;
    const int along = UnitAxis == Axis::x ? i : UnitAxis == Axis::y ? j : k;
    const S* row = cell + across(Axis::x, i) + across(Axis::y, j) + across(Axis::z, k);
    if constexpr (ReadOnce) return load<N>(row + (lane + along));
    return load_beside<N>(row, lane + along);
  }

  /// One component.
  GOBAN_ACCESSOR_FUNCTION Reader<S, 1, N, UnitAxis, D, ReadOnce> operator[](int c) const {
    return {cell + component(c), {strides[0], strides[1], strides[2]}, component, lane};
  }

  /// The accessor as seen from n cells further.
  GOBAN_ACCESSOR_FUNCTION Reader shift(Axis a, int n) const {
    Reader shifted = *this;
    if (a == UnitAxis) {
      shifted.lane += n;
    } else {
      shifted.cell += n * strides[index_of(a)];
    }
    return shifted;
  }
  template <Axis A>
  GOBAN_ACCESSOR_FUNCTION Reader shift(int n) const {
    return shift(A, n);
  }

  Reader(const Reader&) = default;
  template <class X>
  GOBAN_FUNCTION void operator=(const X&) const {
    GOBAN_CHECK_NOT_WRITTEN(X);
  }
  GOBAN_FUNCTION void operator=(const Reader&) const { GOBAN_CHECK_NOT_WRITTEN(Reader); }
};

/// Takes the results of one cell. They go to slots[c]; the kernel stores them afterwards, so that
/// its loads may be shared between evaluations.
template <class S, int C, int N>
struct Writer : detail::FieldAccessorBase {
  using Value = Pack<ArithmeticOf<S>, N>;
  static constexpr int components = C;

  Value* slots;

  GOBAN_ACCESSOR_FUNCTION explicit Writer(Value* slots_) : slots(slots_) {}
  Writer(const Writer&) = default;

  template <class X>
  GOBAN_ACCESSOR_FUNCTION void operator=(X x) const {
    GOBAN_CHECK_ASSIGNED(X, is_pack<X>);
    GOBAN_CHECK_ONE_COMPONENT_WRITTEN(C);
    if constexpr (is_pack<X> || Scalar<X>) *slots = convert<ArithmeticOf<S>>(x);
  }
  GOBAN_FUNCTION void operator=(const Writer&) const { GOBAN_CHECK_ASSIGNED(Writer, false); }

  GOBAN_ACCESSOR_FUNCTION Writer<S, 1, N> operator[](int c) const {
    return Writer<S, 1, N>(slots + c);
  }

  template <class... X>
  GOBAN_FUNCTION Value operator()(X...) const {
    GOBAN_CHECK_OUT_NOT_CALLED(Value, sizeof...(X));
    return *slots;
  }
  GOBAN_REFUSED_UPDATES(GOBAN_CHECK_NOT_UPDATED)
};

/// Reads and replaces the values of one cell. The slots hold the old values when the functor
/// starts (see preload) and are stored by the kernel afterwards.
template <class S, int C, int N>
struct ReadWriter : detail::FieldAccessorBase {
  using Value = Pack<ArithmeticOf<S>, N>;
  static constexpr int components = C;

  Value* slots;

  GOBAN_ACCESSOR_FUNCTION explicit ReadWriter(Value* slots_) : slots(slots_) {}
  ReadWriter(const ReadWriter&) = default;

  template <class... X>
  GOBAN_ACCESSOR_FUNCTION Value operator()(X...) const {
    GOBAN_CHECK_OFFSET_ZERO(sizeof...(X));
    GOBAN_CHECK_ONE_COMPONENT_READ(C);
    return *slots;
  }

  template <class X>
  GOBAN_ACCESSOR_FUNCTION void operator=(X x) const {
    GOBAN_CHECK_ASSIGNED(X, is_pack<X>);
    GOBAN_CHECK_ONE_COMPONENT_WRITTEN(C);
    if constexpr (is_pack<X> || Scalar<X>) *slots = convert<ArithmeticOf<S>>(x);
  }
  GOBAN_FUNCTION void operator=(const ReadWriter&) const {
    GOBAN_CHECK_ASSIGNED(ReadWriter, false);
  }

  GOBAN_UPDATES

  GOBAN_ACCESSOR_FUNCTION ReadWriter<S, 1, N> operator[](int c) const {
    return ReadWriter<S, 1, N>(slots + c);
  }
};

/// Loads the C components at `cell` into the slots of a ReadWriter.
template <int C, class S, int N>
GOBAN_ACCESSOR_FUNCTION void preload(Pack<ArithmeticOf<S>, N>* slots, const S* cell,
                                     ComponentOffset<S> component) {
  for (int c = 0; c < C; ++c) slots[c] = load<N>(cell + component(c));
}

/// A number that is the same for all cells of the sweep: dt().
template <class T>
struct ValueAccessor {
  T value;
  GOBAN_ACCESSOR_FUNCTION Uniform<T> operator()() const { return Uniform<T>(value); }
};

}  // namespace goban
