#include "goban/simulation/report/voice.hpp"

#include <cstdio>

namespace goban {

void Voice::print(const std::string& text) {
  if (!shows_progress_) return;
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

void Voice::say(const std::string& line) {
  if (progress_) {
    progress_->say(line);
  } else if (shows_progress_) {
    print(line + "\n");
  } else if (speaks_) {
    std::fputs((line + "\n").c_str(), stderr);
  }
}

void Voice::begin_progress(const Progress::Plan& plan) {
  if (shows_progress_) progress_.emplace(stdout, plan);
}

void Voice::update(Index step, double time, double wall) {
  if (progress_) progress_->update(step, time, wall);
}

void Voice::end_progress(Index step, double time, double loop_seconds, bool over) {
  if (progress_) progress_->finish(step, time, loop_seconds, over);
  progress_.reset();
}

}  // namespace goban
