#pragma once
// The parts of a fused functor, evaluated at and around one cell: their accessors are shifted to
// where they are evaluated, and what one reads of another is evaluated there.

#include <type_traits>
#include <utility>

#include "goban/stencil/chain.hpp"
#include "goban/stencil/constant_ghosts.hpp"
#include "goban/stencil/graph/trace.hpp"

namespace goban {

/// Components values of storage type T a cell that functors hand on without memory.
template <class T, int Components = 1>
struct IntermediateParameter {
  using Storage = T;
  static constexpr int components = Components;
};

template <class P>
inline constexpr bool is_intermediate = false;
template <class T, int Components>
inline constexpr bool is_intermediate<IntermediateParameter<T, Components>> = true;

/// What a functor does with one of the parameters of all, told by its position among them.
template <Access A, int Parameter>
struct Use {
  static constexpr Access access = A;
  static constexpr int parameter = Parameter;
};

/// One of the functors and what its parameters stand for.
template <class F, class... Uses>
struct FusedPart {
  using Functor = F;
  F functor;
  Real3 site_offset{};  ///< see SiteInfo::offset: where the values lie that it writes

  /// Position among the functor's parameters of the one that writes; -1: none.
  static constexpr int writing(int parameter) {
    int found = -1, position = 0;
    ((found = Uses::access != Access::in && Uses::parameter == parameter ? position : found,
      ++position),
     ...);
    return found;
  }
};

namespace detail {

/// A value like Value with elements of type T.
template <class Value, class T>
struct ValueLike;
template <class From, bool Varying, class T>
struct ValueLike<Traced<From, Varying>, T> {
  using Type = Traced<T>;
};

/// The kind of value that functors compute with.
template <class Accessor, class... More>
struct ValueOfAccessors : ValueOfAccessors<More...> {};
template <FieldAccessor Accessor, class... More>
struct ValueOfAccessors<Accessor, More...> {
  using Type = typename Accessor::Value;
};

GOBAN_FUNCTION TracedSite moved(const TracedSite& site, Displacement by, const Real3& offset) {
  return {site.recorder,
          {site.moved[0] + by.x, site.moved[1] + by.y, site.moved[2] + by.z},
          true,
          offset};
}

/// Takes the results of one cell, which are not stored.
template <class S, int C, class V>
struct Keeper : FieldAccessorBase {
  using Value = V;
  static constexpr int components = C;

  Value* slots;

  GOBAN_ACCESSOR_FUNCTION explicit Keeper(Value* slots_) : slots(slots_) {}
  Keeper(const Keeper&) = default;

  template <class X>
  GOBAN_ACCESSOR_FUNCTION void operator=(X x) const {
    GOBAN_CHECK_ASSIGNED(X, is_traced<X>);
    GOBAN_CHECK_ONE_COMPONENT_WRITTEN(C);
    if constexpr (is_traced<X> || Scalar<X>) *slots = convert<ArithmeticOf<S>>(x);
  }
  GOBAN_FUNCTION void operator=(const Keeper&) const { GOBAN_CHECK_ASSIGNED(Keeper, false); }

  GOBAN_ACCESSOR_FUNCTION Keeper<S, 1, V> operator[](int c) const {
    return Keeper<S, 1, V>(slots + c);
  }
};

/// Reads what a functor of an evaluation makes of parameter I, at any cell.
template <class Evaluation, int I, int C>
struct Recomputed : FieldAccessorBase {
  using Value = typename Evaluation::template ValueOf<I>;
  static constexpr int components = C;

  const Evaluation* evaluation;
  Displacement at;
  int component;

  GOBAN_ACCESSOR_FUNCTION Recomputed(const Evaluation* evaluation_, Displacement at_,
                                     int component_ = 0)
      : evaluation(evaluation_), at(at_), component(component_) {}
  Recomputed(const Recomputed&) = default;

  GOBAN_ACCESSOR_FUNCTION Value operator()(int i = 0, int j = 0, int k = 0) const {
    GOBAN_CHECK_ONE_COMPONENT_READ(C);
    return evaluation->template value<I>({at.x + i, at.y + j, at.z + k}, component);
  }
  GOBAN_ACCESSOR_FUNCTION Recomputed<Evaluation, I, 1> operator[](int c) const {
    return {evaluation, at, component + c};
  }
  GOBAN_ACCESSOR_FUNCTION Recomputed shift(Axis a, int n) const {
    return {evaluation,
            {at.x + (a == Axis::x ? n : 0), at.y + (a == Axis::y ? n : 0),
             at.z + (a == Axis::z ? n : 0)},
            component};
  }
  template <Axis A>
  GOBAN_ACCESSOR_FUNCTION Recomputed shift(int n) const {
    return shift(A, n);
  }

  template <class X>
  GOBAN_FUNCTION void operator=(const X&) const {
    GOBAN_CHECK_NOT_WRITTEN(X);
  }
  GOBAN_FUNCTION void operator=(const Recomputed&) const { GOBAN_CHECK_NOT_WRITTEN(Recomputed); }
};

/// Which evaluations have been traced: the compiler makes those that are alike only once.
class TracedEvaluations {
 public:
  /// Whether it is the first of this part and place; beyond the capacity all are.
  GOBAN_FUNCTION bool add(int part, Displacement at) {
    for (int n = 0; n < count_; ++n) {
      if (parts_[n] == part && at_[n].x == at.x && at_[n].y == at.y && at_[n].z == at.z) {
        return false;
      }
    }
    if (count_ < capacity) {
      parts_[count_] = part;
      at_[count_++] = at;
    }
    return true;
  }

