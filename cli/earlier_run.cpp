#include "cli/earlier_run.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "goban/base/error.hpp"
#include "goban/base/process/descriptor.hpp"
#include "goban/checkpoint/manifest.hpp"
#include "goban/checkpoint/nodes/record.hpp"
#include "goban/io/file/file_ranks.hpp"
#include "goban/io/file/json_file.hpp"
#include "goban/simulation/checkpointer/failure_count.hpp"
#include "goban/simulation/report/run_files.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = ".lock";
const std::set<std::string> of_every_run = {"run.toml",   "STATUS",     "summary.json", "STOP",
                                            "CHECKPOINT", failure_file, node_record,    lock_name};
const std::set<std::string> of_checkpoints = {"chk", "chk.old"};
constexpr const char* values_of_pictures = ".frames";

std::string without(std::string name, const std::string& ending) {
  if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

/// What a run leaves that dies while it begins: a file that was being written, or tried whether all
/// ranks see one directory.
bool is_unfinished(const std::string& name) {
  return name.ends_with(".partial") || name.starts_with(probe_prefix);
}

bool is_of_every_run(const std::string& name) {
  return name.starts_with(probe_prefix) || of_every_run.contains(without(name, ".partial"));
}

/// "0000100" and what follows it in "hotspot_T.0000100.png"; where there is no step, the end.
std::size_t place_of_step(const std::string& name) {
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const auto end = std::min(name.find_first_not_of("0123456789", dot + 1), name.size());
    if (end - dot > 7 && (end == name.size() || name[end] == '.')) return dot + 1;
  }
  return name.size();
}

/// Whether a run with outputs of these stems ("hotspot_T") writes such a file: one numbered by
/// steps or one for all.
bool is_output(const std::string& name, const std::set<std::string>& stems) {
  for (const char* ending : {".csv", ".xdmf", ".vtkhdf.series", ".png", ".vtkhdf", ".npy"}) {
    if (!name.ends_with(ending)) continue;
    const std::size_t step = place_of_step(name);
    const std::string stem = step < name.size() ? name.substr(0, step - 1) : without(name, ending);
    const auto live = stem.find("_live_");  // pictures that viewers of the page have asked for
    if (stems.contains(stem)) return true;
    if (live != std::string::npos && stems.contains(stem.substr(0, live + 5))) return true;
  }
  return false;
}

/// What run.toml says of `what` in the comments that it begins with.
std::vector<std::string> all_recorded(const fs::path& folder, const std::string& what) {
  std::ifstream record(folder / "run.toml");
  const std::string begin = "# " + what + ": ";
  std::vector<std::string> all;
  for (std::string line; std::getline(record, line) && line.starts_with('#');) {
    if (line.starts_with(begin)) all.push_back(line.substr(begin.size()));
  }
  return all;
}

/// How names of its outputs' files begin.
std::set<std::string> stems_of(const fs::path& folder) {
  const auto cases = all_recorded(folder, "case");
  if (cases.empty()) return {};
  std::set<std::string> stems = {cases.front() + "_diverged", cases.front() + "_live"};
  for (const std::string& output : all_recorded(folder, "output")) {
    stems.insert(cases.front() + "_" + output);
  }
  return stems;
}

/// Empty where there is none that can be read.
nlohmann::json summary_in(const fs::path& folder) {
  try {
    auto summary = read_json(folder / "summary.json");
    if (summary.is_object()) return summary;
  } catch (const Error&) {
  }
  return nlohmann::json::object();
}

