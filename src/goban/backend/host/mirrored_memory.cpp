#include "goban/backend/host/mirrored_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "goban/backend/host/control_group.hpp"
#include "goban/base/error.hpp"
#include "goban/base/process/descriptor.hpp"

namespace goban {
namespace {

std::atomic<Index> mirrored = 0, most_mirrored = 0;

void count(Index bytes) {
  const Index now = mirrored += bytes;
  for (Index most = most_mirrored; now > most && !most_mirrored.compare_exchange_weak(most, now);) {
  }
}

[[noreturn]] void refuse(Index size, const std::string& why) {
  throw Error(ExitCode::resources, "no mirrored memory of " + std::to_string(size) + " bytes", why,
              "free memory, or switch off temporal blocking or storage in place");
}

[[noreturn]] void refuse(Index size, const char* call, int reason) {
  refuse(size, std::string(call) + ": " + std::strerror(reason));
}

}  // namespace

MirroredMemory::MirroredMemory(Index bytes) {
  require(bytes >= 1, "mirrored memory needs at least 1 byte",
          "asked for " + std::to_string(bytes));
  // The system would hand out more pages than there are and then kill the process.
  const Index available = process_memory().available;
  if (bytes > available) refuse(bytes, std::to_string(available) + " bytes are available");
  const Index size = round_up(bytes, sysconf(_SC_PAGESIZE));
  const auto length = static_cast<std::size_t>(size);

  const Descriptor file(memfd_create("goban", MFD_CLOEXEC));
  if (file < 0) refuse(size, "memfd_create", errno);
  // Pages taken now cannot be missing later, which would be a SIGBUS in mid-sweep.
  int reason = EINTR;
  while (reason == EINTR) reason = posix_fallocate(file, 0, size);
  if (reason != 0) refuse(size, "fallocate", reason);

  void* const place =
      mmap(nullptr, 2 * length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) refuse(size, "mmap", errno);
  data_ = static_cast<std::byte*>(place);
  size_ = size;
  for (std::byte* const copy : {data_, data_ + size})
    if (mmap(copy, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file,
             0) == MAP_FAILED) {
      reason = errno;
      munmap(data_, 2 * length);
      refuse(size, "mmap", reason);
    }
  count(size);
}

MirroredMemory::~MirroredMemory() {
  if (data_ == nullptr) return;
  munmap(data_, 2 * static_cast<std::size_t>(size_));
  count(-size_);
}

Index MirroredMemory::most_counted_twice() { return most_mirrored; }

MirroredMemory::MirroredMemory(MirroredMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MirroredMemory& MirroredMemory::operator=(MirroredMemory&& other) noexcept {
  MirroredMemory taken(std::move(other));
  std::swap(data_, taken.data_);
  std::swap(size_, taken.size_);
  return *this;
}

}  // namespace goban
