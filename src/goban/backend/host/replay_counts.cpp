#include "goban/backend/host/replay_counts.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace goban::host {

std::shared_ptr<Counter> CounterPages::take() {
  if (taken_ == counters_of_page) {
    page_ = std::make_shared<Page>();
    taken_ = 0;
  }
  return {page_, &page_->counters[taken_++]};
}

/// Most waits are short; long ones leave the core to others.
void wait_until_counted(const Counter& counter, std::uint64_t number) {
  constexpr int most_looks = 20'000, looks_before_sleep = 100'000;
  constexpr std::chrono::minutes longest{10};
  const auto is_reached = [&] { return counter.load(std::memory_order_acquire) >= number; };
  const auto start = std::chrono::steady_clock::now();
  for (int looks = 0; !is_reached(); ++looks) {
    if (looks < most_looks) continue;
    if (looks < looks_before_sleep) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (std::chrono::steady_clock::now() - start > longest) {
      throw std::runtime_error("replayed work waits for a device that does not go on");
    }
  }
}

}  // namespace goban::host
