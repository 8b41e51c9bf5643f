#pragma once
// Numbers with units as people write them: 16 mm rather than 0.016 m.

#include <string>

namespace goban {

/// The power of ten, a multiple of 3, that the prefix of `unit` stands for where values are of this
/// size: -3 for 0.016 m. 0 for units that take no prefix here (K, kg, m/s, ...), for 0, NaN and
/// infinity; never above 0 for seconds.
int prefix_exponent(double size, const std::string& unit);

/// "mm" for -3 and "m". The exponent is one of prefix_exponent().
std::string prefixed_unit(int exponent, const std::string& unit);

/// "16 mm", "0.3 m/s", "12" for a pure number.
std::string quantity_text(double value, const std::string& unit, int digits = 6);

}  // namespace goban
