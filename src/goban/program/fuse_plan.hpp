#pragma once
// Makes one functor of those of a fuse: what its parameters are, who hands what to whom.

#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "goban/program/fuse.hpp"
#include "goban/program/fuse_list.hpp"
#include "goban/stencil/graph/trace.hpp"

namespace goban::detail {

/// What an argument of a fuse is to all functors together, and what to one that uses it so.
template <class Argument, Access A>
struct FuseParameterOf {
  static constexpr auto kind = FuseArgumentKind::other;
  using Type = typename Argument::Description;
  using Own = Type;
};
template <class T, int C, class L, Access A>
struct FuseParameterOf<Field<T, C, L>, A> {
  static constexpr auto kind = FuseArgumentKind::field;
  using Type = FieldParameter<A, T, C>;
  using Own = Type;
};
template <class T, int C, Access A>
struct FuseParameterOf<Intermediate<T, C>, A> {
  static constexpr auto kind = FuseArgumentKind::intermediate;
  using Type = IntermediateParameter<T, C>;
  using Own = FieldParameter<A, T, C>;
};

template <class AnyField, Access A>
struct FuseParameterOf<WalledField<AnyField>, A> : FuseParameterOf<AnyField, A> {
  using Type = WalledParameter<typename FuseParameterOf<AnyField, A>::Type>;
};

template <class Argument>
inline constexpr bool is_walled_field = false;
template <class AnyField>
inline constexpr bool is_walled_field<WalledField<AnyField>> = true;
/// Whether a cell lies beyond the ends is known from its index.
template <class... Argument>
inline constexpr bool fuse_needs_site = (is_walled_field<Argument> || ...) &&
                                        !(std::is_same_v<Argument, SiteArgument> || ...);

/// How a functor uses an argument.
template <class Used>
struct UseOf {
  static_assert(!sizeof(Used),
                "goban: stages of a fuse take its arguments under their names in the list; pass "
                "fields, site and parameters to fuse itself");
  using Type = Use<Access::in, 0>;
  static constexpr bool as_field = true;
};
template <int Position>
struct UseOf<FuseArgument<Position>> {
  using Type = Use<Access::in, Position>;
  static constexpr bool as_field = false;
};
template <Access A, int Position>
struct UseOf<FuseFieldArgument<A, Position>> {
  using Type = Use<A, Position>;
  static constexpr bool as_field = true;
};

/// A functor among those of the arguments.
template <class Stage, class Arguments>
struct FusePartOf;
template <class F, class... Used, class... Argument>
struct FusePartOf<FuseStage<F, Used...>, std::tuple<Argument...>> {
  using Type = FusedPart<F, typename UseOf<Used>::Type...>;

  static constexpr std::array<FuseUse, sizeof...(Used)> uses(int stage) {
    return {FuseUse{stage, UseOf<Used>::Type::parameter, UseOf<Used>::Type::access,
                    UseOf<Used>::as_field}...};
  }
  template <class U>
  using Own = typename FuseParameterOf<std::tuple_element_t<U::parameter, std::tuple<Argument...>>,
                                       U::access>::Own;
  static constexpr bool is_callable = CallableWith<F, Own<typename UseOf<Used>::Type>...>;
  static constexpr bool is_callable_if_const =
      CallableIfConst<F, Own<typename UseOf<Used>::Type>...>;
  static Footprint footprint(const F& functor) {
    return Footprint(trace<Own<typename UseOf<Used>::Type>...>(functor));
  }
};

template <class Argument>
inline constexpr bool is_fuse_argument = ProgramArgument<Argument>;
template <Access A, class T, int C, class L>
inline constexpr bool is_fuse_argument<FieldArgument<A, T, C, L>> = false;
template <class T, int C, class L>
inline constexpr bool is_fuse_argument<Field<T, C, L>> = true;
template <class T, int C>
inline constexpr bool is_fuse_argument<Intermediate<T, C>> = true;
template <class AnyField>
inline constexpr bool is_fuse_argument<WalledField<AnyField>> = true;

template <class Arguments, class Stages>
class FusePlan;

/// Argument: Field, Intermediate, SiteArgument, ParameterArgument. Stage: FuseStage.
template <class... Argument, class... Stage>
class FusePlan<std::tuple<Argument...>, std::tuple<Stage...>> {
  static constexpr std::size_t argument_count = sizeof...(Argument), stage_count = sizeof...(Stage);
  template <class S>
  using PartOf = FusePartOf<S, std::tuple<Argument...>>;
  static constexpr std::make_index_sequence<argument_count> arguments_in_order{};
  static constexpr std::make_index_sequence<stage_count> stages_in_order{};

