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
  if (!domain_.is_mixed()) meet();
  Hazards& hazards = domain_.hazards();
  for (Pending& pending : together_) {
    pending.submission.waits = hazards.waits(pending.touches, pending.queue);
    hazards.record(pending.touches, pending.queue, submit(pending));
  }
  together_.clear();
}

/// Executors of one kind wait for each other's work at once.
void Submissions::meet() {
  std::vector<Meeting> meetings;
  for (const Pending& pending : together_) {
    const auto events = domain_.hazards().waits_for_others(pending.touches, pending.queue);
    if (events.empty()) continue;
    Executor* executor = &domain_.executor(pending.submission.patch);
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
  times.add(submission.patch, begin, end);
  return end;
}

}  // namespace goban