std::set<std::string> outputs_of(const nlohmann::json& summary) {
  std::set<std::string> names;
  for (const auto& name : summary.value("outputs", nlohmann::json::array())) {
    if (name.is_string()) names.insert(name.get<std::string>());
  }
  return names;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

/// The folder is the checkpoint of a step, "0000100", also while it is written or removed,
/// "0000100.partial": it holds nothing but values and a manifest.
bool is_checkpoint(const fs::path& entry) {
  if (place_of_step("." + entry.filename().string()) != 1 || fs::is_symlink(entry) ||
      !fs::is_directory(entry)) {
    return false;
  }
  const auto files = entries_of(entry);
  return std::all_of(files.begin(), files.end(), [](const fs::path& file) {
    const std::string name = without(file.filename().string(), ".partial");
    return fs::is_regular_file(fs::symlink_status(file)) &&
           (name.ends_with(".bin") || name.starts_with("part-") || name == Manifest::file_name);
  });
}

struct Status {
  std::string text, writer;  ///< "running", "pid 4711 on node7, 2025-01-31T23:59:59Z"
  std::string host;
  pid_t pid = 0;
};

Status status_of(const fs::path& folder) {
  std::ifstream in(folder / "STATUS");
  Status status;
  if (!std::getline(in, status.text) || !std::getline(in, status.writer)) return status;
  std::istringstream words(status.writer);
  std::string word;
  words >> word >> status.pid >> word >> status.host;
  if (status.host.ends_with(',')) status.host.pop_back();
  return status;
}

enum class Lock { none, left, held };

Lock lock_in(const fs::path& folder) {
  const Descriptor file(::open((folder / lock_name).c_str(), O_RDONLY | O_CLOEXEC));
  if (file < 0) return Lock::none;
  return ::flock(file, LOCK_SH | LOCK_NB) == 0 ? Lock::left : Lock::held;
}

}  // namespace

bool holds_a_run(const fs::path& folder) {
  if (!all_recorded(folder, "goban").empty()) return true;
  const auto entries = entries_of(folder);
  return !entries.empty() && std::all_of(entries.begin(), entries.end(), [](const fs::path& entry) {
    return is_of_every_run(entry.filename().string());
  });
}

bool is_vacant(const fs::path& folder) {
  const auto entries = entries_of(folder);
  return std::all_of(entries.begin(), entries.end(), [](const fs::path& entry) {
    const std::string name = entry.filename().string();
    return name == lock_name || (is_unfinished(name) && is_of_every_run(name));
  });
}

bool has_finished(const fs::path& folder) { return status_of(folder).text.starts_with("finished"); }

bool is_held(const fs::path& folder) { return lock_in(folder) == Lock::held; }

std::string death_of(const fs::path& folder) {
  const Status status = status_of(folder);
  if (status.text != "running") return {};
  const bool is_here = status.host == host_name();
  const bool is_gone = is_here && status.pid > 0 && ::kill(status.pid, 0) != 0 && errno == ESRCH;
  if (!is_gone && lock_in(folder) != Lock::left) return {};
  return "the run in " + folder.string() + " has died (" + status.writer + ")";
}

EarlierFiles earlier_files(const fs::path& folder) {
  const std::set<std::string> listed = outputs_of(summary_in(folder));
  const std::set<std::string> stems = stems_of(folder);
  EarlierFiles found;
  const auto sort_in = [&](const fs::path& entry, bool is_of_run) {
    (is_of_run ? found.of_run : found.others).push_back(entry);
  };
  const auto sort_in_all = [&](const fs::path& inner, const auto& is_of_run) {
    const auto entries = entries_of(inner);
    if (std::all_of(entries.begin(), entries.end(), is_of_run)) return sort_in(inner, true);
    for (const fs::path& one : entries) sort_in(one, is_of_run(one));
  };
  for (const fs::path& entry : entries_of(folder)) {
    const std::string whole = entry.filename().string(), name = without(whole, ".partial");
    if (whole == lock_name) continue;
    if (!fs::is_directory(fs::symlink_status(entry))) {
      sort_in(entry, is_of_every_run(whole) || listed.contains(name) || is_output(name, stems));
    } else if (whole == values_of_pictures) {
      sort_in_all(entry, [&](const fs::path& file) {
        return fs::is_regular_file(fs::symlink_status(file)) &&
               is_output(without(file.filename().string(), ".partial"), stems);
      });
    } else if (of_checkpoints.contains(whole)) {
      sort_in_all(entry, is_checkpoint);
    } else {
      found.others.push_back(entry);
    }
  }
  return found;
}

}  // namespace goban::cli
