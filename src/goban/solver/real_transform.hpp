#pragma once
// Fourier, cosine and sine transforms of real numbers, by FFTW 3, which is loaded at run time.

#include <memory>
#include <vector>

#include "goban/boundary/boundary.hpp"

namespace goban {

/// What lines of values are sums of between two ends, cells lying half a cell from them; FFTW's
/// numbers of the transforms to these sums.
enum class Waves : std::uint8_t {
  periodic = 0,  ///< R2HC: cosines of 0 ... n / 2 waves, then sines of as many, the shortest first
  even = 5,      ///< REDFT10: cosines; nothing changes across the ends
  even_odd = 6,  ///< REDFT11: and 0 at the high end
  odd = 9,       ///< RODFT10: sines; 0 at both ends
  odd_even = 10  ///< RODFT11: and nothing changes across the high end
};

/// Waves that fulfil the homogeneous counterparts of two conditions. Error (ExitCode::usage):
/// `constant`, and conditions of the user's own.
Waves waves_between(const BoundaryCondition& low, const BoundaryCondition& high);
/// The factor of second differences for the wave at a place of a transformed line, over 1 / h^2:
/// -(2 sin(k h / 2))^2, k the number of the wave.
double second_difference(Waves waves, Index cells, Index place);
/// What both transforms together multiply values by.
double size_of(Waves waves, Index cells);

/// Transforms lines of numbers in place, one line or many side by side; the same bits wherever they
/// lie, if all lie on 64 bytes. Several threads may run it at once.
class RealTransform {
 public:
  struct Axis {
    Index cells, stride;
    Waves waves;
  };
  enum class Direction : std::uint8_t { to_waves, to_values };
  /// Transforms along all `axes`, for each of `count` neighbours in memory. Error
  /// (ExitCode::resources): FFTW is not there.
  RealTransform(const std::vector<Axis>& axes, Index count, Direction direction, double* memory);
  void run(double* values) const;

 private:
  std::shared_ptr<void> plan_;
};

/// Memory for `count` numbers, all 0, which starts on 64 bytes.
std::shared_ptr<double[]> transform_memory(Index count);

/// Error (ExitCode::resources): FFTW is not there.
void require_transforms();

}  // namespace goban
