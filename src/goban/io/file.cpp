#include "goban/io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "goban/base/error.hpp"

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

/// A descriptor closed at the end of its scope.
struct Descriptor {
  int number;
  explicit Descriptor(int n) : number(n) {}
  ~Descriptor() { ::close(number); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

template <class Container>
Container read_whole(const fs::path& path, Index limit) {
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (number < 0) throw_file_error("read", path, errno);
  const Descriptor file(number);
  struct stat status {};
  if (::fstat(file.number, &status) != 0) throw_file_error("read", path, errno);
  if (S_ISDIR(status.st_mode)) throw_file_error("read", path, EISDIR);
  if (!S_ISREG(status.st_mode))
    throw Error(ExitCode::files, fmt::format("cannot read {}", path.string()),
                "it is not a regular file");
  if (status.st_size > limit)
    throw Error(ExitCode::files, fmt::format("cannot read {}", path.string()),
                fmt::format("it has {}, at most {} are expected", byte_text(status.st_size),
                            byte_text(limit)));
  Container content;
  content.resize(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t count = ::read(file.number, content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_file_error("read", path, errno);
    if (count == 0) break;  // cut short by someone else meanwhile
    done += static_cast<std::size_t>(count);
  }
  content.resize(done);
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

void make_directory(const fs::path& directory) {
  std::error_code code;
  fs::create_directories(directory, code);
  if (code) throw_file_error("create directory", directory, code.value());
}

std::string byte_text(Index bytes) {
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; value >= 1024 && unit < 5; ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace goban
