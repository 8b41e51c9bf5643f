#include "goban/solver/multigrid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "goban/backend/launchers/launchers.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/data/place_text.hpp"
#include "goban/solver/homogeneous.hpp"
#include "goban/solver/poisson_stencils.hpp"
#include "goban/solver/relaxation.hpp"

namespace goban {
namespace {

using multigrid::with_conductances;

/// Single precision is what corrections of others may be computed in, and has none itself.
template <class T>
constexpr bool has_corrections = std::same_as<T, double>;

/// What corrections fulfil at the sides. Constant ghosts lie elsewhere on every grid: 0 holds at
/// the side.
BoundarySet of_corrections(const BoundarySet& boundary) {
  BoundarySet sides = homogeneous(boundary);
  for (auto& axis : sides.sides) {
    for (auto& side : axis) {
      if (side.kind == BoundaryCondition::Kind::constant) side = wall_value(0);
    }
  }
  return sides;
}

/// Of conductances: faces of walls keep what they are set to.
BoundarySet closed(const BoundarySet& boundary) {
  BoundarySet sides = boundary;
  for (auto& axis : sides.sides) {
    for (auto& side : axis) {
      if (side.kind != periodic_kind) side = mirror;
    }
  }
  return sides;
}

template <class T>
void check_place(const Field<T>& field, const Field<T>& u, Location location, const char* needed) {
  const std::string refused = "multigrid refuses field '" + field.name() + "'";
  require(field.grid() == u.grid(), refused, "it lives on another grid than '" + u.name() + "'");
  require(field.record()->location == location, refused, needed);
}

/// On the faces of a grid.
template <class T>
std::array<Field<T>, 3> conductances_of(Grid& grid, const std::string& name,
                                        const BoundarySet& ends, std::size_t level) {
  const auto field = [&](const char* axis, Location location) {
    return Field<T>(grid, name + " conductance " + axis + std::to_string(level),
                    {.location = location, .boundary = &ends});
  };
  return {field("x", Location::face_x), field("y", Location::face_y), field("z", Location::face_z)};
}

void check_options(const MultigridOptions& options) {
  const auto refuse_unless = [](bool fine, const std::string& what) {
    require(fine, "multigrid refuses its options", what);
  };
  refuse_unless(options.sweeps_before >= 0 && options.sweeps_after >= 0 &&
                    options.sweeps_before + options.sweeps_after > 0,
                "a cycle needs a sweep before or after the coarser grids");
  refuse_unless(options.weight >= 0 && options.weight < 2,
                "the weight of a sweep must lie between 0 and 2");
  refuse_unless(options.coarsest >= 1, "the coarsest grid must have a cell");
  refuse_unless(options.most_levels >= 1, "there must be a level");
}

}  // namespace

template <class T>
Multigrid<T>::Multigrid(const Field<T>& u, const Field<T>& f, MultigridOptions options)
    : Multigrid(u, f, std::move(options), 0) {}

template <class T>
Multigrid<T>::Multigrid(const Field<T>& u, const Field<T>& f, MultigridOptions options,
                        int conductances)
    : options_(std::move(options)),
      boundary_(u.record()->boundary.front()),
      residual_(u.name() + " residual"),
      mean_(u.name() + " imbalance"),
      open_cells_(u.name() + " open cells", static_cast<double>(product(u.grid()->cells))) {
  check_options(options_);
  check_place(u, u, Location::cell, "it must live at cells");
  check_place(f, u, Location::cell, "it must live at cells");
  for (int a = 0; a < 3; ++a) {
    for (const BoundaryCondition& side : boundary_.sides[static_cast<std::size_t>(a)]) {
      require(side.kind != BoundaryCondition::Kind::custom,
              "multigrid refuses the boundary condition of '" + u.name() + "' along " + "xyz"[a],
              "it is of the user's own, so that coarser grids cannot have the like",
              "use wall_value, constant, gradient, mirror or periodic");
    }
  }
  levels_.push_back({{}, Grid(u.grid()), u, Field<T>(u, u.name() + " smoothed"), f});
  const Grid& grid = levels_[0].grid;
  levels_[0].per_h2 = inverse_squares(grid.cells(), grid.spacing());
  if (options_.single_precision) {
    make_corrections(conductances);
  } else {
    add_levels(conductances);
  }
}

template <class T>
Multigrid<T>::Multigrid(const Field<T>& u, const Field<T>& f, const Field<T>& conductance_x,
                        const Field<T>& conductance_y, const Field<T>& conductance_z,
                        MultigridOptions options)
    : Multigrid(u, f, std::move(options), 3) {
  check_place(conductance_x, u, Location::face_x, "it must live on faces along x");
  check_place(conductance_y, u, Location::face_y, "it must live on faces along y");
  check_place(conductance_z, u, Location::face_z, "it must live on faces along z");
  const BoundarySet ends = closed(boundary_);
  for (const Field<T>& c : {conductance_x, conductance_y, conductance_z}) {
    require(c.record()->boundary.front() == ends, "multigrid refuses field '" + c.name() + "'",
            "its boundary conditions would set faces of walls", "make them mirror, or periodic");
  }
  set_conductances({conductance_x, conductance_y, conductance_z});
  if (corrections_) {
    corrections_->set_conductances(conductances_of<float>(levels_[0].grid, u.name(), ends, 0));
  }
}

template <class T>
void Multigrid<T>::set_conductances(const std::array<Field<T>, 3>& conductances) {
  const BoundarySet ends = closed(boundary_);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const auto c =
        l == 0 ? conductances : conductances_of<T>(levels_[l].grid, levels_[0].u.name(), ends, l);
    levels_[l].conductances.assign(c.begin(), c.end());
  }
}

