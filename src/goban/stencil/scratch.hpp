#pragma once
// What a column keeps while it is swept: s[c] = x assigns a value of the level at hand, s[c]() is
// what the level holds, s[c].before() what the level visited before holds; 0 at the first one.

#include "goban/stencil/graph/traced_accessor.hpp"
#include "goban/stencil/misuse.hpp"

namespace goban {

/// Records.
template <class T, int C>
struct TracedScratch : detail::FieldAccessorBase {
  using Value = Traced<T>;
  static constexpr int components = C;

  detail::Recorder* recorder;
  int parameter;
  int component;

  GOBAN_FUNCTION TracedScratch(detail::Recorder* recorder_, int parameter_, int component_ = 0)
      : recorder(recorder_), parameter(parameter_), component(component_) {}
  TracedScratch(const TracedScratch&) = default;

  GOBAN_FUNCTION Value operator()() const {
    GOBAN_CHECK_ONE_COMPONENT_READ(C);
    return Value(recorder, recorder->read_scratch(parameter, component, false));
  }
  GOBAN_FUNCTION Value before() const {
    GOBAN_CHECK_ONE_COMPONENT_READ(C);
    return Value(recorder, recorder->read_scratch(parameter, component, true));
  }
  template <class X>
  GOBAN_FUNCTION void operator=(X x) const {
    GOBAN_CHECK_ASSIGNED(X, detail::is_traced<X>);
    GOBAN_CHECK_ONE_COMPONENT_WRITTEN(C);
    recorder->assign(parameter, component, detail::assigned_node<T>(*recorder, x));
  }
  GOBAN_FUNCTION void operator=(const TracedScratch&) const {
    GOBAN_CHECK_ASSIGNED(TracedScratch, false);
  }
  GOBAN_FUNCTION TracedScratch<T, 1> operator[](int c) const {
    return {recorder, parameter, component + c};
  }
};

}  // namespace goban
