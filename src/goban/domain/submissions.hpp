#pragma once
// Work on its way to asynchronous executors: what may be submitted together is, so that executors
// meet once and not for every dependence between them.

#include <functional>
#include <vector>

#include "goban/domain/domain.hpp"

namespace goban {

class Submissions {
 public:
  explicit Submissions(Domain& domain) : domain_(domain) {}

  enum class Work : std::uint8_t {
    computes,  ///< or copies and fills what is there: its time counts where cuts are balanced
    moves      ///< messages, and may wait for them meanwhile
  };
  /// Work of one patch that touches these cells. `submit` is called when the work need wait for
  /// nothing but what the submission says; until flush() that may be later.
  void add(Work work, const Submission& submission, std::vector<Touch> touches,
           std::function<EventPtr(const Submission&)> submit);
  /// Submits everything that was added.
  void flush();

 private:
  struct Pending {
    Work work;
    Submission submission;
    Queue queue;
    std::vector<Touch> touches;
    std::function<EventPtr(const Submission&)> submit;
  };
  bool follows_other_queue(const std::vector<Touch>& touches, const Queue& queue) const;

  Domain& domain_;
  void meet();
  EventPtr submit(Pending& pending);

  std::vector<Pending> together_;  ///< none waits for another, other queues than its own concerned
};

}  // namespace goban
