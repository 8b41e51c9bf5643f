#pragma once
// Computes a stage on CPUs: by machine code made from its graph or, until that is there and where
// it cannot be made, by evaluating the graph.

#include <map>
#include <memory>
#include <mutex>

#include "goban/backend/cpu/compiled/row_code.hpp"
#include "goban/backend/cpu/row_walk.hpp"

namespace goban::cpu {

/// The kernel of one stage. Its machine code is compiled in another thread; see
/// compiled/row_code.hpp.
class StageKernel {
 public:
  explicit StageKernel(const Stage& stage);
  StageKernel(const StageKernel&) = delete;
  StageKernel& operator=(const StageKernel&) = delete;

  const KernelShape& shape() const { return shape_; }
  /// Waits until there is machine code, or there will be none. Returns whether there is.
  bool wait() const;

 private:
  friend class StageRun;
  /// The rows of the functor, or of one sweep of a column functor.
  struct Rows {
    RowSubject subject;
    std::shared_ptr<const Code> code;  ///< null if the graph is always evaluated
    bool is_ready() const;
    /// Returns the functions; all are null until there is machine code that this processor can run.
    RowKernels kernels() const;
    std::size_t in_cache = 0;  ///< the index of the code's function for fields in cache
  };
  std::unique_ptr<Rows> rows_of(const Stage& stage, const Graph& graph, const Footprint& footprint);
  void sweep_columns(const SweepCall& call) const;

  KernelShape shape_;
  std::unique_ptr<Rows> whole_, forward_, backward_;
  int scratch_numbers_ = 0, scratch_bytes_ = 1;
};

/// One thread's part of one sweep.
class StageRun {
 public:
  /// `is_in_cache`: the fields are in cache.
  StageRun(const StageKernel& kernel, const SweepCall& call, bool is_in_cache);
  /// Computes the cells of a box. `part` differs from the call it was made for only in box, tile,
  /// ends and reducer.
  void operator()(const SweepCall& part);

 private:
  const StageKernel& kernel_;
  std::unique_ptr<RowWalk> walk_;  ///< null for columns
  bool is_in_cache_;
};

/// The kernels of all stages that executors of the process were given. It owns no stage.
class StageKernels {
 public:
  static StageKernels& get();
  /// Returns the kernel of a stage, which exists until the program ends.
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
