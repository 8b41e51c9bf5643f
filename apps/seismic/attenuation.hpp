#pragma once
// Rock in which waves lose energy: Q that is nearly constant over a band of frequencies.
//
// A generalized Zener body (Moczo and Kristek, Geophys. Res. Lett. 32 (2005) L01306): what an
// elastic modulus would make of the deformation, s, relaxes by three mechanisms,
//   stress = s - sum of p_l,   dp_l/dt + w_l p_l = w_l Y_l s,
// discretised with s at the end of the step, so that s is stress and memory together and nothing of
// the deformation needs to be known:
//   p_l' = (p_l + D_l Y_l s') / (1 + D_l),   D_l = w_l dt.
// That is of first order in dt, but what it does to a wave is known exactly, and the Y_l are fitted
// to that: over the modulus without relaxation the discrete one is
//   m = 1 - sum of Y_l D_l / (1 + D_l - exp(-i w dt)),   Q = Re m / Im m.
// A discrete energy never grows as long as no Y_l is negative (LossyEnergy), up to the time step of
// the modulus without relaxation.

#include <array>
#include <complex>

#include "seismic/model.hpp"

namespace goban::seismic {

/// Three mechanisms for steps of dt in a band. Y_l = loss (linear_l + square_l loss) with loss =
/// 1/Q: that keeps 1/Q within 2 % of what it shall be over a factor of 10 in frequency, 5 % over
/// one of 50, for Q from 20 on (8 % for Q = 10).
struct Mechanisms {
  static constexpr int count = 3;
  static constexpr double widest = 50;          ///< band, its ends over each other
  static constexpr double largest_angle = 0.5;  ///< 2 pi f dt of the upper end
  std::array<double, count> decay{};            ///< D_l
  std::array<double, count> linear{}, square{};
  double reference = 0;  ///< 2 pi f dt of the frequency that speeds are of

  Mechanisms() = default;
  Mechanisms(const Band& band, double dt);

  /// m at w dt = `angle`.
  std::complex<double> modulus(double loss, double angle) const;
  /// The same rock with the speeds that its moduli without relaxation give.
  Rock unrelaxed(const Rock& rock) const;
};

/// 1/Q of lambda + 2 mu / D, which with mu makes up the modulus of P waves: negative where Q_p is
/// too large for Q_s.
double bulk_loss(const Rock& rock, int dimensions);
/// The Q_p that makes it 0 in three dimensions; infinite if the rock has no loss of S waves.
double largest_q_p(const Rock& rock);

}  // namespace goban::seismic
