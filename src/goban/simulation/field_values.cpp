#include "goban/simulation/field_values.hpp"

#include <cmath>

namespace goban {

Array values_of(const AnyField& field, const Box& box) {
  Array values(field.record()->type, box.extents(), field.record()->components, field.name());
  field.store().copy_out(*field.record(), box, values.bytes.data());
  return values;
}

void help_with_values_of(const AnyField& field) {
  field.store().copy_out(*field.record(), {}, nullptr);
}

Array magnitude_of(const Array& values) {
  Array length(ElementType::float64, values.extents, 1, values.name);
  const auto out = length.as<double>();
  visit_element(values.type, [&]<class T>(T) {
    const auto all = values.as<T>();
    for (std::size_t i = 0; i < out.size(); ++i) {
      double sum = 0;
      for (std::size_t c = 0; c < static_cast<std::size_t>(values.components); ++c) {
        const auto x = static_cast<double>(static_cast<ArithmeticOf<T>>(all[c * out.size() + i]));
        sum += x * x;
      }
      out[i] = std::sqrt(sum);
    }
  });
  return length;
}

}  // namespace goban
