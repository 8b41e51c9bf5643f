#pragma once
// What functors are called with for fields and numbers: accessors that record offsets and
// assignments.

#include "goban/stencil/graph/traced_math.hpp"
#include "goban/stencil/misuse.hpp"

namespace goban {

namespace detail {

/// Node of what is assigned to a field that stores S.
template <class S, class X>
GOBAN_FUNCTION int assigned_node(const Recorder& recorder, const X& x) {
  if constexpr (is_traced<X> || Scalar<X>) {
    if (recorder.makes_graph()) return operand<ArithmeticOf<S>>(recorder, x);
  }
  return -1;
}

}  // namespace detail

/// A field that is read: u(i, j, k) is the value so many cells away, f[c] a component.
template <class S, int C>
struct TracedReader : detail::FieldAccessorBase {
  using Value = Traced<ArithmeticOf<S>>;
  static constexpr int components = C;

  detail::Recorder* recorder;
  int parameter;
  int component;
  int x, y, z;  ///< shift

  GOBAN_FUNCTION TracedReader(detail::Recorder* recorder_, int parameter_, int component_ = 0,
                              int x_ = 0, int y_ = 0, int z_ = 0)
      : recorder(recorder_), parameter(parameter_), component(component_), x(x_), y(y_), z(z_) {}

  GOBAN_FUNCTION Value operator()(int i = 0, int j = 0, int k = 0) const {
    GOBAN_CHECK_ONE_COMPONENT_READ(C);
    recorder->read(parameter, component, x + i, y + j, z + k);
    return Value(recorder, recorder->read_node(parameter, component, x + i, y + j, z + k));
  }
  GOBAN_FUNCTION TracedReader<S, 1> operator[](int c) const {
    return {recorder, parameter, component + c, x, y, z};
  }
  GOBAN_FUNCTION TracedReader shift(Axis a, int n) const {
    TracedReader shifted(*this);
    (a == Axis::x ? shifted.x : a == Axis::y ? shifted.y : shifted.z) += n;
    return shifted;
  }
  template <Axis A>
  GOBAN_FUNCTION TracedReader shift(int n) const {
    return shift(A, n);
  }

  TracedReader(const TracedReader&) = default;
  template <class X>
  GOBAN_FUNCTION void operator=(X) const {
    GOBAN_CHECK_NOT_WRITTEN(X);
  }
  GOBAN_FUNCTION void operator=(const TracedReader&) const { GOBAN_CHECK_NOT_WRITTEN(S); }
  GOBAN_REFUSED_UPDATES(GOBAN_CHECK_NOT_WRITTEN)
};

/// A field that is written at the cell itself: v = x, v[c] = x.
template <class S, int C>
struct TracedWriter : detail::FieldAccessorBase {
  using Value = Traced<ArithmeticOf<S>>;
  static constexpr int components = C;

  detail::Recorder* recorder;
  int parameter;
  int component;

  GOBAN_FUNCTION TracedWriter(detail::Recorder* recorder_, int parameter_, int component_ = 0)
      : recorder(recorder_), parameter(parameter_), component(component_) {}
  TracedWriter(const TracedWriter&) = default;

  template <class X>
  GOBAN_FUNCTION void operator=(X x) const {
    GOBAN_CHECK_ASSIGNED(X, detail::is_traced<X>);
    GOBAN_CHECK_ONE_COMPONENT_WRITTEN(C);
    recorder->assign(parameter, component, detail::assigned_node<S>(*recorder, x));
  }
  GOBAN_FUNCTION void operator=(const TracedWriter&) const {
    GOBAN_CHECK_ASSIGNED(TracedWriter, false);
  }

  GOBAN_FUNCTION TracedWriter<S, 1> operator[](int c) const {
    return {recorder, parameter, component + c};
  }

  template <class... X>
  GOBAN_FUNCTION Value operator()(X...) const {
    GOBAN_CHECK_OUT_NOT_CALLED(Value, sizeof...(X));
    return {};
  }
  GOBAN_REFUSED_UPDATES(GOBAN_CHECK_NOT_UPDATED)
};

/// See ReadWriter.
template <class S, int C>
struct TracedReadWriter : detail::FieldAccessorBase {
  using Value = Traced<ArithmeticOf<S>>;
  static constexpr int components = C;

  detail::Recorder* recorder;
  int parameter;
  int component;

  GOBAN_FUNCTION TracedReadWriter(detail::Recorder* recorder_, int parameter_, int component_ = 0)
      : recorder(recorder_), parameter(parameter_), component(component_) {}
  TracedReadWriter(const TracedReadWriter&) = default;

  template <class... X>
  GOBAN_FUNCTION Value operator()(X...) const {
    GOBAN_CHECK_OFFSET_ZERO(sizeof...(X));
    GOBAN_CHECK_ONE_COMPONENT_READ(C);
    recorder->read(parameter, component, 0, 0, 0);
    const int assigned = recorder->assigned(parameter, component);
    return Value(recorder,
                 assigned >= 0 ? assigned : recorder->read_node(parameter, component, 0, 0, 0));
  }

  template <class X>
  GOBAN_FUNCTION void operator=(X x) const {
    GOBAN_CHECK_ASSIGNED(X, detail::is_traced<X>);
    GOBAN_CHECK_ONE_COMPONENT_WRITTEN(C);
    recorder->assign(parameter, component, detail::assigned_node<S>(*recorder, x));
  }
  GOBAN_FUNCTION void operator=(const TracedReadWriter&) const {
    GOBAN_CHECK_ASSIGNED(TracedReadWriter, false);
  }

  GOBAN_UPDATES

  GOBAN_FUNCTION TracedReadWriter<S, 1> operator[](int c) const {
    return {recorder, parameter, component + c};
  }
};

/// Index, position, step, time and random numbers of the cell.
struct TracedSite {
  detail::Recorder* recorder;

  GOBAN_FUNCTION Traced<std::int32_t> index(Axis axis) const {
    return Traced<std::int32_t>(recorder, node<std::int32_t>(GraphOp::index, index_of(axis)));
  }
  template <class T = double>
  GOBAN_FUNCTION Traced<T> position(Axis a) const {
    const auto counted = T(0) + T(1) * convert<T>(index(a));
    return Traced<T>(counted.recorder, node<T>(GraphOp::position, index_of(a)));
  }
  GOBAN_FUNCTION auto time() const {
    recorder->see_step();
    return Traced<double, false>(recorder,
                                 recorder->node({GraphOp::time, GraphType::of<double>(false)}));
  }
  GOBAN_FUNCTION auto step() const {
    recorder->see_step();
    return Traced<std::int64_t, false>(
        recorder, recorder->node({GraphOp::step, GraphType::of<std::int64_t>(false)}));
  }
  template <class T = double>
  GOBAN_FUNCTION Traced<T> random(int stream = 0) const {
    recorder->see_step();
    recorder->count(detail::Operation::special, true);
    return Traced<T>(recorder, node<T>(GraphOp::random, stream));
  }

 private:
  template <class T>
  GOBAN_FUNCTION int node(GraphOp op, int which) const {
    return recorder->node({op, GraphType::of<T>(true), {-1, -1, -1}, {which}});
  }
};

/// A number that is the same for all cells: dt().
template <class T>
struct TracedValue {
  detail::Recorder* recorder;
  int parameter;

  GOBAN_FUNCTION auto operator()() const {
    return Traced<T, false>(
        recorder,
        recorder->node({GraphOp::value, GraphType::of<T>(false), {-1, -1, -1}, {parameter}}));
  }
};

}  // namespace goban
