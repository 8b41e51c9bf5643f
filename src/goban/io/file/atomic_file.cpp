#include "goban/io/file/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_size = 256 * 1024;

fs::path directory_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Whether the name still belongs to the open file.
bool is_same_file(int file, const fs::path& name) {
  struct stat mine {};
  struct stat named {};
  return ::fstat(file, &mine) == 0 && ::lstat(name.c_str(), &named) == 0 &&
         mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

}  // namespace

void sync_directory(const fs::path& directory) {
  const Descriptor file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file < 0) throw_file_error("open directory", directory, errno);
  if (::fsync(file) != 0 && errno != EINVAL) throw_file_error("sync directory", directory, errno);
}

fs::path partial_path_of(fs::path path) { return path += ".partial"; }
fs::path replaced_path_of(fs::path path) { return path += ".replaced"; }

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), partial_(partial_path_of(path_)) {
  ignore_file_size_signal();
  if (!path_.has_filename()) fail("write", EISDIR);
  std::error_code ignored;
  if (fs::is_directory(path_, ignored)) fail("write", EISDIR);
  if (::unlink(partial_.c_str()) != 0 && errno != ENOENT) fail("write", errno);
  file_ = Descriptor(::open(partial_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file_ < 0) fail("write", errno);
  buffer_.reserve(buffer_size);
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0 && owns_partial()) ::unlink(partial_.c_str());
}

void AtomicFile::reserve(Index bytes) {
  if (bytes <= 0) return;
  int result;
  do {
    result = ::fallocate(file_, FALLOC_FL_KEEP_SIZE, 0, bytes);
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
    fail("write", errno, bytes);
  reserved_ = bytes;
}

void AtomicFile::set_size(Index bytes) {
  if (::ftruncate(file_, bytes) != 0) fail("write", errno, bytes);
}

void AtomicFile::write(const void* bytes, std::size_t count) {
  const auto* begin = static_cast<const std::byte*>(bytes);
  if (buffer_.size() + count > buffer_size) {
    write_through(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  if (count > buffer_size) {
    write_through(begin, count);
  } else {
    buffer_.insert(buffer_.end(), begin, begin + count);
  }
}

void AtomicFile::write_through(const std::byte* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t done = ::write(file_, bytes, count);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("write", errno, std::max(reserved_, written_ + static_cast<Index>(count)));
    bytes += done;
    count -= static_cast<std::size_t>(done);
    written_ += done;
  }
}

void AtomicFile::commit() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
  struct stat status {};
  if (::fstat(file_, &status) != 0) fail("write", errno);
  // Blocks set aside beyond the end are given back.
  if (reserved_ > status.st_size && ::ftruncate(file_, status.st_size) != 0) fail("write", errno);
  if (::fsync(file_) != 0) fail("write", errno, status.st_size);
  if (!owns_partial())
    throw Error(ExitCode::files, fmt::format("cannot write {}", path_.string()),
                fmt::format("another process replaced {}", partial_.filename().string()),
                "let one run at a time write there");
  if (::rename(partial_.c_str(), path_.c_str()) != 0) fail("write", errno);
  if (!file_.close()) fail("close", errno);
  sync_directory(directory_of(path_));
}

bool AtomicFile::owns_partial() const { return is_same_file(file_, partial_); }

void AtomicFile::fail(std::string_view action, int error_number, Index needed) const {
  throw_file_error(action, path_, error_number, needed);
}

void write_file(const fs::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void prepare_file(const fs::path& path, std::string_view beginning) {
  if (path.has_parent_path()) make_directory(path.parent_path());
  const AtomicFile target(path);
  if (!is_there(path)) return;
  const InputFile file(path);
  std::string found(
      static_cast<std::size_t>(std::min(file.size(), static_cast<Index>(beginning.size()))), ' ');
  file.read(0, found.data(), static_cast<Index>(found.size()));
  if (!found.empty() && found != beginning)
    throw Error(ExitCode::files, fmt::format("cannot write {}", path.string()),
                "a file that goban has not written for this purpose would be lost",
                "choose another name");
}

AppendFile::AppendFile(fs::path path) : path_(std::move(path)) {
  ignore_file_size_signal();
  file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (file_ < 0) throw_file_error("write", path_, errno);
  struct stat status {};
  if (::fstat(file_, &status) != 0) throw_file_error("append to", path_, errno);
  size_ = status.st_size;
}

void AppendFile::append(std::string_view rows) {
  std::size_t done = 0;
  while (done < rows.size()) {
    const ssize_t count = ::write(file_, rows.data() + done, rows.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error_number = errno;
      // Half a row may be there; the rows before it must stay readable.
      if (::ftruncate(file_, size_) != 0) throw_file_error("repair", path_, errno);
      throw_file_error("append to", path_, error_number, static_cast<Index>(rows.size()));
    }
    done += static_cast<std::size_t>(count);
  }
  size_ += static_cast<Index>(rows.size());
}

bool AppendFile::sync() {
  struct stat status {};
  if (::fstat(file_, &status) != 0) throw_file_error("write", path_, errno);
  if (status.st_size < size_)
    throw Error(ExitCode::files, fmt::format("rows of {} are lost", path_.string()),
                fmt::format("another program cut it to {} of {}", byte_text(status.st_size),
                            byte_text(size_)),
                "leave the files of a run alone while it goes on");
  const bool is_lost = !is_same_file(file_, path_);
  if (is_lost) put_back();
  if (::fsync(file_) != 0) throw_file_error("write", path_, errno);
  return is_lost;
}

void AppendFile::put_back() {
  const fs::path other = replaced_path_of(path_);
  if (::unlink(other.c_str()) != 0 && errno != ENOENT) throw_file_error("write", other, errno);
  if (::link(path_.c_str(), other.c_str()) != 0 && errno != ENOENT)
    throw_file_error("write", other, errno);
  AtomicFile copy(path_);
  std::vector<std::byte> bytes(buffer_size);
  for (Index at = 0; at < size_;) {
    const auto count = std::min(static_cast<std::size_t>(size_ - at), bytes.size());
    const Index done = read_at(file_, at, bytes.data(), static_cast<Index>(count));
    if (done <= 0) throw_file_error("read", path_, done < 0 ? errno : EIO);
    copy.write(bytes.data(), static_cast<std::size_t>(done));
    at += done;
  }
  copy.commit();
  *this = AppendFile(path_);
}

}  // namespace goban
