#include "cli/run_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "cli/earlier_run.hpp"
#include "goban/base/error.hpp"
#include "goban/io/file/file.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds pause{20}, patience{2000};  // for a run that is ending

[[noreturn]] void refuse(const fs::path& folder, const std::string& why,
                         const std::string& suggestion) {
  throw Error(ExitCode::files, "cannot write into " + folder.string(), why, suggestion);
}

fs::path free_name(const fs::path& folder) {
  for (int n = 1;; ++n) {
    const fs::path name = folder.string() + ".old." + std::to_string(n);
    if (!fs::exists(fs::symlink_status(name))) return name;
  }
}

}  // namespace

RunFolder::RunFolder(const fs::path& folder)
    : folder_(folder.has_filename() ? folder : folder.parent_path()) {
  try {
    lock();
  } catch (const fs::filesystem_error& error) {
    refuse(folder_, error.code().message(), "choose another --out");
  }
}

RunFolder::~RunFolder() {
  if (lock_ >= 0 && is_made_ && !has_begun_) {
    std::error_code ignored;
    fs::remove(folder_ / ".lock", ignored);
    fs::remove(folder_, ignored);
  }
}

void RunFolder::make_room(Earlier earlier) {
  has_begun_ = true;
  try {
    if (earlier == Earlier::remove || is_vacant(folder_)) remove_earlier();
    // Another run may be the first in the new folder, and leave its results there.
    while (earlier == Earlier::set_aside && !is_vacant(folder_)) {
      set_aside_ = free_name(folder_);
      fs::rename(folder_, set_aside_);
      lock_.close();
      lock();
    }
  } catch (const fs::filesystem_error& error) {
    refuse(folder_, error.code().message(), "choose another --out");
  }
}

void RunFolder::remove_earlier() {
  EarlierFiles files = earlier_files(folder_);
  left_ = std::move(files.others);
  for (const fs::path& file : files.of_run) fs::remove_all(file);
}

void RunFolder::look() {
  if (!fs::exists(folder_)) {
    is_made_ = true;
    make_directory(folder_);
    return;
  }
  if (!fs::is_directory(folder_)) refuse(folder_, "it is a file", "choose another --out");
  if (!is_vacant(folder_) && !holds_a_run(folder_)) {
    refuse(folder_, "it is not empty and not the output of a run", "choose another --out");
  }
}

/// False: another run has it, or takes the folder away or sets it aside at this moment.
bool RunFolder::try_lock() {
  const fs::path file = folder_ / ".lock";
  lock_ = Descriptor(::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666));
  if (lock_ < 0 && errno == ENOENT) return false;
  if (lock_ < 0) {
    refuse(folder_, std::error_code(errno, std::generic_category()).message(),
           "choose another --out");
  }
  struct stat mine {
  }, named{};
  const bool is_taken = ::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return !is_taken && ::fstat(lock_, &mine) == 0 && ::stat(file.c_str(), &named) == 0 &&
         mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

/// A run that was killed keeps its lock until its memory is given back.
void RunFolder::lock() {
  for (auto waited = pause; waited <= patience; waited += pause) {
    try {
      look();
      if (try_lock()) return;
    } catch (const fs::filesystem_error& error) {  // it is set aside while we look
      if (error.code() != std::errc::no_such_file_or_directory) throw;
    }
    lock_.close();
    std::this_thread::sleep_for(pause);
  }
  refuse(folder_, "another run is writing there", "choose another --out or wait for it to end");
}

}  // namespace goban::cli