/// Single precision: the cycles are those of a solver for corrections, on the same grids.
template <class T>
void Multigrid<T>::make_corrections(int conductances) {
  if constexpr (has_corrections<T>) {
    const BoundarySet zero = of_corrections(boundary_);
    MultigridOptions options = options_;
    options.single_precision = false;
    options.most_imbalance = std::numeric_limits<double>::infinity();
    const auto field = [&](const char* what) {
      return Field<float>(levels_[0].grid, levels_[0].u.name() + what, {.boundary = &zero});
    };
    corrections_.reset(new Multigrid<float>(field(" correction"), field(" residual"),
                                            std::move(options), conductances));
  } else {
    throw Error(ExitCode::usage, "multigrid refuses its options",
                "what is solved is single precision already", "leave single_precision out");
  }
}

template <class T>
Real3 Multigrid<T>::inverse_squares(Index3 cells, const Real3& spacing) const {
  const Real3 finest = levels_[0].grid.spacing();
  const Real3 relative{spacing[0] / finest[0], spacing[1] / finest[1], spacing[2] / finest[2]};
  return multigrid::inverse_squares(cells, options_.conductances_hold_h2 ? relative : spacing,
                                    boundary_);
}

template <class T>
std::vector<multigrid::LevelShape> Multigrid<T>::shapes() const {
  std::vector<multigrid::LevelShape> all;
  Index3 cells = levels_[0].grid.cells();
  Real3 spacing = levels_[0].grid.spacing();
  while (true) {
    auto& shape =
        all.emplace_back(multigrid::LevelShape{cells, spacing, inverse_squares(cells, spacing)});
    const Index longest = *std::max_element(cells.begin(), cells.end());
    if (longest > options_.coarsest && static_cast<int>(all.size()) < options_.most_levels) {
      shape.ratio = multigrid::next_ratio(cells, spacing, boundary_);
    }
    const bool is_last = shape.ratio == Index3{1, 1, 1};
    set_weights(shape, is_last);
    if (is_last) return all;
    for (std::size_t a = 0; a < 3; ++a) {
      cells[a] /= shape.ratio[a];
      spacing[a] *= static_cast<double>(shape.ratio[a]);
    }
  }
}

template <class T>
void Multigrid<T>::add_levels(int conductances) {
  const BoundarySet zero = of_corrections(boundary_);
  const auto shapes = this->shapes();
  std::vector<GridVisit> visits;
  for (const auto& shape : shapes) {
    constexpr std::size_t transfers = 2;
    const std::size_t sweeps = shape.before.size() + shape.after.size();
    const std::size_t colors = options_.smoother == Smoother::red_black ? 2 : 1;
    visits.push_back({shape.cells, static_cast<double>(colors * sweeps + transfers),
                      static_cast<double>((3 + conductances) * static_cast<int>(sizeof(T))),
                      sizeof(T)});
  }
  for (std::size_t n = 0; n < shapes.size(); ++n) {
    if (n > 0) {
      CoarseningOptions cut;
      if (n <= options_.patches.size()) cut.patches = options_.patches[n - 1];
      if (!options_.gathered_cells) {
        cut.visits.assign(visits.begin() + static_cast<std::ptrdiff_t>(n), visits.end());
      } else if (cut.patches == Index3{} && product(shapes[n].cells) <= *options_.gathered_cells) {
        cut.patches = {1, 1, 1};
      }
      Grid grid = levels_.back().grid.coarsened(shapes[n - 1].ratio, cut);
      const auto field = [&](const char* what) {
        return Field<T>(grid, levels_[0].u.name() + " " + what + std::to_string(n),
                        {.boundary = &zero});
      };
      levels_.push_back({{}, grid, field("correction "), field("smoothed "), field("residual ")});
    }
    static_cast<multigrid::LevelShape&>(levels_.back()) = shapes[n];
  }
}

