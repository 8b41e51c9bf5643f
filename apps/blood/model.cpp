#include "blood/model.hpp"

#include <cmath>

namespace goban::blood {

double Model::scaled_energy() const {
  const double volume = length_unit * length_unit * length_unit;
  return 3 * temperature / (pressure_unit() * volume);
}

Windkessel::Windkessel(const FlowOpening& opening, const Model& model) {
  const double unit = model.pressure_unit() / model.flow_unit();  // of resistances
  proximal = opening.proximal / unit;
  decay = std::exp(-model.time_unit / (opening.distal * opening.compliance));
  gain = (1 - decay) * opening.distal / unit;
}

}  // namespace goban::blood
