#include "goban/cases/rheology.hpp"

#include <algorithm>
#include <cmath>

namespace goban {

double Rheology::at(double rate, double newtonian) const {
  if (kind == Kind::newton) return newtonian;
  if (kind == Kind::carreau_yasuda) {
    return infinite +
           (zero - infinite) * std::pow(1 + std::pow(time * rate, power), (exponent - 1) / power);
  }
  const double root = std::sqrt(viscosity) + std::sqrt(yield / rate);
  return std::min(root * root, largest);
}

Rheology Rheology::scaled(double length, double time_unit) const {
  Rheology other = *this;
  for (double* nu : {&other.zero, &other.infinite, &other.viscosity, &other.largest}) {
    *nu *= time_unit / (length * length);
  }
  other.time /= time_unit;
  other.yield *= time_unit * time_unit / (length * length);
  return other;
}

void declare_rheology(CaseSchema& schema) {
  schema.section("rheology",
                 "how the viscosity depends on the rate of shear; defaults are blood's");
  schema
      .key("rheology.model", &Rheology::kind,
           {{"newton", Rheology::Kind::newton},
            {"carreau_yasuda", Rheology::Kind::carreau_yasuda},
            {"casson", Rheology::Kind::casson}})
      .doc("model of the viscosity; newton: flow.viscosity at any rate");
  schema.key("rheology.zero_viscosity", &Rheology::zero)
      .positive()
      .unit("m2/s")
      .doc("carreau_yasuda: kinematic viscosity at rest");
  schema.key("rheology.infinite_viscosity", &Rheology::infinite)
      .positive()
      .unit("m2/s")
      .doc("carreau_yasuda: kinematic viscosity at fast shear");
  schema.key("rheology.time", &Rheology::time)
      .positive()
      .unit("s")
      .doc("carreau_yasuda: time, one over the rate of shear at which the fluid thins");
  schema.key("rheology.power", &Rheology::power)
      .positive()
      .doc("carreau_yasuda: power, how sharply thinning begins");
  schema.key("rheology.exponent", &Rheology::exponent)
      .positive()
      .at_most(1)
      .doc("carreau_yasuda: exponent of the stress over the rate where the fluid thins");
  schema.key("rheology.casson_viscosity", &Rheology::viscosity)
      .positive()
      .unit("m2/s")
      .doc("casson: kinematic viscosity at fast shear");
  schema.key("rheology.yield_stress", &Rheology::yield)
      .at_least(0)
      .unit("m2/s2")
      .doc("casson: yield stress over the density");
  schema.key("rheology.largest_viscosity", &Rheology::largest)
      .positive()
      .unit("m2/s")
      .doc("casson: largest viscosity, below the yield stress");
}

Rheology read_rheology(const Case& values) {
  auto rheology = values.read<Rheology>();
  if (rheology.kind == Rheology::Kind::carreau_yasuda && rheology.zero < rheology.infinite) {
    throw values.error("rheology.zero_viscosity", "the fluid thickens", "it is made to thin alone",
                       "make rheology.zero_viscosity at least rheology.infinite_viscosity");
  }
  if (rheology.kind == Rheology::Kind::casson && rheology.largest < rheology.viscosity) {
    throw values.error("rheology.largest_viscosity", "it is less than rheology.casson_viscosity",
                       "that of fast shear", "make it a hundred times as large");
  }
  return rheology;
}

}  // namespace goban
