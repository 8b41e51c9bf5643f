#include "goban/simulation/output/field_values.hpp"

namespace goban {

Array values_of(const AnyField& field, const Box& box) {
  Array values(field.record()->type, box.extents(), field.record()->components, field.name());
  copy_out(field.grid(), *field.record(), box, values.bytes.data());
  return values;
}

void help_with_values_of(const AnyField& field) {
  copy_out(field.grid(), *field.record(), {}, nullptr);
}

}  // namespace goban
