#include "goban/simulation/run/control.hpp"

#include <signal.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace goban {
namespace {

using std::chrono::steady_clock;

constexpr auto between_looks = std::chrono::seconds(1);
constexpr double longest = 1e9;  // seconds; no run is asked to stop after that

/// Seconds until the batch system ends the job; infinite if there is none.
double seconds_of_job() {
  const char* const text = std::getenv("SLURM_JOB_END_TIME");
  long long end = 0;
  if (text == nullptr || std::from_chars(text, text + std::strlen(text), end).ec != std::errc()) {
    return HUGE_VAL;
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<double>(end) - std::chrono::duration<double>(now).count();
}

}  // namespace

Control::Control(std::filesystem::path directory, Time started, double max_time)
    : directory_(std::move(directory)), next_look_(steady_clock::now() + between_looks) {
  const bool own_limit = std::isfinite(max_time);
  const double seconds = std::fmin(own_limit ? max_time : seconds_of_job(), longest);
  deadline_ =
      (own_limit ? started : steady_clock::now()) +
      std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(seconds));
  take("STOP");
  take("CHECKPOINT");
}

const char* Control::name_of(Stop stop) {
  switch (stop) {
    case Stop::none: return "";
    case Stop::terminated: return "SIGTERM";
    case Stop::interrupted: return "SIGINT";
    case Stop::hung_up: return "SIGHUP";
    case Stop::cpu_time: return "SIGXCPU";
    case Stop::file: return "STOP";
    case Stop::page: return "live page";
    default: return "max time";
  }
}

Control::Wishes Control::poll(double still_needed) {
  Wishes wishes;
  wishes.checkpoint = signals_.take_checkpoint_request();
  if (const int signal = signals_.stop_signal(); signal != 0) {
    wishes.stop = signal == SIGINT    ? Stop::interrupted
                  : signal == SIGHUP  ? Stop::hung_up
                  : signal == SIGXCPU ? Stop::cpu_time
                                      : Stop::terminated;
  }
  const Time now = steady_clock::now();
  const bool has_deadline = deadline_ != Time::max();
  if (has_deadline && std::chrono::duration<double>(deadline_ - now).count() < still_needed) {
    wishes.stop = Stop::max_time;
  }
  if (now >= next_look_) {
    next_look_ = now + between_looks;
    if (take("CHECKPOINT")) wishes.checkpoint = true;
    if (take("STOP")) wishes.stop = Stop::file;
  }
  return wishes;
}

bool Control::take(const char* file) const {
  std::error_code error;
  return std::filesystem::remove(directory_ / file, error);
}

}  // namespace goban
