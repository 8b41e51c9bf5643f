#pragma once
// What other processes do on the machine meanwhile.

#include <chrono>
#include <filesystem>

namespace goban {

/// Measures, from when it is made, how many processors others keep busy, in the mean, those of
/// other virtual machines that take this one's among them. 0 where the system does not tell.
class OtherLoad {
 public:
  /// /proc/stat is looked up under `root`.
  explicit OtherLoad(std::filesystem::path root = "/");
  double processors() const;

 private:
  double busy_seconds() const;  ///< seconds of all processors but for this process

  std::filesystem::path stat_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double before_ = 0;
};

}  // namespace goban
