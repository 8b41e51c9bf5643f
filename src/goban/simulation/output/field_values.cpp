#include "goban/simulation/output/field_values.hpp"

namespace goban {

Array values_of(const AnyField& field, const Box& box) {
  Array values(field.record()->type, box.extents(), field.record()->components, field.name());
  field.store().copy_out(*field.record(), box, values.bytes.data());
  return values;
}

void help_with_values_of(const AnyField& field) {
  field.store().copy_out(*field.record(), {}, nullptr);
}

}  // namespace goban
