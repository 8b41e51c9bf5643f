#include "goban/backend/cuda/launch/launch_memory.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "goban/base/build_info.hpp"
#include "goban/base/error.hpp"
#include "goban/base/process/cache_folder.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/json_file.hpp"

namespace goban::cuda {
namespace {

/// Returns the version of the file, which is that of the source, because kernels change with it.
std::string version() {
  return std::string(build_info().version) + " " + std::string(build_info().commit);
}

}  // namespace

LaunchMemory::LaunchMemory(std::filesystem::path file)
    : file_(std::move(file)), choices_(read(file_)) {}

LaunchMemory::Choices LaunchMemory::read(const std::filesystem::path& file) {
  try {
    if (file.empty() || !is_there(file)) return {};
    const auto content = read_json(file);
    if (content.at("goban").get<std::string>() != version()) return {};
    return content.at("launches").get<Choices>();
  } catch (const Error&) {
  } catch (const nlohmann::json::exception&) {
  }
  return {};
}

std::optional<LaunchChoice> LaunchMemory::find(const std::string& device,
                                               const std::string& sweep) const {
  const std::lock_guard lock(mutex_);
  const auto sweeps = choices_.find(device);
  if (sweeps == choices_.end()) return {};
  const auto found = sweeps->second.find(sweep);
  if (found == sweeps->second.end()) return {};
  return launch_choice(found->second);
}

void LaunchMemory::remember(const std::string& device, const std::string& sweep,
                            const LaunchChoice& choice) {
  const std::lock_guard lock(mutex_);
  choices_[device][sweep] = text_of(choice);
  if (file_.empty()) return;
  Choices all = choices_;
  for (const auto& [name, sweeps] : read(file_)) all[name].insert(sweeps.begin(), sweeps.end());
  try {
    make_directory(file_.parent_path());
    write_json(file_, {{"goban", version()}, {"launches", all}});
  } catch (const Error&) {  // the folder cannot be written
  }
}

void LaunchMemory::forget() {
  const std::lock_guard lock(mutex_);
  choices_.clear();
}

int LaunchMemory::count() const {
  const std::lock_guard lock(mutex_);
  std::size_t n = 0;
  for (const auto& [device, sweeps] : choices_) n += sweeps.size();
  return static_cast<int>(n);
}

std::filesystem::path launch_cache_file() {
  if (const char* name = std::getenv("GOBAN_LAUNCH_CACHE"); name && *name) {
    const std::filesystem::path file(name);
    return is_own(file.parent_path()) ? file : std::filesystem::path();
  }
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? folder : folder / "launches.json";
}

}  // namespace goban::cuda
