#include "goban/domain/submissions.hpp"

#include <algorithm>

namespace goban {

void Submissions::add(Work work, const Submission& submission, std::vector<Touch> touches,
                      std::function<EventPtr(const Submission&)> submit) {
  const Queue queue{&domain_.executor(submission.patch), submission.stream};
  if (follows_other_queue(touches, queue)) flush();
  together_.push_back({work, submission, queue, std::move(touches), std::move(submit)});
}

bool Submissions::follows_other_queue(const std::vector<Touch>& touches, const Queue& queue) const {
  return std::any_of(together_.begin(), together_.end(), [&](const Pending& pending) {
    return pending.queue != queue &&
           std::any_of(pending.touches.begin(), pending.touches.end(), [&](const Touch& earlier) {
             return std::any_of(touches.begin(), touches.end(),
                                [&](const Touch& touch) { return touch.conflicts(earlier); });
           });
  });
}

void Submissions::flush() {
  meet();
  Hazards& hazards = domain_.hazards();
  for (Pending& pending : together_) {
    pending.submission.waits = hazards.waits(pending.touches, pending.queue);
    hazards.record(pending.touches, pending.queue, submit(pending));
  }
  together_.clear();
}

/// Devices wait for each other's work at once; CPUs beside them, of which there is one, for theirs
/// when it comes, as devices do for that of CPUs.
void Submissions::meet() {
  std::vector<Meeting> meetings;
  for (const Pending& pending : together_) {
    Executor* executor = &domain_.executor(pending.submission.patch);
    if (executor->is_helper()) continue;
    const auto is_other_device = [&](const Queue& other) {
      return other.executor != executor && !other.executor->is_helper();
    };
    const auto events =
        domain_.hazards().waits_for(is_other_device, pending.touches, pending.queue);
    if (events.empty()) continue;
    auto at = std::find_if(meetings.begin(), meetings.end(), [&](const Meeting& meeting) {
      return meeting.executor == executor && meeting.stream == pending.submission.stream;
    });
    if (at == meetings.end()) at = meetings.insert(at, {executor, pending.submission.stream, {}});
    at->waits.insert(at->waits.end(), events.begin(), events.end());
  }
  if (!meetings.empty()) meetings.front().executor->meet(meetings);
}

/// Waiting is not part of the time that counts.
EventPtr Submissions::submit(Pending& pending) {
  BusyTimes& times = domain_.busy_times();
  if (!times.are_kept() || pending.work != Work::computes) {
    return pending.submit(pending.submission);
  }
  Submission& submission = pending.submission;
  const EventPtr begin = domain_.executor(submission.patch).mark(submission);
  submission.waits.clear();
  const EventPtr end = pending.submit(submission);
  times.add(&domain_.executor(submission.patch), begin, end);
  return end;
}

}  // namespace goban
