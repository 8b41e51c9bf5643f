#include "goban/simulation/report/run_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"

namespace goban {

namespace fs = std::filesystem;

void write_run_record(const RunPlace& place, const std::vector<CaseChange>& changes,
                      std::optional<Index> restarted) {
  std::string text;
  for (const auto& [name, value] : place.provenance) text += "# " + name + ": " + value + "\n";
  text += "# case: " + place.name + "\n";
  for (const std::string& output : place.outputs) text += "# output: " + output + "\n";
  text += "# started: " + date_text() + "\n";
  if (restarted) text += fmt::format("# restarted from step: {}\n", *restarted);
  for (const CaseChange& change : changes) {
    text += fmt::format("# changed at step {}: {}\n", change.step, change.text());
  }
  text += "\n" + place.case_text;
  write_file(place.directory / "run.toml", text);
}

void write_status(const std::filesystem::path& directory, const std::string& status) {
  std::string line = status;
  std::replace(line.begin(), line.end(), '\n', ' ');
  write_file(directory / "STATUS",
             fmt::format("{}\npid {} on {}, {}\n", line, ::getpid(), host_name(), date_text()));
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

void remove_unfinished(const fs::path& directory) {
  for (const fs::path& folder : {directory, directory / "chk"}) {
    std::error_code error;
    std::vector<fs::path> unfinished;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->path().extension() == ".partial") unfinished.push_back(entry->path());
    }
    for (const fs::path& path : unfinished) {
      // A checkpoint that is committed in this moment has another name by now, and stays whole.
      const fs::path trash = fs::path(path).replace_extension(".trash");
      if (fs::is_directory(path, error)) fs::rename(path, trash, error);
      fs::remove_all(fs::exists(trash, error) ? trash : path, error);
    }
  }
}

void check_summary_file(const fs::path& path) {
  if (!path.empty()) prepare_file(path, "{\n  \"goban\": \"");
}

void write_summary(const fs::path& directory, const fs::path& second,
                   const nlohmann::ordered_json& summary) {
  const std::string text =
      summary.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (!directory.empty()) write_file(directory / "summary.json", text);
  if (second.empty()) return;
  check_summary_file(second);
  write_file(second, text);
}

}  // namespace goban
