#pragma once
// Counters by which replayed work of the host and of devices waits for each other.

#include <memory>

#include "goban/backend/api.hpp"

namespace goban::host {

/// Counters of one use, which fill pages of memory of their own.
class CounterPages {
 public:
  static constexpr std::size_t page_bytes = 4096;
  /// Zero; its page lives as long as any of its counters.
  std::shared_ptr<Counter> take();

 private:
  static constexpr std::size_t counters_of_page = page_bytes / sizeof(Counter);
  struct alignas(page_bytes) Page {
    Counter counters[counters_of_page]{};
  };
  std::shared_ptr<Page> page_;
  std::size_t taken_ = counters_of_page;
};

/// Returns when the counter has reached the number. std::runtime_error: it has not for ten minutes.
void wait_until_counted(const Counter& counter, std::uint64_t number);

}  // namespace goban::host
