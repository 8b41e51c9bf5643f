#pragma once
// The CPU as an executor: a thread team, cache-sized tiles, passes of several steps through cache.

#include <map>
#include <memory>
#include <tuple>

#include "goban/backend/api.hpp"
#include "goban/backend/cpu/pass.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/backend/cpu/tile_choice.hpp"

namespace goban {

/// Every call returns when its work is done.
class CpuExecutor : public Executor,
                    private SweepBundles,
                    private SweepTiles,
                    private TemporalBlocking {
 public:
  /// Streaming stores are of results larger than `cache_bytes`, which leave the caches before
  /// anybody reads them.
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
  void parallel(Index n, const std::function<void(Index begin, Index end)>& work) override;

  ThreadTeam& team() { return *team_; }

 private:
  struct Call;
  /// Of sweeps of so many cells that come from memory.
  struct TilesTried {
    std::shared_ptr<const Stage> stage;  ///< lives as long as it is a key
    cpu::TileChoice choice;
  };
  using TilesKey = std::pair<const Stage*, Index3>;
  void sweep_in_tiles(const Call& made, const SweepTask& task, Index rows);
  Call call_of(const SweepTask& task) const;
  EventPtr bundle(const std::vector<const SweepTask*>& tasks,
                  const Submission& submission) override;
  std::string tiles_of(const std::shared_ptr<const Stage>& stage, const Index3& cells,
                       const std::array<int, 3>& order) const override;
  EventPtr pass(const PassTask& task, const Submission& submission) override;
  std::string refusal(const Stages&, int) const override { return ""; }
  int suggested_steps(const Stages& stages, bool is_cached) const override;
  bool takes_any_length() const override { return true; }

  std::shared_ptr<ThreadTeam> team_;
  bool streaming_stores_;
  double cache_bytes_;
  std::map<TilesKey, TilesTried> tiles_;
};

}  // namespace goban