template <class T>
void Multigrid<T>::set_weights(multigrid::LevelShape& shape, bool is_last) const {
  constexpr double reduction_of_last = 50, high = 2;
  constexpr int most_sweeps = 1000;
  const Real3& a = shape.per_h2;
  const double sum = a[0] + a[1] + a[2];
  if (is_last) {
    const double low = multigrid::smallest_eigenvalue(shape.cells, a, boundary_);
    const double sweeps = low < high ? multigrid::sweeps_reducing(reduction_of_last, low, high) : 1;
    require(
        sweeps <= most_sweeps,
        fmt::format("multigrid cannot solve on {} cells",
                    fmt::join(levels_[0].grid.cells(), " x ")),
        fmt::format("the coarsest grid has {} and would take {:.0f} sweeps a cycle, {} are most",
                    fmt::join(shape.cells, " x "), sweeps, most_sweeps),
        "choose numbers of cells with more factors of 2, or the direct solver Fourier");
    shape.before = low < high ? multigrid::chebyshev_weights(static_cast<int>(sweeps), low, high)
                              : std::vector<double>{1 / low};
    return;
  }
  double low = high;  // of errors that the coarser grid does not see
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (shape.ratio[axis] == 2) low = std::min(low, a[axis] / sum);
  }
  const auto weights = [&](int sweeps) {
    const auto n = static_cast<std::size_t>(sweeps);
    const double weight = options_.weight;
    switch (options_.smoother) {
      case Smoother::jacobi: return std::vector<double>(n, weight > 0 ? weight : 6.0 / 7);
      case Smoother::red_black: return std::vector<double>(n, weight > 0 ? weight : 1.15);
      default: return multigrid::chebyshev_weights(sweeps, low, high);
    }
  };
  shape.before = weights(options_.sweeps_before);
  shape.after = weights(options_.sweeps_after);
}

template <class T>
bool Multigrid<T>::begins_with_restriction(const Level& level) const {
  const bool has_colors = options_.smoother == Smoother::red_black && &level != &levels_.back();
  return !has_colors && !level.before.empty();
}

