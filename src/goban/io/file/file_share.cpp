#include "goban/io/file/file_share.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "goban/io/file/file.hpp"

namespace goban {

FileShare::FileShare(std::filesystem::path path, std::filesystem::path name)
    : path_(std::move(path)), name_(std::move(name)) {}

void FileShare::write(Index offset, const void* bytes, Index count) {
  if (file_ < 0) file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
  if (file_ < 0) throw_file_error("write", name_, errno);
  ignore_file_size_signal();
  const Index done = write_at(file_, offset, bytes, count);
  written_ += done;
  if (done < count) throw_file_error("write", name_, errno, written_ + count - done);
}

void FileShare::close() {
  if (file_ < 0) return;
  if (::fsync(file_) != 0) throw_file_error("write", name_, errno, written_);
  if (!file_.close()) throw_file_error("write", name_, errno);
}

}  // namespace goban
