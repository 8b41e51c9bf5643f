#pragma once
// Memory that repeats itself: a ring buffer that is read and written as if it were straight.

#include <cstddef>

#include "goban/base/types.hpp"

namespace goban {

/// `size()` bytes mapped twice, back to back: data()[i] and data()[i + size()] are the same byte
/// for 0 <= i < size(). Zero at first, page aligned. A run of up to size() bytes may start anywhere
/// in the first copy, so a sliding window of planes needs no wrap-around.
///
/// All pages exist when the constructor returns and lie near the thread that called it. An empty
/// object (default or moved from) has data() == nullptr.
///
/// Errors: usage for a size below 1; resources where the system gives no such memory.
class MirroredMemory {
 public:
  MirroredMemory() = default;
  /// Allocates at least `bytes`, rounded up to whole pages.
  explicit MirroredMemory(Index bytes);
  ~MirroredMemory();
  MirroredMemory(MirroredMemory&& other) noexcept;
  MirroredMemory& operator=(MirroredMemory&& other) noexcept;

  /// What the system counts twice among the resident bytes of this process, as it is mapped twice:
  /// at most at a time so far.
  static Index most_counted_twice();

  std::byte* data() const { return data_; }
  Index size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace goban