template <class T>
void Multigrid<T>::add_sweeps(Program& program, const Level& level,
                              const std::vector<double>& weights, std::size_t first) const {
  const bool has_colors = options_.smoother == Smoother::red_black && &level != &levels_.back();
  with_conductances(level, [&](const auto&... c) {
    for (std::size_t n = first; n < weights.size(); ++n) {
      if (!has_colors) {
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
  multigrid::add_correction(program, level, coarse, level.u);
  add_sweeps(program, level, level.after, 0);
}

template <class T>
void Multigrid<T>::add_cycle(Program& program) const {
  const Level& level = levels_[0];
  if (!corrections_) return add_cycle(program, level, 0, options_.cycle, false);
  if constexpr (has_corrections<T>) {
    add_correction_cycle(
        program,
        [&](double weight, const auto& residual, const auto& correction, const auto&... c) {
          program.apply(multigrid::StartCorrection{level.per_h2, weight}, in(level.u), in(level.f),
                        residual, correction, c...);
        },
        [&](const auto& correction) {
          program.apply(multigrid::AddTo{}, correction, inout(level.u));
        });
  }
}

/// In single precision: begun by start(weight of the first sweep, residual, correction,
/// conductances), ended by end(correction).
template <class T>
void Multigrid<T>::add_correction_cycle(Program& program, const auto& start,
                                        const auto& end) const {
  const auto& finest = corrections_->levels_[0];
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
  }
  for (std::size_t l = 1; l < starts_.size(); ++l) {
    multigrid::add_mean(program, starts_[l - 1], starts_[l]);
  }
  for (std::size_t l = starts_.size() - 1; l > 0; --l) {
    const Level& level = starts_[l];
    program.apply(multigrid::SetZero{}, out(level.u));
    if (l + 1 < starts_.size()) multigrid::add_correction(program, level, starts_[l + 1], level.u);

    for (int n = 0; n < cycles; ++n) add_cycle(program, level, l, options_.cycle, false);
  }
}

template <class T>
void Multigrid<T>::add_full_multigrid(Program& program, int cycles) {
  require(cycles >= 1, "full multigrid is refused", "it needs a cycle on each grid");
  const Level& finest = levels_[0];
  const auto start_from = [&](const auto& levels, const auto& starts) {
    program.apply(multigrid::SetZero{}, out(finest.u));
    if (starts.size() > 1) multigrid::add_correction(program, levels[0], starts[1], finest.u);
  };
  add_balance(program);
  if (!corrections_) {
    add_starts(program, boundary_, cycles);
    start_from(levels_, starts_);
  } else if constexpr (has_corrections<T>) {
    program.apply(multigrid::Copy{}, in(finest.f), out(corrections_->levels_[0].f));
    corrections_->add_starts(program, boundary_, cycles);
    start_from(corrections_->levels_, corrections_->starts_);
  }
  for (int n = 0; n < cycles; ++n) add_cycle(program);
}

template <class T>
Preconditioner<T> Multigrid<T>::preconditioner() const {
  return {levels_[0].f, levels_[0].u, [self = *this](Program& program) {
            const Level& level = self.levels_[0];
            if (!self.corrections_) {
              program.apply(multigrid::SetZero{}, out(level.u));
              self.add_cycle(program);
            } else if constexpr (has_corrections<T>) {
              self.add_correction_cycle(
                  program,
                  [&](double weight, const auto&... arguments) {
                    program.apply(multigrid::StartSolution{level.per_h2, weight}, in(level.f),
                                  arguments...);
                  },
                  [&](const auto& correction) {
                    program.apply(multigrid::Copy{}, correction, out(level.u));
                  });
            }
          }};
}

template <class T>
void Multigrid<T>::add_setup(Program& program) const {
  if (levels_[0].conductances.empty()) return;
  with_conductances(levels_[0], [&](const auto&... c) {
    if constexpr (sizeof...(c) > 0) {
      program.reduce(multigrid::IsOpen{}, in(levels_[0].f), c..., sum, into(open_cells_));
    }
  });
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    multigrid::add_conductances(program, levels_[l], levels_[l + 1]);
  }
  if constexpr (has_corrections<T>) {
    if (!corrections_) return;
    const auto &c = levels_[0].conductances, &d = corrections_->levels_[0].conductances;
    program.apply(multigrid::CopyConductances{}, in(c[0]), in(c[1]), in(c[2]), out(d[0]), out(d[1]),
                  out(d[2]));
    corrections_->add_setup(program);
  }
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
  const Parameter<double> largest(mean_.name() + " at most");
  program.reduce(multigrid::Magnitude{}, in(f), maximum, into(largest));
  program.compute(
      [most = options_.most_imbalance, name = f.name()](double mean, double& of_f) {
        require(std::abs(mean) <= most * of_f,
                "there is no solution for the right-hand side '" + name + "'",
                "no side holds a value and its mean is " + std::to_string(mean) +
                    " more than what flows through the sides",
                "balance it, or let its mean be taken off");
      },
      in(mean_), inout(largest));
}

template <class T>
void Multigrid<T>::add_residual(Program& program) const {
  const Level& level = levels_[0];
  with_conductances(level, [&](const auto&... c) {
    program.reduce(multigrid::ResidualMagnitude{level.per_h2}, in(level.u), in(level.f), c...,
                   maximum, into(residual_));
  });
}

template <class T>
void Multigrid<T>::add_solve(Program& program, double tolerance, Index limit) const {
  Program cycle("multigrid of " + levels_[0].u.name()), check("residual");
  add_cycle(cycle);
  add_residual(check);
  add_balance(program);
  program.until(residual_ < tolerance, 1, limit, cycle, check);
}

template <class T>
std::vector<Index3> Multigrid<T>::levels() const {
  if (corrections_) return corrections_->levels();
  std::vector<Index3> cells;
  for (const Level& level : levels_) cells.push_back(level.grid.cells());
  return cells;
}

template <class T>
std::string Multigrid<T>::describe() const {
  if (corrections_) return corrections_->describe() + ", in single precision";
  std::string text;
  for (const Index3& cells : levels()) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", fmt::join(cells, " x "));
  }
  text += fmt::format(" cells, {} sweeps on the last", levels_.back().before.size());
  if (decomposition_of(*levels_.front().grid.state()).patches() == 1) return text;
  for (const Level& level : levels_) {
    GridState& grid = *level.grid.state();
    if (decomposition_of(grid).patches() > 1) continue;
    return text + fmt::format(", from {} cells {}", fmt::join(grid.cells, " x "), place_text(grid));
  }
  return text + ", none on one device";
}

template class Multigrid<float>;
template class Multigrid<double>;

}  // namespace goban
