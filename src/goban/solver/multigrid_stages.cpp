// What a multigrid appends to programs.

#include <algorithm>
#include <cmath>

#include "goban/program/solve.hpp"
#include "goban/solver/homogeneous.hpp"
#include "goban/solver/multigrid.hpp"
#include "goban/solver/poisson_stencils.hpp"

namespace goban {

using multigrid::with_conductances;

/// The number of cycles of full multigrid on the last grid. If it is swept, there are at least two:
/// the error that one cycle leaves, a fiftieth, is more than that of the scheme.
template <class T>
static int cycles_on_last(const multigrid::Level<T>& last, int cycles) {
  return last.solve ? 1 : std::max(cycles, 2);
}

template <class T>
bool Multigrid<T>::begins_with_restriction(const Level& level) const {
  return !level.has_colors && !level.before.empty();
}

template <class T>
void Multigrid<T>::add_sweeps(Program& program, const Level& level,
                              const std::vector<double>& weights, std::size_t first) const {
  with_conductances(level, [&](const auto&... c) {
    for (std::size_t n = first; n < weights.size(); ++n) {
      if (!level.has_colors) {
        program.apply(multigrid::Relax{level.per_h2, weights[n]}, in(level.u), in(level.f),
                      out(level.next), c...);
        program.swap(level.u, level.next);
        continue;
      }
      for (int color : {0, 1}) {
        program.apply(multigrid::RelaxColor{level.per_h2, weights[n], color}, site, in(level.u),
                      in(level.f), out(level.next), c...);
        program.swap(level.u, level.next);
      }
    }
  });
}

template <class T>
void Multigrid<T>::add_cycle(Program& program, const Level& level, std::size_t number,
                             MultigridCycle cycle, bool is_begun) const {
  if (level.solve) return level.solve(program);
  add_sweeps(program, level, level.before, is_begun ? 1 : 0);
  const std::size_t next = number + 1;
  if (next == levels_.size()) return;
  const Level& coarse = levels_[next];
  const bool is_next_begun = begins_with_restriction(coarse);
  multigrid::add_restriction(program, level, coarse, is_next_begun ? coarse.before[0] : 0);
  add_cycle(program, coarse, next, cycle, is_next_begun);
  if (cycle == MultigridCycle::f && next + 1 < levels_.size()) {
    add_cycle(program, coarse, next, MultigridCycle::v, false);
  }
  // Names are bound as before after each cycle: loops of devices end as they began.
  const std::size_t sweeps = level.before.size() - (is_begun ? 1 : 0) + level.after.size();
  if (!level.has_colors && sweeps % 2 == 1) {
    multigrid::add_correction_and_swap(program, level, coarse);
  } else {
    multigrid::add_correction(program, level, coarse, level.u);
  }
  add_sweeps(program, level, level.after, 0);
}

template <class T>
void Multigrid<T>::add_cycle(Program& program) const {
  add_cycle(program, false);
}

/// `is_first`: after a start of full multigrid.
template <class T>
void Multigrid<T>::add_cycle(Program& program, bool is_first) const {
  const Level level =
      is_first && levels_.size() > 1 ? multigrid::after_start(levels_[0]) : levels_[0];
  if (!corrections_) return add_cycle(program, level, 0, options_.cycle, false);
  if constexpr (has_corrections) {
    const auto& finest = corrections_->levels_[0];
    add_correction_cycle(
        program,
        is_first && corrections_->levels_.size() > 1 ? multigrid::after_start(finest) : finest,
        [&](double weight, const auto& residual, const auto& correction, const auto&... c) {
          program.apply(multigrid::StartCorrection{level.per_h2, weight}, in(level.u), in(level.f),
                        residual, correction, c...);
        },
        [&](const auto& correction) {
          program.apply(multigrid::AddTo{}, correction, inout(level.u));
        });
  }
}

/// Adds a cycle in single precision: begun by start(weight of the first sweep, residual,
/// correction, conductances), ended by end(correction).
template <class T>
void Multigrid<T>::add_correction_cycle(Program& program, const auto& finest, const auto& start,
                                        const auto& end) const {
  const bool is_begun = corrections_->begins_with_restriction(finest);
  with_conductances(levels_[0], [&](const auto&... c) {
    start(is_begun ? finest.before[0] : 0.0, out(finest.f), out(finest.u), c...);
  });
  corrections_->add_cycle(program, finest, 0, options_.cycle, is_begun);
  end(in(finest.u));
}

/// Solutions on the coarser grids, under the conditions of u: each begins with that of the next.
template <class T>
void Multigrid<T>::add_starts(Program& program, const BoundarySet& boundary, int cycles) {
  if (starts_.empty()) {
    starts_ = levels_;
    for (std::size_t l = 1; l < levels_.size(); ++l) {
      const auto field = [&](const char* what) {
        return Field<T>(starts_[l].grid, levels_[0].u.name() + " " + what + std::to_string(l),
                        {.boundary = &boundary});
      };
      starts_[l].u = field("on level ");
      starts_[l].next = field("smoothed on level ");
      starts_[l].f = field("right-hand side on level ");
    }
    make_bottom(starts_);
  }
  for (std::size_t l = 1; l < starts_.size(); ++l) {
    multigrid::add_mean(program, starts_[l - 1], starts_[l]);
  }
  for (std::size_t l = starts_.size() - 1; l > 0; --l) {
    const Level& level = starts_[l];
    if (l + 1 < starts_.size()) {
      multigrid::add_start(program, level, starts_[l + 1], level.u);
    } else {
      program.apply(multigrid::SetZero{}, out(level.u));
    }
    const bool is_last = l + 1 == starts_.size();
    for (int n = 0; n < (is_last ? cycles_on_last(level, cycles) : cycles); ++n) {
      const bool is_first = n == 0 && !is_last;
      add_cycle(program, is_first ? multigrid::after_start(level) : level, l, options_.cycle,
                false);
    }
  }
}

template <class T>
void Multigrid<T>::add_full_multigrid(Program& program, int cycles) {
  require(cycles >= 1, "full multigrid is refused", "it needs a cycle on each grid");
  const Level& finest = levels_[0];
  const auto start_from = [&](const auto& levels, const auto& starts) {
    if (starts.size() > 1) {
      multigrid::add_start(program, levels[0], starts[1], finest.u);
    } else {
      program.apply(multigrid::SetZero{}, out(finest.u));
    }
  };
  add_balance(program);
  if (!corrections_) {
    add_starts(program, boundary_, cycles);
    start_from(levels_, starts_);
  } else if constexpr (has_corrections) {
    program.apply(multigrid::Copy{}, in(finest.f), out(corrections_->levels_[0].f));
    corrections_->add_starts(program, boundary_, cycles);
    start_from(corrections_->levels_, corrections_->starts_);
  }
  const int on_finest = levels().size() == 1 ? cycles_on_last(finest, cycles) : cycles;
  for (int n = 0; n < on_finest; ++n) add_cycle(program, n == 0);
}

template <class T>
Preconditioner<T> Multigrid<T>::preconditioner() const {
  auto reads = prepared();
  for (const Field<T>& c : levels_[0].conductances) reads.push_back(c.record());
  return {levels_[0].f, levels_[0].u,
          [self = *this](Program& program) {
            const Level& level = self.levels_[0];
            if (!self.corrections_) {
              program.apply(multigrid::SetZero{}, out(level.u));
              self.add_cycle(program);
            } else if constexpr (has_corrections) {
              self.add_correction_cycle(
                  program, self.corrections_->levels_[0],
                  [&](double weight, const auto&... arguments) {
                    program.apply(multigrid::StartSolution{level.per_h2, weight}, in(level.f),
                                  arguments...);
                  },
                  [&](const auto& correction) {
                    program.apply(multigrid::Copy{}, correction, out(level.u));
                  });
            }
          },
          std::move(reads)};
}

template <class T>
void Multigrid<T>::add_setup(Program& program) const {
  const auto& c = levels_[0].conductances;
  if (!c.empty()) {
    program.reduce(multigrid::IsOpen{}, in(levels_[0].f), in(c[0]), in(c[1]), in(c[2]), sum,
                   into(open_cells_));
  }
  const std::size_t first = program.stages().size();
  for (std::size_t l = 1; l < levels_.size() && !c.empty(); ++l) {
    multigrid::add_conductances(program, levels_[l - 1], levels_[l]);
  }
  if constexpr (has_corrections) {
    if (corrections_) {
      const auto& d = corrections_->levels_[0].conductances;
      if (!c.empty()) {
        program.apply(multigrid::CopyConductances{}, in(c[0]), in(c[1]), in(c[2]), out(d[0]),
                      out(d[1]), out(d[2]));
      }
      corrections_->add_setup(program);
    }
  }
  Solve preparation;
  preparation.name = "preparation of multigrid of " + levels_[0].u.name();
  for (const Field<T>& one : c) preparation.reads.push_back(one.record());
  preparation.writes = prepared();
  mark_solve(program, first, std::move(preparation));
}

template <class T>
void Multigrid<T>::add_balance(Program& program) const {
  if (!multigrid::is_singular(boundary_)) return;
  const Level& level = levels_[0];
  with_conductances(level, [&](const auto&... c) {
    if (homogeneous(boundary_) == boundary_) {
      program.reduce(multigrid::Value{}, in(level.f), sum, into(mean_));
    } else {
      program.reduce(multigrid::ResidualHere{level.per_h2}, in(level.u), in(level.f), c..., sum,
                     into(mean_));
    }
    program.compute([](auto cells, auto& mean) { mean /= cells; }, in(open_cells_), inout(mean_));
    if (std::isfinite(options_.most_imbalance)) add_imbalance_check(program);
    program.apply(multigrid::TakeOff{}, inout(level.f), param(mean_), c...);
  });
}

template <class T>
void Multigrid<T>::add_imbalance_check(Program& program) const {
  const Field<T>& f = levels_[0].f;
  const Parameter<double> largest(mean_.name() + " at most"), excess(mean_.name() + " too large");
  program.reduce(multigrid::Magnitude{}, in(f), maximum, into(largest));
  program.compute([](auto mean, auto of_f, auto most,
                     auto& excess) { excess = select(abs(mean) <= most * of_f, excess, mean); },
                  in(mean_), in(largest), in(options_.most_imbalance), inout(excess));
  program.verify(
      [name = f.name(), excess](double mean) {
        Parameter<double>(excess).set(0);
        require(mean == 0, "there is no solution for the right-hand side '" + name + "'",
                "no side holds a value and its mean is " + std::to_string(mean) +
                    " more than what flows through the sides",
                "balance it, or let its mean be taken off");
      },
      excess);
}

template <class T>
void Multigrid<T>::add_residual(Program& program) const {
  const Level& level = levels_[0];
  with_conductances(level, [&](const auto&... c) {
    program.reduce(multigrid::ResidualMagnitude{level.per_h2}, in(level.u), in(level.f), c...,
                   maximum, into(residual_));
  });
}

template class Multigrid<float>;
template class Multigrid<double>;

}  // namespace goban
