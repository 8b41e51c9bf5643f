#include "goban/simulation/checkpointer/failure_count.hpp"

#include <fstream>
#include <string>

#include "goban/io/file/atomic_file.hpp"

namespace goban {

namespace {

Index counted(const std::filesystem::path& file) {
  Index count = 0;
  std::ifstream(file) >> count;
  return count;
}

}  // namespace

void count_failure(const std::filesystem::path& directory) {
  const std::filesystem::path file = directory / failure_file;
  write_file(file, std::to_string(counted(file) + 1) + "\n");
}

Index failures_so_far(const std::filesystem::path& directory, bool continues) {
  const std::filesystem::path file = directory / failure_file;
  if (!continues) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    return 0;
  }
  std::string status;
  std::getline(std::ifstream(directory / "STATUS"), status);
  if (status == "running") count_failure(directory);
  return counted(file);
}

}  // namespace goban
