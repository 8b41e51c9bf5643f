#pragma once
// The weights of the smoother, Relax and RelaxColor in poisson_stencils.hpp: Jacobi sweeps u += w
// D^-1 (A u - f), whose errors are multiplied by the polynomial prod(1 - w_j lambda) over the
// eigenvalues lambda of D^-1 A.

#include <vector>

#include "goban/boundary/boundary.hpp"
#include "goban/grid/grid.hpp"

namespace goban::multigrid {

/// The n weights whose polynomial is smallest on [low, high]: one over the roots of Chebyshev's, in
/// an order (Leja's) in which partial products stay small.
std::vector<double> chebyshev_weights(int n, double low, double high);

/// How many of them divide everything on [low, high] by `reduction` at least.
double sweeps_reducing(double reduction, double low, double high);

/// Whether nothing changes along an axis: it has one cell between ends without flow.
bool is_flat(Index3 cells, const BoundarySet& boundary, int axis);

/// 1 / h^2 per axis; 0 along flat ones.
Real3 inverse_squares(Index3 cells, Real3 spacing, const BoundarySet& boundary);

/// The smallest eigenvalue of D^-1 A other than 0 on a grid of few cells, D = 2 sum 1 / h^2.
double smallest_eigenvalue(Index3 cells, Real3 per_h2, const BoundarySet& boundary);

/// No side holds a value: solutions are known up to a constant, and f must have the mean of what
/// flows through the sides.
bool is_singular(const BoundarySet& boundary);

/// Ratio 2 along the axes that are put together next: those with an even number of cells on which u
/// is coupled strongest, h <= 1.5 h_min. 1 along all: the grid stays as it is.
Index3 next_ratio(Index3 cells, Real3 spacing, const BoundarySet& boundary);

}  // namespace goban::multigrid
