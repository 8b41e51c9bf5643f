#pragma once
// Numbers and rates of the WRF single-moment scheme with six species (WSM6) of Hong and Lim (J.
// Korean Meteor. Soc. 42 (2006) 129), with the ice of Hong, Dudhia, Chen (Mon. Weather Rev. 132
// (2004) 103; HDC) and what both take from Lin, Farley, Orville (J. Climate Appl. Meteor. 22 (1983)
// 1065; LFO) and Rutledge, Hobbs (J. Atmos. Sci. 40 (1983) 1185, 41 (1984) 2949; RH).
//
// Processes have the names of the paper. Rates are kg a second in a kg of dry air, SI units
// otherwise; rho is the density of dry air, l = 1 / lambda the mean diameter of drops, flakes and
// grains (particles.hpp), f = (1.28 / rho)^(1/2), supercooled = T_0 - T.
//
// Other than in the paper: what leaves a species in a step is scaled down to what there is of it
// at the beginning, so that water is conserved to round-off and none is below zero; latent heats
// and the heat capacity are constant, so that c_p T + L_v q_v - L_f (q_i + q_s + q_g) of a cell is
// conserved; water saturates as in kessler.hpp, ice by Tetens's formula with the numbers of Murray
// (J. Appl. Meteor. 6 (1967) 203); vapour that ice and rain exchange in a step is what saturates
// air at the temperature that follows, at most; rain evaporates, cloud alone condenses.

#include <cmath>

#include "atmosphere/kessler.hpp"
#include "atmosphere/particles.hpp"

namespace goban::atmosphere {

/// Mixing ratios of vapour, cloud, rain, cloud ice, snow and graupel, kg/kg, and temperature, K.
template <class X>
struct SixSpecies {
  X vapor, cloud, rain, ice, snow, graupel, temperature;
};

/// How particles fall, sweep up and exchange vapour and heat. T: float or double.
template <class T>
struct Sweeping {
  Particles<T> kind;
  T shape_of_exchange, still, moving;  ///< 2 pi or 4; 0.78, 0.31 or 0.65, 0.44
  T fall = kind.fall_factor * static_cast<T>(std::tgamma(4 + kind.fall_exponent) / 6);
  T sweep = static_cast<T>(std::numbers::pi / 4) * kind.intercept * kind.fall_factor *
            static_cast<T>(std::tgamma(3 + kind.fall_exponent));
  T ventilation = moving * std::sqrt(kind.fall_factor) *
                  static_cast<T>(std::tgamma(2.5 + kind.fall_exponent / 2));

  /// Mean of what falls, m/s: a Gamma(4 + b) / 6 l^b f.
  GOBAN_FUNCTION auto fall_speed(const auto& l, const auto& f) const {
    return fall * power(l, kind.fall_exponent) * f;
  }
  /// Share of small things in its way that it collects in a second, pi / 4 N_0 a Gamma(3 + b)
  /// l^(3+b) f.
  GOBAN_FUNCTION auto collection(const auto& l, const auto& many, const auto& f) const {
    return sweep * many * (l * l * l) * power(l, kind.fall_exponent) * f;
  }
  /// What exchanges vapour or heat, 1/m2: (2 pi or 4) N_0 (0.78 l^2 + 0.31 Gamma((5 + b) / 2)
  /// a^(1/2) F l^((5+b)/2)), F of ventilation.
  GOBAN_FUNCTION auto exchange(const auto& l, const auto& many, const auto& F) const {
    const auto faster = ventilation * F * sqrt(l * power(l, kind.fall_exponent));
    return (shape_of_exchange * kind.intercept) * many * (l * l) * (still + faster);
  }
};

template <class T>
struct Wsm6 {
  Kessler<T> water{};                ///< latent heat, heat capacity, saturation over water
  T fusion_heat = T(3.34e5);         ///< L_f, J/kg
  T vapor_gas_constant = T(461.5);   ///< R_v, J/(kg K)
  T liquid_heat_capacity = T(4190);  ///< J/(kg K)
  T murray_factor = T(21.8745584), murray_temperature = T(7.66);
  T density_of_fall = T(1.28);                            ///< kg/m3, where fall speeds hold
  T droplets = T(3e8);                                    ///< in a m3 of cloud
  T freezing_exponent = T(0.66), freezing_rate = T(100);  ///< Bigg's, 1/K, 1/(m3 s)
  T courant = T(0.8);  ///< levels that a species falls through in a sub-cycle at most

  static constexpr T pi = static_cast<T>(std::numbers::pi), melting = static_cast<T>(melting_point);
  Sweeping<T> rain{rain_drops<T>, 2 * pi, T(0.78), T(0.31)};
  Sweeping<T> snow{snow_flakes<T>, 4, T(0.65), T(0.44)};
  Sweeping<T> graupel{graupel_grains<T>, 2 * pi, T(0.78), T(0.31)};

  T sublimation_heat() const { return water.latent_heat + fusion_heat; }

  /// p q_vi, hPa; Kessler's over water is equal to it at 273 K.
  GOBAN_FUNCTION auto ice_saturation(const auto& temperature) const {
    return water.saturation_pressure *
           exp(murray_factor * (temperature - water.freezing_temperature) /
               (temperature - murray_temperature));
  }
  /// Vapour above saturation [kg/kg] that condensing takes away, air growing warmer by it: a step
  /// of Newton's method, d q_s / dT = L q_s / (R_v T^2).
  GOBAN_FUNCTION auto excess(const auto& q_v, const auto& q_s, const auto& temperature,
                             T latent_heat) const {
    const T of_heat = latent_heat * latent_heat / (water.heat_capacity * vapor_gas_constant);
    return (q_v - q_s) / (T(1) + of_heat * q_s / (temperature * temperature));
  }

