#include "goban/simulation/run/run_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <map>
#include <mutex>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/io/file/file.hpp"

namespace goban {

void claim_directory(const std::filesystem::path& path, const std::filesystem::path& own) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::filesystem::path> owners;
  const std::lock_guard lock(mutex);
  const auto& owner = owners.emplace(std::filesystem::weakly_canonical(path), own).first->second;
  if (owner == own) return;
  throw Error(ExitCode::usage, "--goban-out=" + path.string() + " is refused for " + own.string(),
              "the program has the files of " + owner.string() + " there",
              "write --goban-out=" + (path / "{name}").string());
}

RunDirectory::RunDirectory(std::filesystem::path path)
    : path_(std::move(path)),
      directory_(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (directory_ < 0) throw_file_error("open directory", path_, errno);
}

void RunDirectory::require_in_place() const {
  struct stat mine {
  }, named{};
  const bool is_in_place = ::fstat(directory_, &mine) == 0 && ::stat(path_.c_str(), &named) == 0 &&
                           mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
  if (is_in_place) return;
  throw Error(ExitCode::files, "files of the run are lost",
              path_.string() + " was removed, renamed or replaced while it went on",
              "leave the folder of a run alone until it ends");
}

}  // namespace goban
