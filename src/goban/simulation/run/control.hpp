#pragma once
// Wishes from outside of a run: signals, files in its directory, the end of its time.

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "goban/simulation/run/signals.hpp"

namespace goban {

/// Polled between cycles. Control files are looked for once a second and removed when honoured:
/// STOP saves and stops, CHECKPOINT saves.
class Control {
 public:
  enum class Stop : std::uint8_t {
    none,
    terminated,
    interrupted,
    hung_up,
    cpu_time,
    file,
    page,
    max_time
  };
  struct Wishes {
    bool checkpoint = false;
    Stop stop = Stop::none;
  };
  /// "SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU", "STOP", "live page",
  /// "max time"; empty: none.
  static const char* name_of(Stop stop);

  /// Listens to signals alone.
  Control() = default;
  /// `max_time` seconds after `started` all must be over; where it is infinite, a batch system's
  /// SLURM_JOB_END_TIME counts. Removes control files of an earlier run.
  Control(std::filesystem::path directory, std::chrono::steady_clock::time_point started,
          double max_time);

  /// `still_needed`: seconds one more cycle, a checkpoint and the end of the program will take.
  Wishes poll(double still_needed);

  SignalWatch& signals() { return signals_; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  bool take(const char* file) const;

  SignalWatch signals_;
  std::filesystem::path directory_;
  Time deadline_ = Time::max();
  Time next_look_ = Time::max();
};

}  // namespace goban
