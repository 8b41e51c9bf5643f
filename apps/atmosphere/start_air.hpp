#pragma once
// The air at first, in cells.

#include <optional>

#include "atmosphere/model.hpp"
#include "goban/field/field.hpp"

namespace goban::atmosphere {

/// What the model, or a file in its place, says of each cell.
struct StartAir {
  Field<double> base_theta;                           ///< theta_m of the base state, K
  Field<double> theta;                                ///< theta_m, K; a file's is that of the air
  Field<double> rise;                                 ///< from the centre below, m
  Field<double> base_lowest, lowest;                  ///< pressure in the lowest cells, Pa
  Field<double> warmer, hotter;                       ///< bubbles of theta and of temperature, K
  Field<double> base_p, p;                            ///< Pa, to be found unless a file says it
  Field<double> base_u, base_v, u, v;                 ///< m/s, on the map
  std::optional<Field<double>> w;                     ///< m/s, of a file
  std::optional<std::array<Field<double>, 3>> water;  ///< mixing ratios of vapour, cloud, rain
};

StartAir start_air(Grid& grid, const Model& model, const Levels& levels);

}  // namespace goban::atmosphere
