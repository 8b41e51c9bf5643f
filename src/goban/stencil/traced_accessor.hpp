#pragma once
// Accessors with the syntax of those in accessor.hpp that record offsets and assignments.

#include "goban/stencil/misuse.hpp"
#include "goban/stencil/traced_math.hpp"

namespace goban {

/// See Reader.
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
    return Value(recorder);
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
  template <class X>
  GOBAN_FUNCTION void operator+=(X) const {
    GOBAN_CHECK_NOT_WRITTEN(X);
  }
  template <class X>
  GOBAN_FUNCTION void operator-=(X) const {
    GOBAN_CHECK_NOT_WRITTEN(X);
  }
  template <class X>
  GOBAN_FUNCTION void operator*=(X) const {
    GOBAN_CHECK_NOT_WRITTEN(X);
  }
};

/// See Writer.
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
  GOBAN_FUNCTION void operator=(X) const {
    GOBAN_CHECK_ASSIGNED(X, detail::is_traced<X>);
    GOBAN_CHECK_ONE_COMPONENT_WRITTEN(C);
    recorder->assign(parameter, component);
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
  template <class X>
  GOBAN_FUNCTION void operator+=(X) const {
    GOBAN_CHECK_NOT_UPDATED(X);
  }
  template <class X>
  GOBAN_FUNCTION void operator-=(X) const {
    GOBAN_CHECK_NOT_UPDATED(X);
  }
  template <class X>
  GOBAN_FUNCTION void operator*=(X) const {
    GOBAN_CHECK_NOT_UPDATED(X);
  }
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
    return Value(recorder);
  }

  template <class X>
  GOBAN_FUNCTION void operator=(X) const {
    GOBAN_CHECK_ASSIGNED(X, detail::is_traced<X>);
    GOBAN_CHECK_ONE_COMPONENT_WRITTEN(C);
    recorder->assign(parameter, component);
  }
  GOBAN_FUNCTION void operator=(const TracedReadWriter&) const {
    GOBAN_CHECK_ASSIGNED(TracedReadWriter, false);
  }

  template <class X>
  GOBAN_FUNCTION void operator+=(X x) const {
    *this = (*this)() + x;
  }
  template <class X>
  GOBAN_FUNCTION void operator-=(X x) const {
    *this = (*this)() - x;
  }
  template <class X>
  GOBAN_FUNCTION void operator*=(X x) const {
    *this = (*this)() * x;
  }

  GOBAN_FUNCTION TracedReadWriter<S, 1> operator[](int c) const {
    return {recorder, parameter, component + c};
  }
};

/// See SiteAccessor.
struct TracedSite {
  detail::Recorder* recorder;

  GOBAN_FUNCTION Traced<std::int32_t> index(Axis) const { return Traced<std::int32_t>(recorder); }
  template <class T = double>
  GOBAN_FUNCTION Traced<T> position(Axis a) const {
    return T(0) + T(1) * convert<T>(index(a));
  }
  GOBAN_FUNCTION auto time() const {
    recorder->see_step();
    return Traced<double, false>(recorder);
  }
  GOBAN_FUNCTION auto step() const {
    recorder->see_step();
    return Traced<std::int64_t, false>(recorder);
  }
  template <class T = double>
  GOBAN_FUNCTION Traced<T> random(int = 0) const {
    recorder->see_step();
    return detail::traced_operation<Traced<T>>(detail::Operation::special, *this);
  }
};

/// See ValueAccessor.
template <class T>
struct TracedValue {
  detail::Recorder* recorder;

  GOBAN_FUNCTION auto operator()() const { return Traced<T, false>(recorder); }
};

}  // namespace goban
