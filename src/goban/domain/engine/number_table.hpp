#pragma once
// Numbers in the memory of an executor and the host's copy of them. Recorded work reads there what
// changes from one replay to the next.

#include <cstddef>
#include <memory>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban {

class NumberTable {
 public:
  /// Where the host writes numbers, and where the executor finds them.
  struct Place {
    double* host;
    double* device;
    std::shared_ptr<const std::byte> memory;  ///< keeps the executor's memory
  };

  /// The executor must offer DeviceLoops.
  explicit NumberTable(Executor& executor) : executor_(executor) {}

  /// Starts anew: take() returns the places that it returned before, in the same order.
  void start();
  /// Returns a place for this many numbers, which stays valid when the table grows.
  Place take(std::size_t count);
  /// Copies the numbers of all places that were taken since the last start() or upload() to the
  /// executor. Work that is submitted later finds them there.
  void upload();
  /// Waits for the executor's work and copies the numbers of all places back.
  void download();

 private:
  struct Chunk {
    std::shared_ptr<std::byte> memory;
    std::vector<double> values;
    std::size_t used = 0, uploaded = 0;
  };

  Executor& executor_;
  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;
};

}  // namespace goban
