#pragma once
// Finds out what a functor does by calling it with values that record: at run time for an object,
// in a constant expression for its type.

#include <bit>
#include <concepts>
#include <utility>

#include "goban/stencil/graph/traced_accessor.hpp"
#include "goban/stencil/scratch.hpp"

namespace goban {

/// The accessor that stands for a parameter while tracing: one for all that are computed with
/// alike.
template <class P>
struct TracedAccessorOf;
template <class S, int C>
struct TracedAccessorOf<FieldParameter<Access::in, S, C>> {
  using Type = TracedReader<ArithmeticOf<S>, C>;
};
template <class S, int C>
struct TracedAccessorOf<FieldParameter<Access::out, S, C>> {
  using Type = TracedWriter<ArithmeticOf<S>, C>;
};
template <class S, int C>
struct TracedAccessorOf<FieldParameter<Access::inout, S, C>> {
  using Type = TracedReadWriter<ArithmeticOf<S>, C>;
};
template <>
struct TracedAccessorOf<SiteParameter> {
  using Type = TracedSite;
};
template <class T>
struct TracedAccessorOf<ValueParameter<T>> {
  using Type = TracedValue<T>;
};
template <class T, int C>
struct TracedAccessorOf<ScratchParameter<T, C>> {
  using Type = TracedScratch<T, C>;
};
template <class P>
using TracedAccessor = typename TracedAccessorOf<P>::Type;

/// F can be called with accessors for these parameters.
template <class F, class... Parameters>
concept CallableWith = std::invocable<const F&, TracedAccessor<Parameters>...>;

/// Whether it could be called if its operator() were const.
template <class F, class... Parameters>
concept CallableIfConst =
    !CallableWith<F, Parameters...> && std::invocable<F&, TracedAccessor<Parameters>...>;

namespace detail {

template <class F, class... Parameters>
constexpr void check_callable() {
  static_assert(!CallableIfConst<F, Parameters...>,
                "goban: the functor's operator() must be const: void operator()(...) const");
  static_assert(CallableWith<F, Parameters...> || CallableIfConst<F, Parameters...>,
                "goban: the functor's parameters do not match the arguments of apply");
}

template <class P>
GOBAN_FUNCTION TracedAccessor<P> traced_accessor(Recorder& recorder, int position) {
  if constexpr (std::same_as<P, SiteParameter>) {
    return {&recorder};
  } else {
    return {&recorder, position};
  }
}

template <class... Parameters, class F>
GOBAN_FUNCTION void call_traced(const F& f, Recorder& recorder) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    static_cast<void>(f(traced_accessor<Parameters>(recorder, I)...));
  }
  (std::make_integer_sequence<int, sizeof...(Parameters)>{});
}

template <class F>
GOBAN_FUNCTION SweepRole role_of() {
  if constexpr (requires { F::role; }) return F::role;
  return SweepRole::whole;
}

}  // namespace detail

/// What the object f reads, writes and computes, over all paths through its branches. Errors are
/// told in the result's `error`.
template <class... Parameters, class F>
constexpr StaticFootprint trace(const F& f, detail::Recorder recorder = {}) {
  detail::check_callable<F, Parameters...>();
  recorder.set_role(detail::role_of<F>());
  if constexpr (CallableWith<F, Parameters...>) {
    (recorder.describe(DescriptionOf<Parameters>::value), ...);
    recorder.explore([&] { detail::call_traced<Parameters...>(f, recorder); });
  }
  return recorder.footprint();
}

}  // namespace goban
