#include "goban/io/file/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <system_error>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/io/file/atomic_file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

std::string advice(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT: return "free some space or choose another directory";
    case EFBIG: return "raise the limit on file sizes (ulimit -f) or choose another file system";
    case EACCES:
    case EPERM: return "check the permissions of the file and its directory";
    case EROFS: return "choose a directory that can be written";
    case ENOENT:
    case ENOTDIR: return "check the path";
    case EIO: return "the storage is failing or was disconnected; choose another directory";
    default: return {};
  }
}

/// Bytes a user may still write beside `path`; negative if unknown.
Index free_space(const fs::path& path) {
  struct statvfs status {};
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::statvfs(directory.c_str(), &status) != 0) return -1;
  return static_cast<Index>(status.f_bavail) * static_cast<Index>(status.f_frsize);
}

template <class Container>
Container read_whole(const fs::path& path, Index limit) {
  const InputFile file(path);
  if (file.size() > limit)
    throw Error(ExitCode::files, fmt::format("cannot read {}", path.string()),
                fmt::format("it has {}, at most {} are expected", byte_text(file.size()),
                            byte_text(limit)));
  Container content;
  content.resize(static_cast<std::size_t>(file.size()));
  file.read(0, content.data(), file.size());
  return content;
}

}  // namespace

void throw_file_error(std::string_view action, const fs::path& path, int error_number,
                      Index needed) {
  std::string why = std::generic_category().message(error_number);
  if (error_number == ENOSPC || error_number == EDQUOT) {
    if (needed > 0) why += fmt::format(": {} needed", byte_text(needed));
    const Index available = free_space(path);
    if (available >= 0)
      why += fmt::format("{} {} free", needed > 0 ? "," : ":", byte_text(available));
  }
  throw Error(ExitCode::files, fmt::format("cannot {} {}", action, path.string()), why,
              advice(error_number));
}

void throw_unreadable(const fs::path& path, const std::string& why, const std::string& suggestion) {
  throw Error(ExitCode::files, fmt::format("cannot read {}", path.string()), why, suggestion);
}

std::vector<fs::directory_entry> entries_below(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::vector<fs::path> folders = {folder};
  std::error_code error;
  while (!folders.empty()) {
    const fs::path listed = std::move(folders.back());
    folders.pop_back();
    for (fs::directory_iterator entry(listed, error), end; !error && entry != end;
         entry.increment(error)) {
      entries.push_back(*entry);
      std::error_code gone;
      if (fs::is_directory(entry->symlink_status(gone))) folders.push_back(entry->path());
    }
  }
  return entries;
}

InputFile::InputFile(fs::path path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (file_ < 0) throw_file_error("read", path_, errno);
  struct stat status {};
  if (::fstat(file_, &status) != 0) throw_file_error("read", path_, errno);
  if (S_ISDIR(status.st_mode)) throw_file_error("read", path_, EISDIR);
  if (!S_ISREG(status.st_mode)) throw_unreadable(path_, "it is not a regular file");
  size_ = status.st_size;
}

void InputFile::read(Index offset, void* bytes, Index count) const {
  const Index done = read_at(file_, offset, bytes, count);
  if (done < 0) throw_file_error("read", path_, errno);
  if (done < count) throw_unreadable(path_, "it became shorter meanwhile");
}

void ignore_file_size_signal() {
  struct sigaction action {};
  if (::sigaction(SIGXFSZ, nullptr, &action) == 0 && action.sa_handler == SIG_DFL)
    std::signal(SIGXFSZ, SIG_IGN);
}

bool is_there(const fs::path& path) {
  std::error_code error;
  const bool found = fs::exists(path, error);
  if (error) throw_file_error("look at", path, error.value());
  return found;
}

Index size_of_file(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw_file_error("read", path, errno);
  if (S_ISDIR(status.st_mode)) throw_file_error("read", path, EISDIR);
  return static_cast<Index>(status.st_size);
}

std::vector<std::byte> read_bytes(const fs::path& path, Index limit) {
  return read_whole<std::vector<std::byte>>(path, limit);
}

std::string read_text(const fs::path& path, Index limit) {
  return read_whole<std::string>(path, limit);
}

/// Errors: of a part of the path that is a link to nothing, which cannot be told from a file by the
/// number of the system.
static void require_no_dead_link(const fs::path& directory) {
  std::error_code ignored;
  for (fs::path part = directory; part != part.parent_path(); part = part.parent_path()) {
    if (!fs::is_symlink(part, ignored) || fs::exists(part, ignored)) continue;
    throw Error(ExitCode::files, "cannot create directory " + directory.string(),
                fmt::format("{} is a link to {}, which is not there", part.string(),
                            fs::read_symlink(part, ignored).string()),
                "make that directory, or remove the link");
  }
}

void make_directory(const fs::path& directory) {
  std::vector<fs::path> parents;  // of those that are new
  std::error_code code;
  for (fs::path path = directory.has_filename() ? directory : directory.parent_path();
       !path.empty() && !fs::exists(path, code); path = path.parent_path()) {
    parents.push_back(path.has_parent_path() ? path.parent_path() : fs::path("."));
  }
  fs::create_directories(directory, code);
  if (code) require_no_dead_link(directory);
  if (code) throw_file_error("create directory", directory, code.value());
  for (const fs::path& parent : parents) sync_directory(parent);
}

void require_open_files(Index count) {
  constexpr Index spare = 64;  // for checkpoints, snapshots, ranks
  Index open = 0;
  std::error_code error;
  for (fs::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end;
       entry.increment(error)) {
    ++open;
  }
  const auto needed = static_cast<rlim_t>(open + count + spare);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || needed <= limit.rlim_cur) return;
  const rlim_t most = limit.rlim_max;
  limit.rlim_cur = needed;
  if (needed > most || ::setrlimit(RLIMIT_NOFILE, &limit) != 0)
    throw Error(ExitCode::resources, fmt::format("{} files cannot be open at once", count),
                fmt::format("the limit is {}, for all files of a process", most),
                "raise it (ulimit -n), or write fewer files: seismograms as SEG-Y, say");
}

std::string byte_text(Index bytes) {
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; value >= 1024 && unit < 5; ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace goban
