#pragma once
// Functors that sweep columns: forward() is called level by level with rising index, backward()
// then with falling index; one of them may be missing. Both get the accessors of all arguments.
// Every output is assigned by one of the two; what one hands to the other, and a level to the next,
// is scratch (scratch.hpp).
//
//   struct Thomas {  // a x_{k-1} + b x_k + c x_{k+1} = d
//     GOBAN_FUNCTION void forward(auto a, auto b, auto c, auto d, auto x, auto s) const {
//       const auto m = 1 / (b() - a() * s[0].before());
//       s[0] = c() * m;
//       s[1] = (d() - a() * s[1].before()) * m;
//     }
//     GOBAN_FUNCTION void backward(auto a, auto b, auto c, auto d, auto x, auto s) const {
//       const auto solution = s[1]() - s[0]() * s[1].before();
//       s[1] = solution;
//       x = solution;
//     }
//   };

#include "goban/stencil/graph/graph_recorder.hpp"
#include "goban/stencil/graph/recorded_sweep.hpp"

namespace goban {

template <class F, class... Parameters>
concept SweepsForward = requires(const F& f, TracedAccessor<Parameters>... a) {
  f.forward(a...);
};
template <class F, class... Parameters>
concept SweepsBackward = requires(const F& f, TracedAccessor<Parameters>... a) {
  f.backward(a...);
};

/// A functor that is one sweep of a column functor.
template <class F>
struct ForwardSweep {
  static constexpr auto role = detail::SweepRole::first_of_column;
  F functor{};
  GOBAN_FUNCTION void operator()(auto... a) const requires requires(const F& f) { f.forward(a...); }
  { functor.forward(a...); }
};
template <class F, bool IsFirst>
struct BackwardSweep {
  static constexpr auto role =
      IsFirst ? detail::SweepRole::first_of_column : detail::SweepRole::second_of_column;
  F functor{};
  GOBAN_FUNCTION void operator()(auto... a) const requires requires(const F& f) {
    f.backward(a...);
  }
  { functor.backward(a...); }
};
namespace detail {

template <class P>
inline constexpr bool lies_in_place = false;
template <Access A, class T, int C>
inline constexpr bool lies_in_place<FieldParameter<A, InPlace<T>, C>> = true;

template <class F, class... Parameters>
constexpr void check_columns() {
  static_assert(SweepsForward<F, Parameters...> || SweepsBackward<F, Parameters...>,
                "goban: a functor of columns has forward(...) const or backward(...) const, or "
                "both, with a parameter for each argument of columns");
  static_assert((0 + ... + (is_scratch<Parameters> ? 1 : 0)) <= 1,
                "goban: scratch is passed once, scratch<T, 2> keeps two numbers a level");
  static_assert(!(lies_in_place<Parameters> || ...),
                "goban: columns cannot work on fields that lie in place");
}

}  // namespace detail

/// What is swept backward by a functor with these parameters.
template <class F, class... Parameters>
using BackwardSweepOf = BackwardSweep<F, !SweepsForward<F, Parameters...>>;

/// What an object does with columns; `whole` is what both sweeps read, write and compute together.
struct RecordedColumns {
  RecordedSweep forward, backward;
  Footprint whole;
};

/// Puts both sweeps together: every output is assigned by one of them.
Footprint together(const Footprint& forward, const Footprint& backward);

template <class... Parameters, class F>
RecordedColumns record_columns(const F& f) {
  RecordedColumns columns;
  // Constants and values of both have the same numbers, as a kernel computes both.
  detail::GraphRecorder recorder;
  const auto record = [&](const detail::Recordable& sweep) -> RecordedSweep {
    recorder.graph.forget_paths();
    const Footprint footprint(detail::record_paths(recorder, sweep));
    return {footprint, std::make_shared<const Graph>(recorder.graph)};
  };
  if constexpr (SweepsForward<F, Parameters...>) {
    const ForwardSweep<F> sweep{f};
    columns.forward = record(detail::recordable<Parameters...>(sweep));
  }
  if constexpr (SweepsBackward<F, Parameters...>) {
    const BackwardSweepOf<F, Parameters...> sweep{f};
    columns.backward = record(detail::recordable<Parameters...>(sweep));
  }
  columns.whole = together(columns.forward.footprint, columns.backward.footprint);
  return columns;
}

}  // namespace goban
