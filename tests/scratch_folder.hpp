#pragma once
// Where tests leave files: tests run beside each other, so nobody shares a folder.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace goban::test {

/// `memory` is for thousands of files and for fsync, and is on disk where no folder is in memory.
enum class ScratchPlace { disk, memory };

/// A new folder that nobody else has, gone with all it holds at the end of its object.
class ScratchFolder {
 public:
  explicit ScratchFolder(ScratchPlace place = ScratchPlace::disk) {
    const bool in_memory = place == ScratchPlace::memory && ::access("/dev/shm", W_OK) == 0;
    std::string name = (in_memory ? "/dev/shm/" : ::testing::TempDir()) + "goban_test_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  /// Writes a file, with the folders it lies in; returns its path.
  std::filesystem::path store(std::string_view name, std::string_view bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }
  std::string content(std::string_view name) const {
    std::ostringstream text;
    text << std::ifstream(path_ / name, std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace goban::test
