#include "cli/run_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "goban/base/error.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

/// Files every run leaves from its start on.
constexpr const char* marks[] = {"run.toml", "STATUS", "summary.json", ".lock"};

[[noreturn]] void refuse(const fs::path& folder, const std::string& why,
                         const std::string& suggestion) {
  throw Error(ExitCode::files, "cannot write into " + folder.string(), why, suggestion);
}

bool holds_a_run(const fs::path& folder) {
  for (const char* mark : marks) {
    if (fs::exists(folder / mark)) return true;
  }
  return false;
}

fs::path free_name(const fs::path& folder) {
  for (int n = 1;; ++n) {
    const fs::path name = folder.string() + ".old." + std::to_string(n);
    if (!fs::exists(fs::symlink_status(name))) return name;
  }
}

}  // namespace

RunFolder::RunFolder(const fs::path& folder, Earlier earlier)
    : folder_(folder.has_filename() ? folder : folder.parent_path()) {
  try {
    if (fs::exists(folder_) && !fs::is_directory(folder_)) {
      refuse(folder_, "it is a file", "choose another --out");
    }
    if (fs::exists(folder_) && !fs::is_empty(folder_)) {
      if (!holds_a_run(folder_)) {
        refuse(folder_, "it is not empty and not the output of a run", "choose another --out");
      }
      lock();
      if (earlier == Earlier::set_aside) {
        set_aside_ = free_name(folder_);
        fs::rename(folder_, set_aside_);
        unlock();
      } else if (earlier == Earlier::remove) {
        for (const auto& entry : fs::directory_iterator(folder_)) {
          if (entry.path().filename() != ".lock") fs::remove_all(entry.path());
        }
      }
    }
    fs::create_directories(folder_);
    if (lock_ < 0) lock();
  } catch (const fs::filesystem_error& error) {
    refuse(folder_, error.code().message(), "choose another --out");
  }
}

RunFolder::~RunFolder() { unlock(); }

void RunFolder::lock() {
  const fs::path file = folder_ / ".lock";
  lock_ = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (lock_ < 0) {
    refuse(folder_, std::error_code(errno, std::generic_category()).message(),
           "choose another --out");
  }
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    unlock();
    refuse(folder_, "another run is writing there", "choose another --out or wait for it to end");
  }
}

void RunFolder::unlock() {
  if (lock_ >= 0) ::close(lock_);
  lock_ = -1;
}

}  // namespace goban::cli
