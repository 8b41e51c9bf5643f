#pragma once
// div grad u = f solved directly, by Fourier transforms, as a stage of any program.

#include <limits>
#include <memory>

#include "goban/cases/fourier_transforms.hpp"
#include "goban/field/field.hpp"
#include "goban/program/program.hpp"

namespace goban {

struct FourierOptions {
  /// Where no side holds a value: the error of f's mean, relative to its largest magnitude, that is
  /// put right without a word. More is an error (ExitCode::usage).
  double most_imbalance = std::numeric_limits<double>::infinity();
  FourierTransforms transforms = FourierTransforms::automatic;
};

/// Solves div grad u = f on the grid of u, cells of any shape and number, as Multigrid has it with
/// c = 1, to round-off: waves along x and y, whose columns along z are tridiagonal. Boundary
/// conditions are those that u has when the solver is made, each side its own: wall_value,
/// gradient, mirror, periodic. Where no side holds a value the mean is taken off f, and that of u
/// is 0; f itself stays as it is.
///
/// With the host's transforms it runs on the host of the first rank, which gathers f and spreads u:
/// bits are the same however grids are cut and whatever computes the rest, on one machine. There it
/// takes memory for three numbers a cell, and FFTW (libfftw3.so.3, or what GOBAN_FFTW names), found
/// at run time. With the device's, nothing leaves the GPU, and the host waits for nothing; it takes
/// memory for about three numbers a cell there, and cuFFT (libcufft.so.12 or .11, or what
/// GOBAN_CUFFT names).
///
/// Errors: (ExitCode::usage) fields of other grids or places, conditions of the user's own or that
/// vary; (ExitCode::resources) FFTW is not there, or, when it runs, there is no such device or
/// library, or not the one with which the run began.
template <class T>
class Fourier {
 public:
  Fourier(const Field<T>& u, const Field<T>& f, FourierOptions options = {});
  /// u becomes the solution.
  void add_solve(Program& program) const;
  /// Returns what transforms: "by cuFFT 12.0 on the GPU", "by FFTW on the host (2 patches share the
  /// grid)"; empty before the first solution.
  std::string describe() const;

 private:
  class Solve;
  std::shared_ptr<Solve> solve_;
};

}  // namespace goban
