#include "goban/backend/cuda/launch/launch_memory.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "goban/base/build_info.hpp"
#include "goban/base/cache_folder.hpp"

namespace goban::cuda {
namespace {

/// Kernels change with the source.
std::string version() {
  return std::string(build_info().version) + " " + std::string(build_info().commit);
}

}  // namespace

LaunchMemory::LaunchMemory(std::filesystem::path file)
    : file_(std::move(file)), choices_(read(file_)) {}

LaunchMemory::Choices LaunchMemory::read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const auto content = nlohmann::json::parse(stream, nullptr, false);
  try {
    if (!content.is_object() || content.at("goban").get<std::string>() != version()) return {};
    return content.at("launches").get<Choices>();
  } catch (const nlohmann::json::exception&) {
    return {};
  }
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
  std::error_code error;
  std::filesystem::create_directories(file_.parent_path(), error);
  const std::filesystem::path temporary = file_.string() + "." + std::to_string(getpid());
  {
    std::ofstream stream(temporary);
    stream << nlohmann::json{{"goban", version()}, {"launches", all}}.dump(1) << "\n";
    stream.close();
    if (!stream) {
      std::filesystem::remove(temporary, error);
      return;
    }
  }
  std::filesystem::rename(temporary, file_, error);
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
  if (const char* file = std::getenv("GOBAN_LAUNCH_CACHE"); file && *file) return file;
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? folder : folder / "launches.json";
}

}  // namespace goban::cuda
