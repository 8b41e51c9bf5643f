#pragma once
// Which functor of a fuse uses which argument how, as a constant too, and what follows from it.

#include <cstddef>

#include "goban/stencil/parameters.hpp"

namespace goban::detail {

enum class FuseArgumentKind { field, intermediate, other };

/// One use of an argument by a stage.
struct FuseUse {
  int stage = 0;
  int argument = 0;
  Access access = Access::in;
  bool as_field = false;
};

/// What the stages of a fuse must be: rule(<member of FuseUses>, <what is said where it is not>).
#define GOBAN_FUSE_RULES(rule)                                                                   \
  rule(are_of_their_kind,                                                                        \
       "stages of a fuse take fields as in(f), out(f), inout(f), site and parameters as they "   \
       "are") rule(name_all_fields, "no stage of the fuse uses one of its fields")               \
      rule(write_once, "a field is written by two stages of a fuse; give each its own")          \
          rule(make_intermediates, "no stage of the fuse writes an Intermediate, as out")        \
              rule(read_what_is_written_before,                                                  \
                   "a stage of a fuse reads a field that it or a later stage writes; use a "     \
                   "second field and "                                                           \
                   "swap, or put the stage that writes first")                                   \
                  rule(update_alone,                                                             \
                       "a stage of a fuse updates a field that another stage uses, or hands on " \
                       "what it makes of "                                                       \
                       "one; use a second field and swap")                                       \
                      rule(store_something, "no stage of the fuse writes a field")
#define GOBAN_FUSE_RULE_OF_COUNT "fuse takes two stages or more; for one use apply"

/// Kinds: of the arguments, FuseArgumentKind. Uses: FuseUse. Both are arrays or vectors.
template <class Kinds, class Uses>
struct FuseUses {
  Kinds kind{};
  Uses use{};

  /// What an argument is to all stages together.
  constexpr Access access(int argument) const {
    const FuseUse* write = writing(argument);
    return write ? write->access : Access::in;
  }
  /// The stage that writes an argument; -1: none.
  constexpr int writer(int argument) const {
    const FuseUse* write = writing(argument);
    return write ? write->stage : -1;
  }
  /// Whether one stage writes it and others read that.
  constexpr bool is_handed_on(int argument) const {
    return writer(argument) >= 0 && count([=](const FuseUse& u) {
                                      return u.argument == argument && u.access == Access::in;
                                    }) > 0;
  }

  constexpr bool are_of_their_kind() const {
    return count([&](const FuseUse& u) {
             return u.as_field == (kind_of(u.argument) == FuseArgumentKind::other);
           }) == 0;
  }
  constexpr bool name_all_fields() const {
    return all_arguments([&](int a) {
      return kind_of(a) == FuseArgumentKind::other ||
             count([=](const FuseUse& u) { return u.argument == a; }) > 0;
    });
  }
  constexpr bool write_once() const {
    return all_arguments([&](int a) {
      return count([=](const FuseUse& u) { return u.argument == a && u.access != Access::in; }) <=
             1;
    });
  }
  constexpr bool make_intermediates() const {
    return all_arguments([&](int a) {
      return kind_of(a) != FuseArgumentKind::intermediate || access(a) == Access::out;
    });
  }
  constexpr bool read_what_is_written_before() const {
    return count([&](const FuseUse& u) {
             return u.access == Access::in && writer(u.argument) >= u.stage;
           }) == 0;
  }
  /// Old values of an inout are gone where a neighbour is done.
  constexpr bool update_alone() const {
    return count([&](const FuseUse& update) {
             return update.access == Access::inout &&
                    count([&](const FuseUse& u) {
                      return &u != &update &&
                             (u.argument == update.argument ||
                              (u.stage == update.stage && u.access == Access::out &&
                               is_handed_on(u.argument)));
                    }) > 0;
           }) == 0;
  }
  constexpr bool store_something() const {
    return !all_arguments(
        [&](int a) { return kind_of(a) != FuseArgumentKind::field || access(a) == Access::in; });
  }

 private:
  constexpr FuseArgumentKind kind_of(int argument) const {
    return kind[static_cast<std::size_t>(argument)];
  }
  constexpr const FuseUse* writing(int argument) const {
    for (const FuseUse& u : use) {
      if (u.argument == argument && u.access != Access::in) return &u;
    }
    return nullptr;
  }
  template <class Condition>
  constexpr int count(Condition condition) const {
    int n = 0;
    for (const FuseUse& u : use) n += condition(u) ? 1 : 0;
    return n;
  }
  template <class Condition>
  constexpr bool all_arguments(Condition condition) const {
    for (int a = 0; a < static_cast<int>(kind.size()); ++a) {
      if (!condition(a)) return false;
    }
    return true;
  }
};

}  // namespace goban::detail
