#include "goban/base/process/descriptor.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace goban {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

int Descriptor::release() { return std::exchange(number_, -1); }

bool Descriptor::close() { return number_ < 0 || ::close(release()) == 0; }

Index write_at(int file, Index offset, const void* bytes, Index count) {
  const auto* from = static_cast<const std::byte*>(bytes);
  Index done = 0;
  while (done < count) {
    const ssize_t now =
        ::pwrite(file, from + done, static_cast<std::size_t>(count - done), offset + done);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) break;
    done += now;
  }
  return done;
}

Index read_at(int file, Index offset, void* bytes, Index count) {
  auto* to = static_cast<std::byte*>(bytes);
  Index done = 0;
  while (done < count) {
    const ssize_t now =
        ::pread(file, to + done, static_cast<std::size_t>(count - done), offset + done);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return -1;
    if (now == 0) break;
    done += now;
  }
  return done;
}

}  // namespace goban
