#pragma once
// What computes a stage on CPUs: machine code made from its graph, and until that is there, and
// where it cannot be made, the graph itself.

#include <map>
#include <memory>
#include <mutex>

#include "goban/backend/cpu/compiled/row_code.hpp"
#include "goban/backend/cpu/row_walk.hpp"

namespace goban::cpu {

class StageKernel {
 public:
  explicit StageKernel(const Stage& stage);
  StageKernel(const StageKernel&) = delete;
  StageKernel& operator=(const StageKernel&) = delete;

  const KernelShape& shape() const { return shape_; }
  /// Returns when there is machine code, or there will be none; whether there is.
  bool wait() const;

 private:
  friend class StageRun;
  /// The functor, or one sweep of a functor of columns.
  struct Rows {
    RowSubject subject;
    std::shared_ptr<const Code> code;  ///< null: the graph is evaluated
    bool is_ready() const;
    /// None until there is machine code that this processor can run.
    RowKernels kernels() const;
    std::size_t in_cache = 0;  ///< the number of the code's function for cells in cache
  };
  std::unique_ptr<Rows> rows_of(const Stage& stage, const Graph& graph, const Footprint& footprint);
  void sweep_columns(const SweepCall& call) const;

  KernelShape shape_;
  std::unique_ptr<Rows> whole_, forward_, backward_;
  int scratch_numbers_ = 0, scratch_bytes_ = 1;
};

/// What one thread computes of one sweep.
class StageRun {
 public:
  /// `is_in_cache`: so are the fields.
  StageRun(const StageKernel& kernel, const SweepCall& call, bool is_in_cache);
  /// The cells of a box. `part` is the call that it was made for, but for box, tile, ends and
  /// reducer.
  void operator()(const SweepCall& part);

 private:
  const StageKernel& kernel_;
  std::unique_ptr<RowWalk> walk_;  ///< null: columns
  bool is_in_cache_;
};

/// The kernels of all stages that executors were given. It keeps no stage.
class StageKernels {
 public:
  static StageKernels& get();
  /// The kernel of a stage, which stays while the program runs.
  const StageKernel& of(const std::shared_ptr<const Stage>& stage);

 private:
  struct Key {
    std::weak_ptr<const Stage> stage;
    const Stage* address;
    bool operator<(const Key& other) const;
  };
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<StageKernel>> kernels_;
};

inline const StageKernel& kernel_of(const std::shared_ptr<const Stage>& stage) {
  return StageKernels::get().of(stage);
}

}  // namespace goban::cpu
