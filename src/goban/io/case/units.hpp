#pragma once
// Numbers with units as a case file writes them: "5 mm", "10 min", "2 GiB", "0.1 W/(m K)".

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace goban {

/// SI dimensions (m, kg, s, K, A, mol, byte) and the size of one unit: factor * 10^decimal.
/// The power of ten is kept apart so that "5 mm" is the same double as 5e-3.
struct Unit {
  std::array<int, 7> dimension{};
  int decimal = 0;
  double factor = 1;
};

/// Reads products and quotients of units with SI prefixes: "kg/m3", "W/(m K)", "m^2 s^-1", "GiB",
/// "%", "1". Nothing when a symbol is unknown or the form is wrong.
std::optional<Unit> parse_unit(std::string_view text);

/// A number read in the wanted unit, or why it could not be read.
struct Quantity {
  std::optional<double> value;
  std::string why;
};

/// Reads "number", "number unit" or, for times, "[days-]hours:minutes:seconds"; the value is in
/// `unit`. Decimal prefixes are exact: no rounding but that of the decimal number itself.
Quantity parse_quantity(std::string_view text, const std::string& unit);

}  // namespace goban
