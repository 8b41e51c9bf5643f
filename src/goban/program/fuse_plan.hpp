#pragma once
// Makes one functor of those of a fuse: what its parameters are, who hands what to whom.

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "goban/program/fuse.hpp"
#include "goban/program/fuse_uses.hpp"
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

/// Only constant conditions count.
ConstantGhosts ghosts_of(const FieldRecord& field);

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
    FuseUses<argument_count, (PartOf<Stage>::uses(0).size() + ...)> all;
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
    static_assert(stage_count >= 2, "goban: fuse takes two stages or more; for one use apply");
    static_assert(uses.are_of_their_kind(),
                  "goban: stages of a fuse take fields as in(f), out(f), inout(f), site and "
                  "parameters as they are");
    static_assert(uses.name_all_fields(), "goban: no stage of the fuse uses one of its fields");
    static_assert(uses.write_once(),
                  "goban: a field is written by two stages of a fuse; give each its own");
    static_assert(uses.make_intermediates(),
                  "goban: no stage of the fuse writes an Intermediate, as out");
    static_assert(uses.read_what_is_written_before(),
                  "goban: a stage of a fuse reads a field that it or a later stage writes; use a "
                  "second field and swap, or put the stage that writes first");
    static_assert(uses.update_alone(),
                  "goban: a stage of a fuse updates a field that another stage uses, or hands on "
                  "what it makes of one; use a second field and swap");
    static_assert(uses.store_something(), "goban: no stage of the fuse writes a field");
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
      : stages_(stages), names_(names), places_{place_of(arguments)...} {
    check_footprints(stages_in_order);
  }

  Functor functor() const {
    Functor made = functor(stages_in_order);
    for (std::size_t a = 0; a < argument_count; ++a) {
      const int walls = Functor::walls(static_cast<int>(a));
      if (walls >= 0) made.ghosts[static_cast<std::size_t>(walls)] = ghosts_of(*places_[a].field);
    }
    return made;
  }

  std::string name() const {
    std::string all = names_[0];
    for (std::size_t s = 1; s < stage_count; ++s) all += " + " + names_[s];
    return all;
  }

  std::vector<StageArgument> arguments() const {
    std::vector<StageArgument> all;
    for (std::size_t a = 0; a < argument_count; ++a) {
      if (uses.kind[a] == FuseArgumentKind::intermediate) continue;
      all.push_back(places_[a]);
      all.back().access = uses.access(static_cast<int>(a));
    }
    return all;
  }

  std::vector<Handover> handovers() const {
    std::vector<Handover> all;
    int position = 0, stage = 0;
    for (const FuseUse& use : uses.use) {
      if (use.stage != stage) position = 0;
      stage = use.stage;
      if (use.access == Access::in && uses.writer(use.argument) >= 0) {
        all.push_back(handover(use, position));
      }
      ++position;
    }
    return all;
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
  const FieldRecord& field(const FuseUse& use) const {
    return *places_[static_cast<std::size_t>(use.argument)].field;
  }

  template <std::size_t... S>
  void check_footprints(std::index_sequence<S...>) {
    ((footprints_[S] = PartOf<Stage>::footprint(std::get<S>(stages_).functor)), ...);
    (goban::check(footprints_[S], names_[S], arguments_of(static_cast<int>(S))), ...);
  }
  std::vector<std::string> arguments_of(int stage) const {
    std::vector<std::string> all;
    for (const FuseUse& use : uses.use) {
      if (use.stage == stage) all.push_back(places_[static_cast<std::size_t>(use.argument)].name());
    }
    return all;
  }
  template <std::size_t... S>
  Functor functor(std::index_sequence<S...>) const {
    return {chain_of(typename PartOf<Stage>::Type{std::get<S>(stages_).functor,
                                                  site_offset(static_cast<int>(S))}...)};
  }

  /// As in a sweep of the functor alone: where the last field lies that it writes.
  Real3 site_offset(int stage) const {
    Real3 offset{0.5, 0.5, 0.5};
    for (const FuseUse& use : uses.use) {
      if (use.stage != stage || use.access == Access::in) continue;
      for (int a = 0; a < 3; ++a) offset[a] = is_staggered(field(use).location, a) ? 0.0 : 0.5;
    }
    return offset;
  }

  /// `read`: what a stage reads as its parameter `position`.
  Handover handover(const FuseUse& read, int position) const {
    const auto stage = static_cast<std::size_t>(read.stage);
    Handover made;
    made.reader = names_[stage];
    made.field = places_[static_cast<std::size_t>(read.argument)].field;
    made.grid = places_[static_cast<std::size_t>(read.argument)].grid;
    if (Functor::walls(read.argument) >= 0) made.walls = made.field->boundary.front();
    made.is_stored = uses.kind[static_cast<std::size_t>(read.argument)] == FuseArgumentKind::field;
    for (int a = 0; a < 3; ++a) {
      const auto axis = static_cast<Axis>(a);
      made.beside[a] = footprints_[stage].reach(position, axis, Side::low) > 0 ||
                       footprints_[stage].reach(position, axis, Side::high) > 0;
      bool has_end_face = false;
      for (const FuseUse& use : uses.use) {
        const bool is_written = use.stage == read.stage && use.access != Access::in;
        if (is_written && is_staggered(field(use).location, a)) has_end_face = true;
      }
      made.beyond_ends[a] =
          made.beside[a] || (has_end_face && !is_staggered(made.field->location, a));
    }
    return made;
  }

  const std::tuple<Stage...>& stages_;
  std::array<std::string, stage_count> names_;
  std::array<StageArgument, argument_count> places_;
  std::array<Footprint, stage_count> footprints_;
};

}  // namespace goban::detail
