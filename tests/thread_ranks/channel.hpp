#pragma once
// Messages on their way from one thread to another.

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "goban/base/message_memory.hpp"

namespace goban::threads {

struct Message {
  MessageMemory memory;
  std::size_t bytes = 0;
};

/// Message i lies in slot i modulo message_slots, which its sender fills and its receiver empties.
class Channel {
 public:
  enum class End { sender, receiver };

  explicit Channel(End opened) : opened(opened) {}

  const End opened;  ///< the end that was there first

  Message& slot(std::uint64_t message) { return slots_[message % message_slots]; }

  /// Waits until message number `message` may be filled; check() throws if it never will.
  template <class Check>
  void wait_until_free(std::uint64_t message, Check&& check) {
    wait([&] { return message < received_ + message_slots; }, check);
  }
  /// Waits until it has been sent.
  template <class Check>
  void wait_until_sent(std::uint64_t message, Check&& check) {
    wait([&] { return message < sent_; }, check);
  }

  void set_sent(std::uint64_t messages) { set(sent_, messages); }
  void set_received(std::uint64_t messages) { set(received_, messages); }
  /// Whoever waits checks again.
  void wake() {
    { const std::lock_guard lock(mutex_); }
    changed_.notify_all();
  }

 private:
  template <class IsReady, class Check>
  void wait(IsReady&& is_ready, Check&& check) {
    std::unique_lock lock(mutex_);
    while (!is_ready()) {
      check();
      changed_.wait(lock);
    }
  }
  void set(std::uint64_t& count, std::uint64_t value) {
    {
      const std::lock_guard lock(mutex_);
      count = value;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t sent_ = 0, received_ = 0;
  std::array<Message, message_slots> slots_;
};

}  // namespace goban::threads