 public:
  static constexpr auto uses = [] {
    FuseUses<std::array<FuseArgumentKind, argument_count>,
             std::array<FuseUse, (PartOf<Stage>::uses(0).size() + ...)>>
        all;
    all.kind = {FuseParameterOf<Argument, Access::in>::kind...};
    std::size_t n = 0;
    int stage = 0;
    const auto append = [&](const auto& some) {
      for (const FuseUse& use : some) all.use[n++] = use;
    };
    (append(PartOf<Stage>::uses(stage++)), ...);
    return all;
  }();

  /// What the list of stages must not say.
  static constexpr void check() {
    static_assert(stage_count >= 2, "goban: " GOBAN_FUSE_RULE_OF_COUNT);
#define GOBAN_ASSERT_RULE(is_kept, message) static_assert(uses.is_kept(), "goban: " message);
    GOBAN_FUSE_RULES(GOBAN_ASSERT_RULE)
#undef GOBAN_ASSERT_RULE
    static_assert(!(PartOf<Stage>::is_callable_if_const || ...),
                  "goban: the functor's operator() must be const: void operator()(...) const");
    static_assert(((PartOf<Stage>::is_callable || PartOf<Stage>::is_callable_if_const) && ...),
                  "goban: the functor's parameters do not match the arguments of its stage");
  }

 private:
  template <std::size_t I>
  using ArgumentAt = std::tuple_element_t<I, std::tuple<Argument...>>;
  template <std::size_t I>
  using ParameterAt = typename FuseParameterOf<ArgumentAt<I>, uses.access(I)>::Type;
  template <std::size_t I>
  using OutsideAt = std::conditional_t<is_intermediate<Unwalled<ParameterAt<I>>>, std::tuple<>,
                                       std::tuple<Unwalled<ParameterAt<I>>>>;
  template <std::size_t... I>
  static std::tuple<ParameterAt<I>...> parameters(std::index_sequence<I...>);
  template <std::size_t... I>
  static decltype(std::tuple_cat(OutsideAt<I>()...)) outside(std::index_sequence<I...>);

 public:
  using Layout = CommonLayout<typename Argument::LayoutType...>;
  using Functor = Fused<decltype(parameters(arguments_in_order)), typename PartOf<Stage>::Type...>;
  /// std::tuple of the functor's parameters.
  using Parameters = decltype(outside(arguments_in_order));

  /// Names: of the functors. Errors: see goban::check of footprints.
  FusePlan(const std::tuple<Stage...>& stages, const std::array<std::string, stage_count>& names,
           const Argument&... arguments)
      : stages_(stages),
        list_{{{uses.kind.begin(), uses.kind.end()}, {uses.use.begin(), uses.use.end()}},
              {place_of(arguments)...},
              {is_walled_field<Argument>...},
              {names.begin(), names.end()},
              footprints(stages_in_order)} {
    list_.check_footprints();
  }

  const FuseList& list() const { return list_; }

  Functor functor() const {
    Functor made = functor(stages_in_order);
    for (std::size_t a = 0; a < argument_count; ++a) {
      const int walls = Functor::walls(static_cast<int>(a));
      if (walls >= 0) {
        made.ghosts[static_cast<std::size_t>(walls)] = ghosts_of(*list_.arguments[a].field);
      }
    }
    return made;
  }

 private:
  template <class T, int C, class L>
  static StageArgument place_of(const Field<T, C, L>& field) {
    return in(field).argument();
  }
  template <class T, int C>
  static StageArgument place_of(const Intermediate<T, C>& field) {
    return {StageArgument::Kind::field, Access::in, field.record(), field.grid(), nullptr};
  }
  template <class AnyField>
  static StageArgument place_of(const WalledField<AnyField>& walled) {
    return place_of(walled.field);
  }
  template <class Other>
  static StageArgument place_of(const Other& other) {
    return other.argument();
  }

  template <std::size_t... S>
  std::vector<Footprint> footprints(std::index_sequence<S...>) const {
    return {PartOf<Stage>::footprint(std::get<S>(stages_).functor)...};
  }
  template <std::size_t... S>
  Functor functor(std::index_sequence<S...>) const {
    return {chain_of(typename PartOf<Stage>::Type{std::get<S>(stages_).functor,
                                                  list_.site_offset(static_cast<int>(S))}...)};
  }

  const std::tuple<Stage...>& stages_;
  FuseList list_;
};

}  // namespace goban::detail
