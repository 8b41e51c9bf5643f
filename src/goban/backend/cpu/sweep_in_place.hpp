#pragma once
// The CPU kernel of a functor that writes a field where it reads it, see program/in_place.hpp: rows
// are written while they are read, every pack after the next one has been evaluated.

#include <tuple>
#include <utility>

#include "goban/backend/cpu/cursor.hpp"

namespace goban::cpu {

/// Only streams are fetched ahead.
template <class Shape>
struct InPlaceShape : Shape {
  static constexpr InputShape input(int position) {
    const InputShape shape = Shape::reads_of(position);
    return shape.fetch == Fetch::streams ? shape : InputShape{};
  }
};

/// Packs of a row, N cells each. Of two evaluated one after the other each has slots of its own.
template <class F, int N, Axis Unit, class Shape, class Parameters, class Sequence>
class RowPacks;

template <class F, int N, Axis Unit, class Shape, class... P, std::size_t... A>
class RowPacks<F, N, Unit, Shape, std::tuple<P...>, std::index_sequence<A...>> {
  template <class Parameter, std::size_t Position>
  using CursorOf = Cursor<Parameter, N, 1, Unit, Shape, static_cast<int>(Position)>;

 public:
  explicit RowPacks(const SweepCall& call)
      : functor_(*static_cast<const F*>(call.functor)), cursors_(CursorOf<P, A>(call, A)...) {}
  GOBAN_INLINE void start(const RowPosition& row) { (std::get<A>(cursors_).start(row), ...); }
  GOBAN_INLINE void evaluate(Index i, int slots) {
    auto& mine = slots_[slots];
    functor_(std::get<A>(cursors_).template accessor<0>(i, std::get<A>(mine))...);
  }
  template <Store How>
  GOBAN_INLINE void store(Index i, int slots) const {
    const auto& mine = slots_[slots];
    (std::get<A>(cursors_).template store<0, How>(i, std::get<A>(mine)), ...);
  }
  /// The part of the box whose packs are stored whole.
  static Box whole(const SweepCall& call) {
    Box box = call.box;
    (CursorOf<P, A>::limit(call, A, box), ...);
    return box;
  }

 private:
  F functor_;
  std::tuple<CursorOf<P, A>...> cursors_;
  std::tuple<typename CursorOf<P, A>::Slots...> slots_[2];
};

/// Packs of N cells where they are stored whole, single cells elsewhere: whole packs at the ends of
/// rows would read what other threads write.
template <class F, int N, Axis Unit, class Shape, class... P>
class InPlaceKernel {
  static constexpr auto order = order_of(Unit);
  template <int Width>
  using Packs = RowPacks<F, Width, Unit, InPlaceShape<Shape>, std::tuple<P...>,
                         std::index_sequence_for<P...>>;

 public:
  [[gnu::flatten]] static void run(const SweepCall& call) {
    const Box whole = Packs<N>::whole(call);
    Packs<N> packs(call);
    Packs<1> cells(call);
    RowPosition row{0, 0, call.box.lower[order[0]], call.box.upper[order[0]]};
    for (row.slow = call.box.lower[order[2]]; row.slow < call.box.upper[order[2]]; ++row.slow) {
      for (row.middle = call.box.lower[order[1]]; row.middle < call.box.upper[order[1]];
           ++row.middle) {
        packs.start(row);
        cells.start(row);
        const bool has_packs =
            N > 1 && contains(whole, order[1], row.middle) && contains(whole, order[2], row.slow);
        const Index low = has_packs ? whole.lower[order[0]] : row.high,
                    high = has_packs ? whole.upper[order[0]] : row.high;
        int slots = 0, waiting = 0;  // cells of the pack that is not yet stored
        Index at = 0;
        const auto store = [&] {
          if (waiting == 1) return cells.template store<Store::some>(at, slots);
          if (waiting == 0) return;
          if (call.streaming) {
            packs.template store<Store::streaming>(at, slots);
          } else {
            packs.template store<Store::cached>(at, slots);
          }
        };
        for (Index i = row.low; i < row.high; i += waiting) {
          const bool is_pack = i % N == 0 && i >= low && i + N <= high;
          if (is_pack) {
            packs.evaluate(i, 1 - slots);
          } else {
            cells.evaluate(i, 1 - slots);
          }
          store();
          slots = 1 - slots;
          waiting = is_pack ? N : 1;
          at = i;
        }
        store();
      }
    }
    if (call.streaming) store_fence();
  }

 private:
  static bool contains(const Box& box, int axis, Index at) {
    return at >= box.lower[axis] && at < box.upper[axis];
  }
};

}  // namespace goban::cpu
