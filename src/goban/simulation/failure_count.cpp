#include "goban/simulation/failure_count.hpp"

#include <fstream>
#include <string>

#include "goban/io/atomic_file.hpp"

namespace goban {

Index failures_so_far(const std::filesystem::path& directory, bool continues) {
  const std::filesystem::path file = directory / failure_file;
  if (!continues) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    return 0;
  }
  Index count = 0;
  std::ifstream(file) >> count;
  std::string status;
  std::getline(std::ifstream(directory / "STATUS"), status);
  if (status != "running") return count;
  write_file(file, std::to_string(++count) + "\n");
  return count;
}

}  // namespace goban
