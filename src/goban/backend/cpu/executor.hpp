#pragma once
// The executor of CPUs: a thread team, tiles that fit the caches, and passes of several steps
// through cache.

#include <memory>

#include "goban/backend/api.hpp"
#include "goban/backend/cpu/pass.hpp"
#include "goban/backend/cpu/thread_team.hpp"

namespace goban {

/// Computes patches on CPUs. Every call returns when its work is done.
class CpuExecutor : public Executor, private SweepBundles, private TemporalBlocking {
 public:
  /// `streaming_stores`: results larger than `cache_bytes` bypass the caches, as they would leave
  /// them before anybody reads them.
  explicit CpuExecutor(std::shared_ptr<ThreadTeam> team, bool streaming_stores = true,
                       double cache_bytes = 12e6);

  std::shared_ptr<std::byte> allocate(std::size_t bytes) override;
  std::size_t bytes_free() const override;
  std::shared_ptr<std::byte> allocate_mirrored(std::size_t bytes) override;
  EventPtr sweep(const SweepTask& task, const Submission& submission) override;
  EventPtr fill(const std::vector<FillTask>& tasks, const Submission& submission) override;
  EventPtr copy(const std::vector<CopyTask>& tasks, const Submission& submission) override;
  EventPtr mark(const Submission&) override { return nullptr; }
  void synchronize() override {}
  bool is_preparing() const override;
  void parallel(Index n, const std::function<void(Index begin, Index end)>& work) override;

  ThreadTeam& team() { return *team_; }

 private:
  struct Call;
  Call call_of(const SweepTask& task) const;
  EventPtr bundle(const std::vector<const SweepTask*>& tasks,
                  const Submission& submission) override;
  EventPtr pass(const PassTask& task, const Submission& submission) override;
  std::string refusal(const Stages&, int) const override { return ""; }
  int suggested_steps(const Stages& stages, bool is_cached) const override;
  bool takes_any_length() const override { return true; }

  std::shared_ptr<ThreadTeam> team_;
  bool streaming_stores_;
  double cache_bytes_;
};

}  // namespace goban
