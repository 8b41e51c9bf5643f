#pragma once
// What a process spent on making a run ready.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace goban {

enum class Preparation : std::uint8_t {
  devices,      ///< finding and starting GPUs
  calibration,  ///< measuring a machine that the model does not know
  memory,       ///< allocating fields
  fields,       ///< filling them by functions, numbers, images
  kernels,      ///< compiling and loading what devices run
  bandwidth,    ///< measuring how fast a copy is
};
inline constexpr std::array preparations{Preparation::devices, Preparation::calibration,
                                         Preparation::memory,  Preparation::fields,
                                         Preparation::kernels, Preparation::bandwidth};
constexpr const char* name_of(Preparation what) {
  constexpr std::array names{"devices", "calibration", "memory",
                             "fields",  "kernels",     "copy bandwidth"};
  return names[static_cast<std::size_t>(what)];
}

/// Seconds of the threads that wait for the work.
struct StartTimes {
  double total = 0;  ///< since the process started, or since the times were taken before
  std::array<double, preparations.size()> of{};

  /// What was counted, which counts no more.
  static StartTimes take() {
    using std::chrono::steady_clock;
    StartTimes times;
    const auto now = steady_clock::now();
    times.total = std::chrono::duration<double>(now - since_.exchange(now)).count();
    for (std::size_t i = 0; i < times.of.size(); ++i) {
      times.of[i] = 1e-9 * static_cast<double>(nanoseconds_[i].exchange(0));
    }
    return times;
  }

 private:
  friend class Preparing;
  inline static std::atomic<std::chrono::steady_clock::time_point> since_{
      std::chrono::steady_clock::now()};
  inline static std::array<std::atomic<std::int64_t>, preparations.size()> nanoseconds_{};
};

/// Counts the time it lives, as part of what is being prepared around it, if anything is.
class Preparing {
 public:
  explicit Preparing(Preparation what) : what_(what) { ++depth_; }
  ~Preparing() {
    if (--depth_ > 0) return;
    const auto time = std::chrono::steady_clock::now() - start_;
    StartTimes::nanoseconds_[static_cast<std::size_t>(what_)] +=
        std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  }
  Preparing(const Preparing&) = delete;
  Preparing& operator=(const Preparing&) = delete;

 private:
  inline static thread_local int depth_ = 0;
  Preparation what_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace goban
