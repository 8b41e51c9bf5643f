#include "goban/io/case/value.hpp"

namespace goban::members {

TimeValue time_value_of(const CaseValue& value, const std::string& unit) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return *parse_time_value(std::get<std::string>(value), unit).value;
}

TimeValue3 time_values_of(const CaseValue& value, const std::string& unit) {
  TimeValue3 values;
  for (std::size_t i = 0; i < 3; ++i) {
    values[i] = std::holds_alternative<std::vector<double>>(value)
                    ? TimeValue(std::get<std::vector<double>>(value).at(i))
                    : time_value_of(std::get<std::vector<std::string>>(value).at(i), unit);
  }
  return values;
}

}  // namespace goban::members
