// Solves by multigrid, and what programs tell of them to those who derive them.

#include <tuple>

#include "goban/program/solve.hpp"
#include "goban/solver/convergence.hpp"
#include "goban/solver/homogeneous.hpp"
#include "goban/solver/multigrid.hpp"
#include "goban/solver/poisson_stencils.hpp"

namespace goban {

using multigrid::with_conductances;

template <class T>
void Multigrid<T>::add_solve(Program& program, double tolerance, Index limit,
                             double derivatives) const {
  const double relative = derivatives > 0 ? derivatives : std::is_same_v<T, double> ? 1e-8 : 1e-4;
  add_balance(program);
  const std::size_t first = program.stages().size();
  Program cycle("multigrid of " + levels_[0].u.name()), check("residual");
  add_cycle(cycle);
  add_residual(check);
  program.until(residual_ < tolerance, 1, limit, cycle, check);
  mark_as_solve(program, first, [=](Program& changes, const Multigrid& alike) {
    const Parameter<double> largest(alike.levels_[0].f.name() + " at most");
    changes.reduce(multigrid::Magnitude{}, in(alike.levels_[0].f), maximum, into(largest));
    alike.add_solve(changes, relative, largest, limit);
  });
}

template <class T>
void Multigrid<T>::add_solve(Program& program, double tolerance, const Parameter<double>& scale,
                             Index limit) const {
  add_balance(program);
  const std::size_t first = program.stages().size();
  Program cycle("multigrid of " + levels_[0].u.name()), check("residual");
  add_cycle(cycle);
  add_residual(check);
  const Condition condition = is_small(check, residual_, scale, tolerance);
  add_cycle(program);
  program.until(condition, 1, limit, cycle, check);
  mark_as_solve(program, first, [=](Program& changes, const Multigrid& alike) {
    const Parameter<double> largest(alike.levels_[0].f.name() + " at most");
    changes.reduce(multigrid::Magnitude{}, in(alike.levels_[0].f), maximum, into(largest));
    alike.add_solve(changes, tolerance, largest, limit);
  });
}

template <class T>
void Multigrid<T>::add_cycles(Program& program, Index cycles) const {
  add_balance(program);
  const std::size_t first = program.stages().size();
  Program cycle("multigrid of " + levels_[0].u.name());
  add_cycle(cycle);
  program.repeat(cycles, cycle);
  mark_as_solve(program, first, [=](Program& changes, const Multigrid& alike) {
    alike.add_cycles(changes, cycles);
  });
}

/// A solver for changes of u, on the same coarser grids.
template <class T>
Multigrid<T> Multigrid<T>::of_changes() const {
  Multigrid alike = *this;
  Level& finest = alike.levels_[0];
  finest.u = field_of_changes(finest.u, "change");
  finest.next = field_of_changes(finest.u, "smoothed");
  finest.f = field_of_changes(finest.u, "right-hand side");
  alike.boundary_ = homogeneous(boundary_);
  alike.starts_.clear();
  alike.residual_ = Parameter<double>(finest.u.name() + " residual");
  alike.mean_ = Parameter<double>(finest.u.name() + " imbalance");
  alike.options_.most_imbalance = std::numeric_limits<double>::infinity();
  if (levels_.size() == 1) alike.make_bottom(alike.levels_);
  return alike;
}

/// The stages from `first` on solve; `solve_alike` appends what does the same, from 0, of changes.
template <class T>
void Multigrid<T>::mark_as_solve(
    Program& program, std::size_t first,
    const std::function<void(Program&, const Multigrid&)>& solve_alike) const {
  const Level& level = levels_[0];
  Solve solve;
  solve.name = "multigrid of " + level.u.name();
  solve.unknown = level.u.record();
  solve.known = level.f.record();
  Program equation("equation");
  with_conductances(level, [&](const auto&... c) {
    equation.reduce(multigrid::ResidualHere{level.per_h2}, in(level.u), in(level.f), c..., sum,
                    into(Parameter<double>("residual")));
  });
  solve.equations = {equation.stages().front()};
  solve.reads = prepared();
  solve.numbers = {open_cells_.record()};
  solve.of_changes = [self = *this, solve_alike](const Solve::Product&) {
    const Multigrid alike = self.of_changes();
    const auto& [u, f] = std::tie(alike.levels_[0].u, alike.levels_[0].f);
    return Solve::OfChanges{u.record(), f.record(), [alike, solve_alike](Program& changes) {
                              changes.apply(multigrid::SetZero{}, out(alike.levels_[0].u));
                              solve_alike(changes, alike);
                            }};
  };
  mark_solve(program, first, std::move(solve));
}

/// What add_setup() makes for cycles.
template <class T>
std::vector<std::shared_ptr<FieldRecord>> Multigrid<T>::prepared() const {
  std::vector<std::shared_ptr<FieldRecord>> all;
  const auto add = [&](const auto& levels, std::size_t first) {
    for (std::size_t l = first; l < levels.size(); ++l) {
      for (const auto& c : levels[l].conductances) all.push_back(c.record());
    }
  };
  add(levels_, 1);
  if (corrections_) add(corrections_->levels_, 0);
  return all;
}

template class Multigrid<float>;
template class Multigrid<double>;

}  // namespace goban
