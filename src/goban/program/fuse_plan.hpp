#pragma once
// Records the functors of a fuse one by one, each with what its stage says, and has one made of
// their graphs.

#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "goban/program/fuse.hpp"
#include "goban/program/fuse_graphs.hpp"
#include "goban/stencil/graph/graph_recorder.hpp"

namespace goban::detail {

/// What an argument of a fuse is, and what it is to a functor that uses it so.
template <class Argument>
struct FuseArgumentTraits {
  static constexpr auto kind = FuseArgumentKind::other;
  static constexpr bool is_walled = false;
  template <Access A>
  using Parameter = typename Argument::Description;
};
template <class T, int C>
struct FuseFieldTraits {
  static constexpr bool is_walled = false;
  template <Access A>
  using Parameter = FieldParameter<A, T, C>;
};
template <class T, int C, class L>
struct FuseArgumentTraits<Field<T, C, L>> : FuseFieldTraits<T, C> {
  static constexpr auto kind = FuseArgumentKind::field;
};
template <class T, int C>
struct FuseArgumentTraits<Intermediate<T, C>> : FuseFieldTraits<T, C> {
  static constexpr auto kind = FuseArgumentKind::intermediate;
};
template <class AnyField>
struct FuseArgumentTraits<WalledField<AnyField>> : FuseArgumentTraits<AnyField> {
  static constexpr bool is_walled = true;
};

template <class Argument>
StageArgument fuse_argument(const Argument& argument) {
  using Traits = FuseArgumentTraits<Argument>;
  if constexpr (Traits::is_walled) {
    return fuse_argument(argument.field);
  } else if constexpr (Traits::kind == FuseArgumentKind::other) {
    return argument.argument();
  } else {
    return {StageArgument::Kind::field, Access::in, argument.record(), argument.grid(), nullptr};
  }
}

/// How a functor uses an argument.
template <class Used>
inline constexpr FuseUse use_of = [] {
  static_assert(!sizeof(Used),
                "goban: stages of a fuse take its arguments under their names in the list; pass "
                "fields, site and parameters to fuse itself");
  return FuseUse{};
}();
template <int Position>
inline constexpr FuseUse use_of<FuseArgument<Position>>{.argument = Position};
template <Access A, int Position>
inline constexpr FuseUse use_of<FuseFieldArgument<A, Position>>{
    .argument = Position, .access = A, .as_field = true};

/// A functor that is given some of the arguments.
template <class Stage, class Arguments>
struct FuseStageTraits;
template <class F, class... Used, class... Argument>
struct FuseStageTraits<FuseStage<F, Used...>, std::tuple<Argument...>> {
  static constexpr std::array<FuseUse, sizeof...(Used)> uses{use_of<Used>...};

  template <class U>
  using ParameterOf = typename FuseArgumentTraits<std::tuple_element_t<
      use_of<U>.argument, std::tuple<Argument...>>>::template Parameter<use_of<U>.access>;
  static constexpr bool is_callable = CallableWith<F, ParameterOf<Used>...>;
  static constexpr bool is_callable_if_const = CallableIfConst<F, ParameterOf<Used>...>;
  static RecordedFunctor record(const F& functor) {
    return goban::record<ParameterOf<Used>...>(functor);
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
struct FusePlan;

/// Argument: Field, Intermediate, WalledField, SiteArgument, ParameterArgument. Part: FuseStage.
template <class... Argument, class... Part>
struct FusePlan<std::tuple<Argument...>, std::tuple<Part...>> {
  template <class P>
  using TraitsOf = FuseStageTraits<P, std::tuple<Argument...>>;
  using Layout = CommonLayout<typename Argument::LayoutType...>;

  static constexpr auto uses = [] {
    FuseUses<std::array<FuseArgumentKind, sizeof...(Argument)>,
             std::array<FuseUse, (TraitsOf<Part>::uses.size() + ...)>>
        all;
    all.kind = {FuseArgumentTraits<Argument>::kind...};
    std::size_t n = 0;
    int stage = 0;
    const auto append = [&](const auto& some) {
      for (FuseUse use : some) {
        use.stage = stage;
        all.use[n++] = use;
      }
      ++stage;
    };
    (append(TraitsOf<Part>::uses), ...);
    return all;
  }();

  /// What the list of stages must not say.
  static constexpr void check() {
    static_assert(sizeof...(Part) >= 2, "goban: " GOBAN_FUSE_RULE_OF_COUNT);
#define GOBAN_ASSERT_RULE(is_kept, message) static_assert(uses.is_kept(), "goban: " message);
    GOBAN_FUSE_RULES(GOBAN_ASSERT_RULE)
#undef GOBAN_ASSERT_RULE
    static_assert(!(TraitsOf<Part>::is_callable_if_const || ...),
                  "goban: the functor's operator() must be const: void operator()(...) const");
    static_assert(((TraitsOf<Part>::is_callable || TraitsOf<Part>::is_callable_if_const) && ...),
                  "goban: the functor's parameters do not match the arguments of its stage");
  }

  /// `names` are those of the functors. Errors: see fuse_graphs.
  static std::shared_ptr<Stage> stage(const std::tuple<Part...>& parts,
                                      std::vector<std::string> names,
                                      const Argument&... arguments) {
    FuseList list{{{uses.kind.begin(), uses.kind.end()}, {uses.use.begin(), uses.use.end()}},
                  {fuse_argument(arguments)...},
                  {FuseArgumentTraits<Argument>::is_walled...},
                  std::move(names),
                  {}};
    std::vector<std::shared_ptr<const Graph>> graphs;
    const auto add = [&](RecordedFunctor recorded) {
      list.footprints.emplace_back(recorded.footprint);
      graphs.push_back(std::move(recorded.graph));
    };
    std::apply([&](const auto&... part) { (add(TraitsOf<Part>::record(part.functor)), ...); },
               parts);
    return fuse_graphs(std::move(list), graphs);
  }
};

}  // namespace goban::detail
