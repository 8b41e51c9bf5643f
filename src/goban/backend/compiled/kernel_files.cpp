#include "goban/backend/compiled/kernel_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

// g++ 12 takes the undefined operands inside its own AVX-512 intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "goban/base/error.hpp"
#include "goban/base/process/cache_folder.hpp"
#include "goban/base/process/descriptor.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

using Path = std::filesystem::path;
constexpr const char* suffix = ".kernel";
constexpr std::size_t digits = 32;

/// Keeps others, of this process too, from the same name while it lives; where the file system
/// knows no locks it does nothing.
class NameLock {
 public:
  NameLock(const Path& folder, const std::string& name)
      : file_(::open((folder / "locks").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {
    if (file_ < 0) return;
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = static_cast<off_t>(XXH3_64bits(name.data(), name.size()) >> 2);
    range.l_len = 1;
    while (fcntl(file_, F_OFD_SETLKW, &range) != 0 && errno == EINTR) {
    }
  }

 private:
  Descriptor file_;
};

}  // namespace

std::string hash_text(const std::string& bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

KernelFiles::KernelFiles(Path folder, std::uintmax_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

Path KernelFiles::file_of(const std::string& name) const { return folder_ / (name + suffix); }

std::optional<std::string> KernelFiles::find(const std::string& name) const {
  if (folder_.empty()) return {};
  const Path file = file_of(name);
  std::string all;
  try {
    all = read_text(file);
  } catch (const Error&) {
    return {};
  }
  if (all.size() <= digits) return {};
  std::string bytes = all.substr(digits);
  if (hash_text(bytes) != all.substr(0, digits)) return {};
  std::error_code error;  // how old it is says when it was last used
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now(), error);
  return bytes;
}

KernelFiles::Found KernelFiles::get(const std::string& name,
                                    const std::function<std::string()>& make) const {
  if (folder_.empty()) return {make(), true};
  if (auto kept = find(name)) return {std::move(*kept), false};
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  const NameLock lock(folder_, name);
  if (auto kept = find(name)) return {std::move(*kept), false};
  Found made{make(), true};
  try {
    write_file(file_of(name), hash_text(made.bytes) + made.bytes);
    remove_oldest();
  } catch (const Error&) {  // the folder cannot be written, or is full
  }
  return made;
}

void KernelFiles::remove_oldest() const {
  struct Entry {
    std::filesystem::file_time_type used;
    std::uintmax_t bytes;
    Path file;
    bool operator<(const Entry& other) const { return used < other.used; }
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder_, error), end; !error && at != end;
       at.increment(error)) {
    const bool is_whole = at->path().extension() == suffix;
    const bool is_part = at->path().string().ends_with(partial_path_of(suffix).string());
    if (!is_whole && !is_part) continue;
    std::error_code gone;  // another process may have removed it
    Entry entry{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone) continue;
    if (is_part) {  // of a process that died, if it is old
      const auto age = std::filesystem::file_time_type::clock::now() - entry.used;
      if (age > std::chrono::hours(1)) std::filesystem::remove(entry.file, gone);
      continue;
    }
    total += entry.bytes;
    entries.push_back(std::move(entry));
  }
  if (total <= most_bytes_) return;
  std::sort(entries.begin(), entries.end());
  for (const Entry& entry : entries) {
    if (total <= most_bytes_ / 4 * 3) return;
    std::filesystem::remove(entry.file, error);
    total -= entry.bytes;
  }
}

Path kernel_cache_folder() {
  if (const char* folder = std::getenv("GOBAN_KERNEL_CACHE"); folder && *folder) {
    return is_own(folder) ? folder : "";
  }
  return cache_folder("kernels");
}

}  // namespace goban
