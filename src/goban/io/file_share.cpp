#include "goban/io/file_share.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "goban/io/file.hpp"

namespace goban {

FileShare::FileShare(std::filesystem::path path, std::filesystem::path name)
    : path_(std::move(path)), name_(std::move(name)) {}

FileShare::~FileShare() {
  if (file_ >= 0) ::close(file_);
}

void FileShare::write(Index offset, const void* bytes, Index count) {
  if (file_ < 0) file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) throw_file_error("write", name_, errno);
  ignore_file_size_signal();
  const auto* from = static_cast<const std::byte*>(bytes);
  while (count > 0) {
    const ssize_t done = ::pwrite(file_, from, static_cast<std::size_t>(count), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw_file_error("write", name_, errno, written_ + count);
    from += done;
    offset += done;
    count -= done;
    written_ += done;
  }
}

void FileShare::close() {
  if (file_ < 0) return;
  if (::fsync(file_) != 0) throw_file_error("write", name_, errno, written_);
  if (::close(std::exchange(file_, -1)) != 0) throw_file_error("write", name_, errno);
}

}  // namespace goban
