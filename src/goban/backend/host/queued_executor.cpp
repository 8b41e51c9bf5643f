#include "goban/backend/host/queued_executor.hpp"

#include <utility>

#include "goban/backend/host/queue_recording.hpp"
#include "goban/backend/host/work_queue.hpp"

namespace goban {
namespace {

class QueuedExecutor : public Executor, private Recorder {
 public:
  explicit QueuedExecutor(std::shared_ptr<Executor> executor)
      : Executor(traits_of(*executor)), executor_(std::move(executor)) {
    offer({.recorder = this});
  }

  /// The host's threads belong to one caller at a time.
  std::shared_ptr<std::byte> allocate(std::size_t bytes) override {
    queue_.drain();
    return executor_->allocate(bytes);
  }
  std::shared_ptr<std::byte> allocate_mirrored(std::size_t bytes) override {
    queue_.drain();
    return executor_->allocate_mirrored(bytes);
  }
  void parallel(Index n, const std::function<void(Index begin, Index end)>& work) override {
    queue_.drain();
    executor_->parallel(n, work);
  }
  std::size_t bytes_free() const override { return executor_->bytes_free(); }

  EventPtr sweep(const SweepTask& task, const Submission& submission) override {
    return submit(submission,
                  [this, task, s = without_waits(submission)] { executor_->sweep(task, s); });
  }
  EventPtr fill(const std::vector<FillTask>& tasks, const Submission& submission) override {
    return submit(submission,
                  [this, tasks, s = without_waits(submission)] { executor_->fill(tasks, s); });
  }
  EventPtr copy(const std::vector<CopyTask>& tasks, const Submission& submission) override {
    return submit(submission,
                  [this, tasks, s = without_waits(submission)] { executor_->copy(tasks, s); });
  }
  EventPtr mark(const Submission& submission) override {
    return submit(submission, [] {});
  }
  void synchronize() override { queue_.drain(); }

 private:
  static ExecutorTraits traits_of(const Executor& executor) {
    ExecutorTraits traits = executor.traits();
    traits.is_helper = traits.is_asynchronous = true;
    return traits;
  }

  void begin_recording(const std::vector<Executor*>&) override {
    made_ = std::make_unique<host::QueueRecording>(
        std::vector<host::Queue*>{&queue_},
        [this](host::QueueRecording* recording) { recording_ = recording; });
  }
  std::unique_ptr<Recording> end_recording(const std::vector<Executor*>&) override {
    made_->end();
    return std::move(made_);
  }

  static Submission without_waits(const Submission& s) { return {s.stream, {}, s.patch, s.step}; }

  EventPtr submit(const Submission& submission, std::function<void()> work) {
    return recording_ ? recording_->add(queue_, submission, std::move(work))
                      : queue_.push(submission.waits, std::move(work));
  }

  std::shared_ptr<Executor> executor_;
  host::WorkQueue queue_;
  host::QueueRecording* recording_ = nullptr;  ///< what it is given goes there
  std::unique_ptr<host::QueueRecording> made_;
};

}  // namespace

std::shared_ptr<Executor> make_queued_executor(std::shared_ptr<Executor> executor) {
  return std::make_shared<QueuedExecutor>(std::move(executor));
}

}  // namespace goban
