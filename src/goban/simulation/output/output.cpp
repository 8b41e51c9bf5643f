#include "goban/simulation/output/output.hpp"

#include <nlohmann/json.hpp>

namespace goban {

SimulationOutput::~SimulationOutput() = default;

nlohmann::ordered_json SimulationOutput::state() const { return nullptr; }

Array values_of(const AnyField& field, const Box& box) {
  Array values(field.record()->type, box.extents(), field.record()->components, field.name());
  copy_out(field.grid(), *field.record(), box, values.bytes.data());
  return values;
}

void help_with_values_of(const AnyField& field) {
  copy_out(field.grid(), *field.record(), {}, nullptr);
}

}  // namespace goban
