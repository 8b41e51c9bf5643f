#include "goban/backend/timeline.hpp"

#include <utility>

namespace goban {

int Timeline::add_process(const std::string& name) {
  const std::lock_guard lock(mutex_);
  processes_.push_back(name);
  return static_cast<int>(processes_.size()) - 1;
}

bool Timeline::admit() {
  const std::lock_guard lock(mutex_);
  const bool has_room = admitted_ < limit_;
  ++(has_room ? admitted_ : left_out_);
  return has_room;
}

void Timeline::add(Bar bar) {
  const std::lock_guard lock(mutex_);
  has_news_ = has_news_ || bar.row != Row::host;
  bars_.push_back(std::move(bar));
}

const char* name_of(Timeline::Row row) {
  constexpr const char* names[] = {"compute", "halo", "host"};
  return names[static_cast<int>(row)];
}

const char* name_of(Timeline::Kind kind) {
  constexpr const char* names[] = {"sweep", "pass", "fill", "copy", "wait", "output", "checkpoint"};
  return names[static_cast<int>(kind)];
}

HostSpan::HostSpan(Timeline* timeline, Timeline::Kind kind, const std::string& name)
    : range_(name), timeline_(timeline && timeline->admit() ? timeline : nullptr) {
  if (!timeline_) return;
  bar_.kind = kind;
  bar_.row = Timeline::Row::host;
  bar_.name = name;
  bar_.begin = std::chrono::steady_clock::now();
}

HostSpan::~HostSpan() {
  if (!timeline_) return;
  bar_.end = std::chrono::steady_clock::now();
  timeline_->add(std::move(bar_));
}

}  // namespace goban
