#pragma once
// The direct solver on the host: FFTW along x and y, and along z if that is periodic.

#include <memory>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/solver/fourier_problem.hpp"

namespace goban {

/// Solves the equation for values of a whole grid, x fastest. It takes memory for three numbers a
/// cell. Bits are the same for any number of threads.
template <class T>
class HostFourier {
 public:
  explicit HostFourier(const FourierProblem& problem);

  /// Makes u of f, in place. Error (ExitCode::resources): FFTW is not there.
  void run(std::vector<T>& values, Executor& threads);

 private:
  using Direction = RealTransform::Direction;
  struct Both {
    RealTransform to_waves, to_values;
  };

  bool has_waves_along_z() const { return problem_.waves[2] == Waves::periodic; }
  /// Makes plans and memory when they are first needed.
  void prepare();
  void load(const std::vector<T>& values, Index k, double* plane) const;
  void store(std::vector<T>& values, Index k, const double* plane) const;
  /// Solves all columns of waves with this number along y.
  void solve_row(Index j, double* row, std::vector<double>& scratch) const;
  /// Goes up by Thomas' algorithm, row by row: afterwards u(k) = values(k) - scratch(k) u(k + 1).
  void eliminate(Index j, double* row, std::vector<double>& scratch) const;
  /// Takes the mean off the waves that are constant along x and y.
  void take_mean_off(double* row) const;

  FourierProblem problem_;
  Index3 n_;
  Index row_, plane_;  ///< rows along x begin on 64 bytes
  std::array<std::vector<double>, 3> eigenvalues_;
  double scale_ = 1;
  std::shared_ptr<double[]> memory_;
  std::unique_ptr<Both> planes_, columns_;
};

}  // namespace goban
