#include "goban/program/solve.hpp"

#include "goban/base/error.hpp"
#include "goban/program/program.hpp"

namespace goban {
namespace {

/// What the first stage of a solve holds in place of a function of the time, which scalar stages
/// alone have.
struct Mark {
  std::shared_ptr<const Solve> solve;
  void operator()(double /*time*/) const {}
};

}  // namespace

void mark_solve(Program& program, std::size_t first, Solve solve) {
  const auto& stages = program.stages();
  solve.stages = stages.size() - first;
  if (solve.stages == 0) return;
  require(stages[first]->kind != Stage::Kind::compute, "'" + solve.name + "' is no solve",
          "a scalar stage is the first of it", "this is a bug in goban");
  stages[first]->timed_function = Mark{std::make_shared<const Solve>(std::move(solve))};
}

std::shared_ptr<const Solve> solve_of(const Stage& stage) {
  const auto* mark = stage.timed_function.target<Mark>();
  return mark ? mark->solve : nullptr;
}

}  // namespace goban