  /// Crystals of cloud ice in a m3 (HDC 5c): 5.38e7 (rho q_i)^0.75, from 1e3 to 1e6.
  GOBAN_FUNCTION auto crystals(const auto& content) const {
    return min(max(T(5.38e7) * sqrt(content) * sqrt(sqrt(content)), T(1e3)), T(1e6));
  }
  /// Their diameter, m (HDC 5b): 11.9 m^(1/2), at most 500 um.
  GOBAN_FUNCTION auto crystal_size(const auto& content) const {
    return min(T(11.9) * sqrt(content / crystals(content)), T(5e-4));
  }
  /// m/s (HDC 5a): 1.49e4 D^1.31.
  GOBAN_FUNCTION auto crystal_fall(const auto& size) const {
    return T(1.49e4) * power(size, T(1.31));
  }

  /// Dynamic viscosity, kg/(m s); 1414 of it conducts heat, W/(m K).
  GOBAN_FUNCTION auto viscosity(const auto& temperature) const {
    return T(1.496e-6) * temperature * sqrt(temperature) / (temperature + T(120));
  }
  GOBAN_FUNCTION auto diffusivity(const auto& temperature, const auto& pascal) const {
    return T(8.794e-5) * power(temperature, T(1.81)) / pascal;
  }
  /// F = Sc^(1/3) nu^(-1/2) (1.28 / rho)^(1/4).
  GOBAN_FUNCTION auto ventilation(const auto& temperature, const auto& rho, const auto& pascal,
                                  const auto& f) const {
    const auto nu = viscosity(temperature) / rho;
    return power(nu / diffusivity(temperature, pascal), T(1.0 / 3)) / sqrt(nu) * sqrt(f);
  }
  /// What holds vapour and heat up, m s/kg times kg/m3 (HDC A_x + B_x): rho L^2 / (K R_v T^2) + 1 /
  /// (q_s D).
  GOBAN_FUNCTION auto resistance(const auto& temperature, const auto& rho, const auto& pascal,
                                 const auto& q_s, T latent_heat) const {
    const auto conductivity = T(1414) * viscosity(temperature);
    return rho * (latent_heat * latent_heat) /
               (conductivity * vapor_gas_constant * temperature * temperature) +
           T(1) / (q_s * diffusivity(temperature, pascal));
  }

  /// Praut (HDC 16), cloud that becomes rain: from 0.42 g/m3 or so on, 0.104 g 0.55 rho_0^(4/3) /
  /// (mu (N_c rho_w)^(1/3)) q_c^(7/3), mu = 1.718e-5 kg/(m s).
  GOBAN_FUNCTION auto autoconversion(const auto& cloud) const {
    const T density = rain.kind.density;
    const T threshold = T(4.0 / 3) * pi * density * droplets / density_of_fall * T(0.512e-15);
    const T rate = T(0.104 * 9.8 * 0.55 / 1.718e-5) / std::cbrt(droplets * density) *
                   std::pow(density_of_fall, T(4.0 / 3));
    return select(cloud > threshold, rate * power(cloud, T(7.0 / 3)), T(0));
  }
  /// Rate at which drops freeze, 1/(m3 s) (Bigg): 100 (exp(0.66 supercooled) - 1), to 40 K.
  GOBAN_FUNCTION auto freezing(const auto& supercooled) const {
    return freezing_rate * (exp(freezing_exponent * min(supercooled, T(40))) - T(1));
  }
  /// Psaci and others (LFO 22): cloud ice of this size that a kind collects of a kg, a second.
  GOBAN_FUNCTION auto ice_collection(const Sweeping<T>& by, const auto& many, const auto& l,
                                     const auto& size, const auto& speed) const {
    const auto reach = T(2) * (l * l * l) + T(2) * size * (l * l) + size * size * l;
    return (pi / 4 * by.kind.intercept) * many * abs(speed) * reach;
  }
  /// Piacr (LFO 26): rain that crystals of `content` kg/m3 freeze, kg/(m3 s): pi^2 a N_0 rho_w
  /// Gamma(6 + b) / 24 n_i l^(6+b) f.
  GOBAN_FUNCTION auto drops_on_crystals(const auto& l, const auto& content, const auto& f) const {
    const T of_rain = pi * pi / 24 * rain.kind.fall_factor * rain.kind.intercept *
                      rain.kind.density * std::tgamma(6 + rain.kind.fall_exponent);
    const auto cube = l * l * l;
    return select(content > T(0), crystals(content), T(0)) * of_rain * cube *
           (cube * power(l, rain.kind.fall_exponent)) * f;
  }
  /// Pracs and others (LFO 27): what `by` collects of the kind `of`, l the size of each: pi^2 N N'
  /// |V - V'| (density / rho) (5 l^6 l' + 2 l^5 l'^2 + l^4 l'^3 / 2).
  GOBAN_FUNCTION auto capture(const Sweeping<T>& of, const auto& l, const Sweeping<T>& by,
                              const auto& other, const auto& many, const auto& speed,
                              const auto& rho) const {
    const auto cube = l * l * l, square = other * other;
    const auto reach =
        cube * (cube * other * T(5) + T(2) * (l * l) * square + T(0.5) * l * (square * other));
    return (pi * pi * of.kind.density * of.kind.intercept) * by.kind.intercept * many * abs(speed) /
           rho * reach;
  }
};

}  // namespace goban::atmosphere
