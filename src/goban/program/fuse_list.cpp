#include "goban/program/fuse_list.hpp"

#include <algorithm>

namespace goban::detail {

void FuseList::check_uses() const {
  const auto require_rule = [&](bool is_kept, const char* message) {
    require(is_kept, "the fuse '" + name() + "' is refused", message);
  };
  require_rule(names.size() >= 2, GOBAN_FUSE_RULE_OF_COUNT);
#define GOBAN_REQUIRE_RULE(is_kept, message) require_rule(uses.is_kept(), message);
  GOBAN_FUSE_RULES(GOBAN_REQUIRE_RULE)
#undef GOBAN_REQUIRE_RULE
}

void FuseList::check_footprints() const {
  for (std::size_t s = 0; s < names.size(); ++s) {
    std::vector<std::string> of_stage;
    for (const FuseUse& use : uses_of(static_cast<int>(s))) {
      of_stage.push_back(arguments[static_cast<std::size_t>(use.argument)].name());
    }
    goban::check(footprints[s], names[s], of_stage);
  }
}

std::string FuseList::name() const {
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : " + ") + one;
  return all;
}

std::vector<StageArgument> FuseList::stored() const {
  std::vector<StageArgument> all;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    if (uses.kind[a] == FuseArgumentKind::intermediate) continue;
    all.push_back(arguments[a]);
    all.back().access = uses.access(static_cast<int>(a));
  }
  return all;
}

std::vector<FuseUse> FuseList::uses_of(int stage) const {
  std::vector<FuseUse> all;
  std::copy_if(uses.use.begin(), uses.use.end(), std::back_inserter(all),
               [&](const FuseUse& use) { return use.stage == stage; });
  return all;
}

std::vector<Handover> FuseList::handovers() const {
  std::vector<Handover> all;
  for (std::size_t s = 0; s < names.size(); ++s) {
    int position = 0;
    for (const FuseUse& use : uses_of(static_cast<int>(s))) {
      if (use.access == Access::in && uses.writer(use.argument) >= 0) {
        all.push_back(handover(use, position));
      }
      ++position;
    }
  }
  return all;
}

Real3 FuseList::site_offset(int stage) const {
  Real3 offset{0.5, 0.5, 0.5};
  for (const FuseUse& use : uses.use) {
    if (use.stage != stage || use.access == Access::in) continue;
    for (int a = 0; a < 3; ++a) offset[a] = is_staggered(field(use).location, a) ? 0.0 : 0.5;
  }
  return offset;
}

Handover FuseList::handover(const FuseUse& read, int position) const {
  const auto stage = static_cast<std::size_t>(read.stage);
  const auto argument = static_cast<std::size_t>(read.argument);
  Handover made;
  made.reader = names[stage];
  made.field = arguments[argument].field;
  made.grid = arguments[argument].grid;
  if (is_walled[argument]) made.walls = made.field->boundary.front();
  made.is_stored = uses.kind[argument] == FuseArgumentKind::field;
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<Axis>(a);
    made.beside[a] = footprints[stage].reach(position, axis, Side::low) > 0 ||
                     footprints[stage].reach(position, axis, Side::high) > 0;
    const bool has_end_face =
        std::any_of(uses.use.begin(), uses.use.end(), [&](const FuseUse& use) {
          return use.stage == read.stage && use.access != Access::in &&
                 is_staggered(field(use).location, a);
        });
    made.beyond_ends[a] =
        made.beside[a] || (has_end_face && !is_staggered(made.field->location, a));
  }
  return made;
}

}  // namespace goban::detail
