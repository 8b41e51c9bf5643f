#pragma once
// What a run that goes on does otherwise than those before it.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/simulation/options.hpp"

namespace goban {

/// From `step` on, a key of the case has another value; empty: it has none.
struct CaseChange {
  Index step = 0;
  std::string key, was, is;
  bool is_free = false;  ///< allowed unasked: results up to the end are those of the same case

  /// "medium.conductivity = 60 (was 130)".
  std::string text() const;
};

/// 16 hexadecimal digits for what is in a file, or in the files of a folder. Error(files).
std::string hash_of_content(const std::filesystem::path& path);

/// Adds to the values of `options` what stands for the content of its files, so that a restart sees
/// that one has changed. Error(files): one cannot be read.
void add_file_contents(SimulationOptions& options, Communicator& ranks);

/// What `options` say otherwise than the run that saved `details` at `step`. Free are the end,
/// schedules of outputs, tables of outputs that come or go, all of [checkpoint], and a time step
/// that follows from the case. No change is what says how a run is computed and leaves its bits as
/// they are: [run] but for precision, seed, halo_precision and subnormals.
std::vector<CaseChange> changes_since(const nlohmann::ordered_json& details, Index step,
                                      const SimulationOptions& options);

/// Error (usage): there are changes that are not free, and the options do not allow them.
void require_allowed(const std::vector<CaseChange>& changes, const SimulationOptions& options);

nlohmann::ordered_json json_of(const std::vector<CaseChange>& changes);
std::vector<CaseChange> changes_in(const nlohmann::ordered_json& json);

}  // namespace goban
