#include "goban/program/groups.hpp"

#include "goban/base/error.hpp"

namespace goban {
namespace {

/// What the first stage of a group holds in place of a function of the time, which scalar stages
/// alone have.
struct GroupMark {
  std::size_t stages = 0;
  std::shared_ptr<const Solve> solve{};
  std::shared_ptr<const SolvePreparation> preparation{};
  void operator()(double /*time*/) const {}
};

void mark(Program& program, std::size_t first, GroupMark made) {
  const auto& stages = program.stages();
  made.stages = stages.size() - first;
  if (made.stages == 0) return;
  require(stages[first]->kind != Stage::Kind::compute, "stages are not grouped",
          "a scalar stage is the first of them", "this is a bug in goban");
  stages[first]->timed_function = std::move(made);
}

}  // namespace

void group_stages(Program& program, std::size_t first, Solve solve) {
  mark(program, first, {0, std::make_shared<const Solve>(std::move(solve)), nullptr});
}

void group_stages(Program& program, std::size_t first, SolvePreparation preparation) {
  mark(program, first, {0, nullptr, std::make_shared<const SolvePreparation>(std::move(preparation))});
}

std::vector<StageGroup> groups_of(const Program& program) {
  std::vector<StageGroup> groups;
  const auto& stages = program.stages();
  for (std::size_t n = 0; n < stages.size(); ++n) {
    const auto* const made = stages[n]->timed_function.target<GroupMark>();
    if (!made || n + made->stages > stages.size()) continue;
    groups.push_back({n, n + made->stages, made->solve, made->preparation});
    n = groups.back().last - 1;
  }
  return groups;
}

}  // namespace goban