 private:
  static constexpr int capacity = 256;
  int count_ = 0;
  int parts_[capacity] = {};
  Displacement at_[capacity] = {};
};
struct UntracedEvaluations {};

/// The parts of a fused functor, evaluated at and around one cell.
template <class Functor, class... Accessors>
class Evaluation {
  using Sample = typename ValueOfAccessors<Accessors...>::Type;
  template <int I>
  using ParameterAt = typename Functor::template ParameterAt<I>;
  template <int I>
  using StorageOf = ElementOf<typename ParameterAt<I>::Storage>;

 public:
  static constexpr bool traces = is_traced<Sample>;
  using Record = std::conditional_t<traces, TracedEvaluations, UntracedEvaluations>;
  template <int I>
  using ValueOf = typename ValueLike<Sample, ArithmeticOf<StorageOf<I>>>::Type;

  GOBAN_ACCESSOR_FUNCTION Evaluation(const Functor& functor, Record& record,
                                     const Accessors&... accessors)
      : functor_(&functor), record_(&record), accessors_(chain_of(accessors...)) {}

  /// Evaluates a part at the cell itself; what is stored goes to the accessors.
  template <int Part>
  GOBAN_ACCESSOR_FUNCTION void store() const {
    if constexpr (traces) record_->add(Part, {});
    const auto& part = link<Part>(functor_->parts);
    auto slots = slots_of(part);
    call<true>(part, slots, {});
  }

  /// A component of what a part writes to parameter I, as it comes back from memory.
  template <int I>
  GOBAN_ACCESSOR_FUNCTION ValueOf<I> value(Displacement at, int component) const {
    constexpr int writer = Functor::writer(I);
    const auto& part = link<writer>(functor_->parts);
    auto slots = slots_of(part);
    constexpr int written = std::remove_cvref_t<decltype(part)>::writing(I);
    if constexpr (traces) {
      Recorder& recorder = *recorder_of(link<0>(accessors_));
      const bool is_first = record_->add(writer, at);
      if (!is_first && !recorder.makes_graph()) return ValueOf<I>(&recorder);
      if (!is_first) recorder.mute(true);
      call<false>(part, slots, at);
      if (!is_first) recorder.mute(false);
      if (!recorder.makes_graph()) return ValueOf<I>(&recorder);
    } else {
      call<false>(part, slots, at);
    }
    const auto made = as_stored<StorageOf<I>>(link<written>(slots).value[component]);
    if constexpr (Functor::walls(I) >= 0) {
      return with_ghosts(made, functor_->ghosts[Functor::walls(I)], accessor<Functor::site()>(),
                         at);
    } else {
      return made;
    }
  }

 private:
  /// What an accessor that a part is called with leads to.
  template <class U>
  struct Slot {};
  template <class U>
  requires(U::access != Access::in) struct Slot<U> {
    ValueOf<U::parameter> value[ParameterAt<U::parameter>::components];
  };
  template <class F, class... Uses>
  GOBAN_ACCESSOR_FUNCTION static Chain<Slot<Uses>...> slots_of(const FusedPart<F, Uses...>&) {
    return {};
  }

  template <bool Stores, class F, class... Uses>
  GOBAN_ACCESSOR_FUNCTION void call(const FusedPart<F, Uses...>& part, Chain<Slot<Uses>...>& slots,
                                    Displacement at) const {
    call<Stores>(part, slots, at, std::make_integer_sequence<int, sizeof...(Uses)>{});
  }
  template <bool Stores, class F, class... Uses, int... N>
  GOBAN_ACCESSOR_FUNCTION void call(const FusedPart<F, Uses...>& part, Chain<Slot<Uses>...>& slots,
                                    Displacement at, std::integer_sequence<int, N...>) const {
    part.functor(argument<Uses, Stores>(link<N>(slots), at, part.site_offset)...);
  }

  template <class U, bool Stores>
  GOBAN_ACCESSOR_FUNCTION auto argument([[maybe_unused]] Slot<U>& slot, Displacement at,
                                        const Real3& site_offset) const {
    constexpr int I = U::parameter;
    using P = ParameterAt<I>;
    if constexpr (std::same_as<P, SiteParameter>) {
      return moved(accessor<I>(), at, site_offset);
    } else if constexpr (!is_intermediate<P> && !is_field_parameter<P>) {
      return accessor<I>();
    } else if constexpr (U::access != Access::in) {
      if constexpr (Stores && !is_intermediate<P>) {
        return accessor<I>();
      } else {
        return Keeper<StorageOf<I>, P::components, ValueOf<I>>(slot.value);
      }
    } else if constexpr (Functor::writer(I) >= 0) {
      return Recomputed<Evaluation, I, P::components>(this, at);
    } else {
      return accessor<I>().shift(Axis::x, at.x).shift(Axis::y, at.y).shift(Axis::z, at.z);
    }
  }

  template <int I>
  GOBAN_ACCESSOR_FUNCTION const auto& accessor() const {
    return link<Functor::position(I)>(accessors_);
  }

  const Functor* functor_;
  Record* record_;
  Chain<Accessors...> accessors_;
};

}  // namespace detail

}  // namespace goban
