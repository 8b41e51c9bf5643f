#include "goban/base/process/cache_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <system_error>

namespace goban {
namespace {

namespace fs = std::filesystem;

/// Empty where the variable names no absolute path: a relative one would lead to wherever a run
/// was started.
fs::path folder_in(const char* variable) {
  const char* const value = std::getenv(variable);
  fs::path folder(value ? value : "");
  return folder.is_absolute() ? folder.lexically_normal() : fs::path();
}

/// Makes a folder with those above it that are missing. Returns whether it is there now.
bool make_for_user_alone(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return true;
  if (!folder.has_relative_path() || !make_for_user_alone(folder.parent_path())) return false;
  ::mkdir(folder.c_str(), 0700);
  return fs::is_directory(folder, error);
}

/// Empty if it is one's own.
std::string foreign_reason(const fs::path& folder) {
  if (!folder.is_absolute()) return "its path is not absolute";
  struct stat link {
  }, facts{};
  if (::lstat(folder.c_str(), &link) != 0 || ::stat(folder.c_str(), &facts) != 0) return "";
  if (link.st_uid != ::geteuid() || facts.st_uid != ::geteuid())
    return "it belongs to another user";
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "others may write to it";
  std::error_code error;
  for (fs::path above = fs::canonical(folder, error); above.has_relative_path();) {
    above = above.parent_path();
    const bool is_open = ::stat(above.c_str(), &facts) == 0 && (facts.st_mode & S_IWOTH) != 0;
    if (is_open && (facts.st_mode & S_ISVTX) == 0) {
      return "others may write to " + above.string() + " and put another in its place";
    }
  }
  return "";
}

}  // namespace

bool is_own(const fs::path& folder) {
  const std::string why = foreign_reason(folder);
  if (why.empty()) return true;
  static std::mutex mutex;
  static std::set<fs::path> told;
  const std::lock_guard lock(mutex);
  if (told.insert(folder).second) {
    std::fprintf(
        stderr,
        "goban: warning: nothing is kept in %s or taken from it (%s); remove it, or name a "
        "folder of your own\n",
        folder.c_str(), why.c_str());
  }
  return false;
}

fs::path cache_folder(const std::string& name) {
  fs::path folder = folder_in("XDG_CACHE_HOME");
  if (folder.empty()) {
    folder = folder_in("HOME");
    if (folder.empty()) return {};
    folder /= ".cache";
  }
  folder /= "goban";
  if (!make_for_user_alone(folder) || !is_own(folder)) return {};
  if (name.empty()) return folder;
  folder /= name;
  return make_for_user_alone(folder) && is_own(folder) ? folder : fs::path();
}

}  // namespace goban
