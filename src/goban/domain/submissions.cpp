#include "goban/domain/submissions.hpp"

#include <algorithm>

namespace goban {

void Submissions::add(const Submission& submission, std::vector<Touch> touches,
                      std::function<EventPtr(const Submission&)> submit) {
  const Queue queue{&domain_.executor(submission.patch), submission.stream};
  if (follows_other_queue(touches, queue)) flush();
  together_.push_back({submission, queue, std::move(touches), std::move(submit)});
}

bool Submissions::follows_other_queue(const std::vector<Touch>& touches, const Queue& queue) const {
  return std::any_of(together_.begin(), together_.end(), [&](const Work& work) {
    return work.queue != queue &&
           std::any_of(work.touches.begin(), work.touches.end(), [&](const Touch& earlier) {
             return std::any_of(touches.begin(), touches.end(),
                                [&](const Touch& touch) { return touch.conflicts(earlier); });
           });
  });
}

void Submissions::flush() {
  Hazards& hazards = domain_.hazards();
  std::vector<Meeting> meetings;
  for (const Work& work : together_) {
    const auto events = hazards.waits_for_others(work.touches, work.queue);
    if (events.empty()) continue;
    Executor* executor = &domain_.executor(work.submission.patch);
    auto at = std::find_if(meetings.begin(), meetings.end(), [&](const Meeting& meeting) {
      return meeting.executor == executor && meeting.stream == work.submission.stream;
    });
    if (at == meetings.end()) at = meetings.insert(at, {executor, work.submission.stream, {}});
    at->waits.insert(at->waits.end(), events.begin(), events.end());
  }
  if (!meetings.empty()) meetings.front().executor->meet(meetings);
  for (Work& work : together_) {
    work.submission.waits = hazards.waits(work.touches, work.queue);
    hazards.record(work.touches, work.queue, work.submit(work.submission));
  }
  together_.clear();
}

}  // namespace goban
