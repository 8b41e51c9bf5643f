#pragma once
// Spectra of what lives in a periodic box.

#include <vector>

#include "goban/field/field.hpp"

namespace goban {

/// What waves of about one length hold.
struct SpectrumLine {
  double wave_number;  ///< 1 over the length unit, 2 pi over the length of a wave
  double density;      ///< half the square of the values per wave number: [value^2 length]
};

/// E(k) with sum of E(k) dk = half the mean square of the values, in shells |k| of the width
/// dk = 2 pi over the longest edge of the box, each named by its middle; x fastest, cell after
/// cell. Values of any location in a periodic grid. Error (ExitCode::usage): it is not periodic;
/// (ExitCode::resources): FFTW is not there (real_transform.hpp).
std::vector<SpectrumLine> spectrum_of(const GridState& grid, const std::vector<double>& values);
void require_spectrum(const GridState& grid);

}  // namespace goban
