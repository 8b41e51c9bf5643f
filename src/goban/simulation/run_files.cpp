#include "goban/simulation/run_files.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "goban/io/atomic_file.hpp"
#include "goban/io/date.hpp"

namespace goban {

void write_run_record(const RunPlace& place) {
  std::string text;
  for (const auto& [name, value] : place.provenance) text += "# " + name + ": " + value + "\n";
  text += "# case: " + place.name + "\n";
  text += "# started: " + date_text() + "\n\n" + place.case_text;
  write_file(place.directory / "run.toml", text);
}

void write_status(const std::filesystem::path& directory, const std::string& status) {
  std::string line = status;
  std::replace(line.begin(), line.end(), '\n', ' ');
  write_file(directory / "STATUS", line + "\n");
}

void write_summary(const std::filesystem::path& path, const nlohmann::ordered_json& summary) {
  write_file(path,
             summary.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace goban
