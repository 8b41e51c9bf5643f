#pragma once
// Numbers of recorded sweeps that change from step to step: they lie in the memory of the device,
// which gets those of all steps of a replay at once, so that what was recorded stays as it was.

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban {

class ChangingNumbers {
 public:
  /// Where the host writes them and where the device will find them.
  struct Place {
    double* host;
    const double* device;
    std::shared_ptr<const std::byte> memory;  ///< keeps the latter
  };

  /// From now on take() gives the places that it gave before, in the same order.
  void start();
  /// A place for so many numbers, side by side; the executor offers loops.
  Place take(Executor& executor, std::size_t count);
  /// What was written since the last call; work that is submitted later finds it.
  void upload();

 private:
  struct Chunk {
    std::shared_ptr<std::byte> memory;
    std::vector<double> values;
    std::size_t used = 0, uploaded = 0;
  };
  struct OfExecutor {
    std::vector<Chunk> chunks;
    std::size_t current = 0;
  };
  std::map<Executor*, OfExecutor> all_;
};

}  // namespace goban
