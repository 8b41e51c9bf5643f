#include "goban/backend/joint_recording.hpp"

#include <algorithm>
#include <utility>

namespace goban {
namespace {

class JointRecording : public Recording {
 public:
  explicit JointRecording(std::vector<std::unique_ptr<Recording>> parts)
      : parts_(std::move(parts)) {}

  void replay() override {
    for (const auto& part : parts_) part->replay();
  }
  void begin_changes() override {
    for (const auto& part : parts_) part->begin_changes();
  }
  void end_changes() override {
    for (const auto& part : parts_) part->end_changes();
  }

 private:
  std::vector<std::unique_ptr<Recording>> parts_;
};

/// Groups executors by kind. Devices come first, so that the host submits their work before it does
/// its own.
std::vector<std::vector<Executor*>> kinds_of(const std::vector<Executor*>& all) {
  std::vector<std::vector<Executor*>> kinds;
  for (const bool are_helpers : {false, true}) {
    std::vector<Executor*> kind;
    std::copy_if(all.begin(), all.end(), std::back_inserter(kind),
                 [&](Executor* executor) { return executor->is_helper() == are_helpers; });
    if (!kind.empty()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

/// Lets executors of different kinds wait for each other at the start of a replay, because those of
/// another kind may still be busy with the one before.
void meet_at_start(const std::vector<Executor*>& all) {
  std::vector<EventPtr> started;
  for (Executor* executor : all) started.push_back(executor->mark({}));
  for (Executor* executor : all) {
    std::vector<EventPtr> others;
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (all[n]->is_helper() != executor->is_helper()) others.push_back(started[n]);
    }
    for (const Stream stream : {Stream::compute, Stream::halo}) executor->mark({stream, others});
  }
}

}  // namespace

void begin_recording(const std::vector<Executor*>& all) {
  const auto kinds = kinds_of(all);
  for (const auto& kind : kinds) kind.front()->recorder()->begin_recording(kind);
  if (kinds.size() > 1) meet_at_start(all);
}

std::unique_ptr<Recording> end_recording(const std::vector<Executor*>& all) {
  std::vector<std::unique_ptr<Recording>> parts;
  for (const auto& kind : kinds_of(all))
    parts.push_back(kind.front()->recorder()->end_recording(kind));
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<JointRecording>(std::move(parts));
}

}  // namespace goban
