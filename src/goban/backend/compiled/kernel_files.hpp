#pragma once
// Machine code of kernels in a folder, for later runs and for the other processes of a machine.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace goban {

class KernelFiles {
 public:
  /// Keeps files in a folder; if its name is empty, nothing is kept.
  explicit KernelFiles(std::filesystem::path folder, std::uintmax_t most_bytes = 256u << 20);

  /// What is kept under this name, if anything.
  std::optional<std::string> find(const std::string& name) const;

  struct Found {
    std::string bytes;
    bool was_made = false;
  };
  /// The same; where nothing is, what `make` returns, which is kept. If several processes and
  /// threads ask at once, one makes it. Files appear whole and durable; one that was damaged is
  /// made anew; when all take more than `most_bytes`, those used longest ago go. A folder that
  /// cannot be written is left as it is.
  Found get(const std::string& name, const std::function<std::string()>& make) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path file_of(const std::string& name) const;
  void remove_oldest() const;

  std::filesystem::path folder_;
  std::uintmax_t most_bytes_;
};

/// GOBAN_KERNEL_CACHE, else cache_folder("kernels"); empty if that is not one's own.
std::filesystem::path kernel_cache_folder();

/// The hash XXH3-128 in 32 hexadecimal digits.
std::string hash_text(const std::string& bytes);

}  // namespace goban
