#pragma once
// Fluids whose viscosity depends on the rate of shear, as cases say them.

#include "goban/io/case/file.hpp"
#include "goban/io/case/schema.hpp"

namespace goban {

/// Kinematic viscosities and stresses over the density, in SI units. Defaults are those of human
/// blood of 1060 kg/m3: 56 and 3.45 mPa s (Cho, Kensey, Biorheology 28 (1991) 241); a yield stress
/// of 5 mPa.
struct Rheology {
  enum class Kind {
    newton,          ///< flow.viscosity
    carreau_yasuda,  ///< infinite + (zero - infinite) (1 + (time gamma)^power)^((exponent-1)/power)
    casson           ///< (sqrt(viscosity) + sqrt(yield_stress / gamma))^2, at most `largest`
  };
  Kind kind = Kind::newton;
  double zero = 5.283e-5;  ///< m2/s
  double infinite = 3.255e-6;
  double time = 3.313;  ///< s
  double power = 2;
  double exponent = 0.3568;
  double viscosity = 3.255e-6;
  double yield = 4.717e-6;  ///< m2/s2
  double largest = 3.255e-4;

  /// The viscosity at a rate of shear of so many 1/s.
  double at(double rate, double newtonian) const;
  /// The same in other units of length and time.
  Rheology scaled(double length, double time_unit) const;
};

/// [rheology].
void declare_rheology(CaseSchema& schema);
/// Error (usage): a viscosity at rest that is less than that of fast shear.
Rheology read_rheology(const Case& values);

}  // namespace goban
