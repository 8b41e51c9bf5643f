#pragma once
// One of the grids of a multigrid, and what goes from it to the next coarser one and back.

#include <functional>
#include <vector>

#include "goban/program/program.hpp"
#include "goban/solver/relaxation.hpp"

namespace goban::multigrid {

/// What is known of a level before its grid is there.
struct LevelShape {
  Index3 cells{1, 1, 1};
  Real3 spacing{1, 1, 1};
  Real3 per_h2{};
  Index3 ratio{1, 1, 1};                  ///< cells to one of the next grid
  std::vector<double> before{}, after{};  ///< weights of sweeps; of the last grid `before` alone
  std::vector<double> first{};            ///< `before` of the first cycle of full multigrid
  bool has_colors = false;                ///< a sweep updates one colour after the other
};

template <class T>
struct Level : LevelShape {
  Grid grid;
  Field<T> u, next, f;  ///< on coarser grids a correction and the residual it is for
  std::vector<Field<T>> conductances{};   ///< x, y, z or none
  std::function<void(Program&)> solve{};  ///< solves on the last grid, if sweeps do not
};

/// Half of what a start on parabolas leaves has wave lengths of two cells, which would reach the
/// coarser grid: twice as many sweeps take it off first.
template <class T>
Level<T> after_start(Level<T> level) {
  level.before = level.first;
  return level;
}

/// Calls f with the conductances there are, as arguments that are read.
template <class T, class F>
void with_conductances(const Level<T>& level, const F& f) {
  const auto& c = level.conductances;
  c.empty() ? f() : f(in(c[0]), in(c[1]), in(c[2]));
}

/// The residual of a level becomes f of the next, and u what a sweep with this weight makes of 0.
template <class T>
void add_restriction(Program& program, const Level<T>& fine, const Level<T>& coarse, double weight);
/// The mean of f's parts becomes f of the next level.
template <class T>
void add_mean(Program& program, const Level<T>& fine, const Level<T>& coarse);
/// Adds u of the next level to a field of this one, perhaps of another precision.
template <class T, class U>
void add_correction(Program& program, const Level<T>& fine, const Level<T>& coarse,
                    const Field<U>& u);
/// Adds u of the next level to that of this one, which thereby swaps names with `next`.
template <class T>
void add_correction_and_swap(Program& program, const Level<T>& fine, const Level<T>& coarse);
/// u of the next level becomes where full multigrid begins on this one: on parabolas through its
/// values, on lines where there are conductances, which may jump.
template <class T, class U>
void add_start(Program& program, const Level<T>& fine, const Level<T>& coarse, const Field<U>& u);
/// The conductances of the next level from those of this one.
template <class T>
void add_conductances(Program& program, const Level<T>& fine, const Level<T>& coarse);

/// Appends the solution on a level, from the u it has, by conjugate gradients to a millionth of the
/// residual, however c jumps. `is_singular`: f's mean is taken off first. Uses `next`.
template <class T>
std::function<void(Program&)> conjugate_gradients_on(const Level<T>& level, bool is_singular);

}  // namespace goban::multigrid
