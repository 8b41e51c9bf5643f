#include "goban/backend/cuda/driver/library_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

namespace goban::cuda {
namespace {

using Path = std::filesystem::path;

/// Returns the folders `parent`/`prefix`*, the latest version first.
std::vector<Path> folders_like(const Path& parent, const std::string& prefix) {
  std::vector<Path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(parent, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().filename().string().rfind(prefix, 0) == 0) found.push_back(at->path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

/// Adds the folders in which packages of a Python with this prefix lie.
void add_packages(const Path& prefix, std::vector<Path>& all) {
  for (const Path& python : folders_like(prefix / "lib", "python3")) {
    for (const char* packages : {"site-packages", "dist-packages"}) {
      for (const char* wheel : {"cu13/lib", "cuda_nvrtc/lib", "cufft/lib"}) {
        all.push_back(python / packages / "nvidia" / wheel);
      }
    }
  }
}

void add_toolkit(const Path& root, std::vector<Path>& all) {
  all.push_back(root / "lib64");
  for (const Path& target : folders_like(root / "targets", "")) all.push_back(target / "lib");
}

/// Returns the first program of this name on the PATH.
Path find_program(const std::string& path, const std::string& name) {
  std::istringstream stream(path);
  for (std::string folder; std::getline(stream, folder, ':');) {
    std::error_code ignored;
    if (!folder.empty() && std::filesystem::exists(Path(folder) / name, ignored)) {
      return Path(folder) / name;
    }
  }
  return {};
}

}  // namespace

std::vector<Path> cuda_folders(const std::function<const char*(const char*)>& variable) {
  const auto path = [&](const char* name) {
    const char* value = variable(name);
    return Path(value ? value : "");
  };
  std::vector<Path> all;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (!path(name).empty()) add_toolkit(path(name), all);
  }
  const std::string programs = path("PATH").string();
  if (const Path nvcc = find_program(programs, "nvcc"); !nvcc.empty()) {
    add_toolkit(nvcc.parent_path().parent_path(), all);
  }
  add_toolkit("/usr/local/cuda", all);
  for (const Path& toolkit : folders_like("/usr/local", "cuda-")) add_toolkit(toolkit, all);
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (path(name).empty()) continue;
    add_packages(path(name), all);
    all.push_back(path(name) / "lib");
  }
  if (const Path python = find_program(programs, "python3"); !python.empty()) {
    const Path prefix = python.parent_path().parent_path();
    add_packages(prefix, all);
    std::error_code ignored;
    const Path target = std::filesystem::canonical(python, ignored);
    if (!ignored) add_packages(target.parent_path().parent_path(), all);
    for (const Path& other : folders_like(prefix / "versions", "3")) add_packages(other, all);
  }
  if (const Path home = path("HOME"); !home.empty()) add_packages(home / ".local", all);
  add_packages("/usr/local", all);
  return all;
}

bool find_cuda_library(std::initializer_list<const char*> names,
                       const std::function<bool(const Path&)>& open) {
  for (const char* name : names) {
    if (open(name)) return true;
  }
  for (const Path& folder : cuda_folders([](const char* name) { return std::getenv(name); })) {
    for (const char* name : names) {
      std::error_code ignored;
      if (std::filesystem::exists(folder / name, ignored) && open(folder / name)) return true;
    }
  }
  return false;
}

}  // namespace goban::cuda
