#include "goban/solver/multigrid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/data/place_text.hpp"
#include "goban/solver/homogeneous.hpp"
#include "goban/solver/relaxation.hpp"

namespace goban {
namespace {

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

/// The boundary conditions of conductances: faces of walls keep what they are set to.
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

/// Makes conductances on the faces of a grid.
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
  make_bottom(levels_);
}

template <class T>
void Multigrid<T>::make_bottom(std::vector<Level>& levels) const {
  if (options_.bottom == MultigridBottom::relaxation || corrections_) return;
  levels.back().solve =
      multigrid::conjugate_gradients_on(levels.back(), multigrid::is_singular(boundary_));
}

/// Single precision: the cycles are those of a solver for corrections, on the same grids.
template <class T>
void Multigrid<T>::make_corrections(int conductances) {
  if constexpr (has_corrections) {
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
    const std::size_t colors = shape.has_colors ? 2 : 1;
    visits.push_back({shape.cells, static_cast<double>(colors * sweeps + transfers),
                      static_cast<double>((3 + conductances) * static_cast<int>(sizeof(T))),
                      sizeof(T)});
  }
  if (options_.bottom == MultigridBottom::conjugate_gradients) {
    constexpr double sweeps_of_an_iteration = 3;
    const Index3& last = shapes.back().cells;
    visits.back().sweeps =
        sweeps_of_an_iteration * static_cast<double>(last[0] + last[1] + last[2]);
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
  if (conductances == 0) make_bottom(levels_);
}

template <class T>
void Multigrid<T>::set_weights(multigrid::LevelShape& shape, bool is_last) const {
  constexpr double reduction_of_last = 50, high = 2;
  constexpr int most_sweeps = 1000;
  const Real3& a = shape.per_h2;
  const double sum = a[0] + a[1] + a[2];
  if (is_last && options_.bottom == MultigridBottom::conjugate_gradients) return;
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
  shape.has_colors = options_.smoother == Smoother::red_black;
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
  shape.first = weights(2 * options_.sweeps_before);
  shape.after = weights(options_.sweeps_after);
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
  text += levels_.back().solve
              ? " cells, conjugate gradients on the last"
              : fmt::format(" cells, {} sweeps on the last", levels_.back().before.size());
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
