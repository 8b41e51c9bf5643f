#pragma once
// div(c grad u) = f by geometric multigrid, as stages of any program.

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "goban/solver/multigrid_level.hpp"
#include "goban/solver/preconditioner.hpp"

namespace goban {

/// How the coarser grids are visited: once, or again and again on the way up.
enum class MultigridCycle : std::uint8_t { v, f };
enum class Smoother : std::uint8_t {
  chebyshev,  ///< Jacobi's method, weights by Chebyshev: the sweeps together damp rough errors most
  jacobi,     ///< Jacobi's method, one weight
  red_black   ///< Gauss and Seidel's, the cells of one colour of a chess board after the other
};

/// How the equations of the last grid are solved.
enum class MultigridBottom : std::uint8_t {
  relaxation,          ///< as many sweeps as divide errors by 50 where c is 1 everywhere
  conjugate_gradients  ///< to a millionth of the residual: where c jumps by orders of magnitude
};

struct MultigridOptions {
  MultigridCycle cycle = MultigridCycle::v;
  int sweeps_before = 3, sweeps_after = 3;
  Smoother smoother = Smoother::chebyshev;
  MultigridBottom bottom = MultigridBottom::relaxation;
  double weight = 0;  ///< weight of jacobi and red_black; 0: 6/7 and 1.15
  /// Grids of at most so many cells along every axis are not coarsened. On fewer the scheme is so
  /// far from that of the finest grid that cycles converge more slowly for it.
  Index coarsest = 16;
  int most_levels = 32;               ///< grids in all
  bool conductances_hold_h2 = false;  ///< the fields hold c / h^2 instead of c
  /// If the solver is in double, cycles compute corrections of u in float, which takes half the
  /// bytes. Residuals and u remain double, and as small as they were.
  bool single_precision = false;
  /// Coarser grids of at most so many cells lie on one device, the others on all. Without a number
  /// a model of the machine decides from which grid on a cycle is over earlier on one device.
  std::optional<Index> gathered_cells{};
  /// Process grids of the coarser grids, the finest of them first; {0, 0, 0} and what is missing:
  /// as gathered_cells says.
  std::vector<Index3> patches{};
  /// Where no side holds a value: the error of f's mean, relative to its largest magnitude, that is
  /// put right without a word. More is an error (ExitCode::usage).
  double most_imbalance = std::numeric_limits<double>::infinity();
};

/// Solves div(c grad u) = f on the grid of u, cells of any shape, by
///   sum over axes of (c(i+1) (u(i+1) - u(i)) - c(i) (u(i) - u(i-1))) / h^2 = f(i).
/// c is 1, or three fields of conductances on the lower faces of the cells, 0 where solids are: a
/// cell whose faces are all closed keeps its u and must have f = 0. Boundary conditions are those
/// that u has when the solver is made, each side its own: wall_value, constant, gradient, mirror,
/// periodic; coarser grids have their homogeneous counterparts. An axis of one cell that is
/// periodic takes no part: 2-D.
///
/// Coarser grids are made as far as cells can be put together in twos; an axis with larger spacing
/// is left alone until the others have caught up. Memory: 3 values (with conductances 6) for each
/// cell of the coarser grids, which are 1/7 as many in 3-D, and one more of the finest.
///
/// What its functions append may stand anywhere in programs over this grid, loops included; results
/// have the same bits however grids are cut and gathered. Errors (ExitCode::usage): fields of other
/// grids or places, conditions of the user's own, options out of range, cells that leave a coarsest
/// grid which would take over 1000 sweeps. ExitCode::diverged: conjugate gradients take over 10000
/// iterations on it.
template <class T>
class Multigrid {
 public:
  Multigrid(const Field<T>& u, const Field<T>& f, MultigridOptions options = {});
  Multigrid(const Field<T>& u, const Field<T>& f, const Field<T>& conductance_x,
            const Field<T>& conductance_y, const Field<T>& conductance_z,
            MultigridOptions options = {});

