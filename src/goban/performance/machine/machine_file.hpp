#pragma once
// What is known of a machine, as a file: TOML with a comment for every number.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "goban/performance/model/machine_rates.hpp"

namespace goban {

/// Files of another format are refused: numbers may mean something else there.
inline constexpr int machine_file_format = 7;

/// `origin` names the text in errors (ExitCode::usage): no TOML, another format, an unknown key, a
/// key that is missing or of the wrong kind, a rate that is not positive.
MachineRates parse_machine(std::string_view text, const std::string& origin);
MachineRates read_machine(const std::filesystem::path& file);

/// The text of a file that parse_machine reads to the same rates.
std::string machine_text(const MachineRates& machine);

/// A machine file that comes with goban.
struct MachineText {
  std::string name;  ///< the name of its file, without ".toml"
  std::string text;
};
std::span<const MachineText> shipped_machines();

/// A machine file by its path, or one that is shipped by its name. Errors (ExitCode::usage): there
/// is neither.
MachineRates machine_named(const std::string& file_or_name);

}  // namespace goban