  /// Makes the conductances of coarser grids: to be run before the first cycle and when they have
  /// changed. Nothing without conductances.
  void add_setup(Program& program) const;
  /// Where no side holds a value: takes the mean off f that no u has, over cells that something can
  /// flow into. Nothing otherwise. Cycles need it once for every f.
  void add_balance(Program& program) const;
  /// Adds a cycle, which improves u.
  void add_cycle(Program& program) const;
  /// Balances f, then makes u anew, whatever it held: solves on the coarsest grid, and so on with
  /// so many cycles on each finer one, the first of which begins with twice as many sweeps. Takes 3
  /// more values for each cell of the coarser grids.
  void add_full_multigrid(Program& program, int cycles = 1);
  /// Balances f, then cycles until the largest |f - div(c grad u)| is below the tolerance. Error
  /// (ExitCode::diverged): it is not after `limit` cycles. Solves for adjoints and changes go on
  /// until it is below `derivatives` times the largest |f| (0: 1e-8, of float 1e-4).
  void add_solve(Program& program, double tolerance, Index limit, double derivatives = 0) const;
  /// Balances f, then adds a cycle, and others until the largest |f - div(c grad u)| is below the
  /// tolerance times `scale`; where f is what u needs, one is enough. Error as above.
  void add_solve(Program& program, double tolerance, const Parameter<double>& scale,
                 Index limit) const;
  /// Balances f and adds so many cycles, which derivatives take for the solution.
  void add_cycles(Program& program, Index cycles) const;
  /// A cycle from u = 0, for Krylov methods whose residual is f, and whose operator that of here.
  /// Conjugate gradients on the last grid make it depend on f: not for BiCgStab.
  Preconditioner<T> preconditioner() const;
  /// residual() = max |f - div(c grad u)|.
  void add_residual(Program& program) const;

  const Parameter<double>& residual() const { return residual_; }
  /// Cells of each grid, the finest first.
  std::vector<Index3> levels() const;
  /// "64 x 64 x 64, 32 x 32 x 32, ... cells, 11 sweeps on the last", and of several devices from
  /// which grid on one has all, and why. Cuts the grids.
  std::string describe() const;

 private:
  template <class>
  friend class Multigrid;
  using Level = multigrid::Level<T>;
  /// Single precision is what corrections of others may be computed in, and has none itself.
  static constexpr bool has_corrections = std::is_same_v<T, double>;

  Multigrid(const Field<T>& u, const Field<T>& f, MultigridOptions options, int conductances);
  void add_levels(int conductances);
  std::vector<multigrid::LevelShape> shapes() const;
  Real3 inverse_squares(Index3 cells, const Real3& spacing) const;
  void make_corrections(int conductances);
  void make_bottom(std::vector<Level>& levels) const;
  void set_conductances(const std::array<Field<T>, 3>& conductances);
  void add_correction_cycle(Program& program, const auto& finest, const auto& start,
                            const auto& end) const;
  void set_weights(multigrid::LevelShape& shape, bool is_last) const;
  void add_starts(Program& program, const BoundarySet& boundary, int cycles);
  void add_imbalance_check(Program& program) const;
  void add_cycle(Program& program, bool is_first) const;
  void add_cycle(Program& program, const Level& level, std::size_t number, MultigridCycle cycle,
                 bool is_begun) const;
  void add_sweeps(Program& program, const Level& level, const std::vector<double>& weights,
                  std::size_t first) const;
  bool begins_with_restriction(const Level& level) const;
  Multigrid of_changes() const;
  std::vector<std::shared_ptr<FieldRecord>> prepared() const;
  void mark_as_solve(Program& program, std::size_t first,
                     const std::function<void(Program&, const Multigrid&)>& solve_alike) const;

  MultigridOptions options_;
  BoundarySet boundary_;  ///< boundary conditions of u
  std::vector<Level> levels_;
  /// Grids of full multigrid: u and f themselves instead of corrections.
  std::vector<Level> starts_;
  /// The solver of corrections in single precision; null: levels_ has all.
  std::shared_ptr<Multigrid<float>> corrections_;
  Parameter<double> residual_, mean_, open_cells_;
};

}  // namespace goban
