#pragma once
// Walks through the rows of a sweep. It decides what a kernel computes and stores in whole packs,
// what is fetched ahead of it, and which cells are stored of the packs at the ends of rows.

#include <vector>

#include "goban/backend/cpu/evaluator/row_run.hpp"
#include "goban/backend/cpu/kernel_shape.hpp"
#include "goban/backend/cpu/kernels/row_call.hpp"
#include "goban/backend/cpu/rows_ahead.hpp"
#include "goban/backend/kernel_call.hpp"

namespace goban::cpu {

/// The machine code that computes rows of a functor. If there is none the graph is evaluated.
struct RowKernels {
  device::RowFunction rows = nullptr;     ///< computes KernelShape::planes planes together
  device::RowFunction one_row = nullptr;  ///< computes one plane
  /// Computes KernelShape::planes_in_cache planes and fetches nothing.
  device::RowFunction in_cache = nullptr;
};

/// What a kernel computes: a functor, or one of the sweeps of a column functor.
struct RowSubject {
  std::shared_ptr<const Graph> graph;  ///< the graph without branches
  Footprint footprint;
  std::vector<std::uint64_t> constants;       ///< the constants that the kernel gets as arguments
  std::shared_ptr<const RowProgram> program;  ///< the graph in the form in which it is evaluated
};

/// One thread's walk through its parts of a sweep.
class RowWalk {
 public:
  RowWalk(const RowSubject& subject, const KernelShape& shape, const RowKernels& kernels,
          const SweepCall& call);
  RowWalk(const RowWalk&) = delete;
  RowWalk& operator=(const RowWalk&) = delete;
  ~RowWalk();

  /// Computes all cells of a box. `part` differs from the call that the walk was made for only in
  /// box, tile, ends and reducer. `is_in_cache`: the fields are in cache.
  void run(const SweepCall& part, bool is_in_cache);
  /// Computes the cells of one level of columns with this scratch memory.
  void run_level(const Box& box, const ScratchBinding& scratch);

 private:
  struct Memory;
  /// One component of an output.
  struct Result {
    std::size_t argument;
    Index component;
  };

  void add_field(std::size_t argument);
  void bind_ends();
  Box whole_packs() const;
  /// Returns whether the mask excludes all cells from `first` to `last` in `rows` rows from (m, s)
  /// on.
  bool is_masked_out(Index first, Index last, Index m, Index s, Index rows) const;
  void sweep(int planes, device::RowFunction kernel);
  void start(Index middle, Index slow);
  void walk(const Box& whole, int planes, device::RowFunction kernel);
  void walk_rows(const Box& whole, device::RowFunction kernel);
  void walk_group(const Box& whole);
  void part(const Box& box);
  bool may_overlap() const;
  void ends_of_rows(const Box& whole);
  void in_place();
  void reduce();
  void prepare_fetches(int planes);

  /// Computes cells of some rows into buffers, which hold the rows of each result one after the
  /// other, begin with the first pack, and have `pitch` cells from row to row.
  void compute(Index first, Index last, Index rows, std::byte* buffers, Index pitch);
  void store_computed(Index first, Index last, const std::byte* buffers, Index pitch, Index rows,
                      Index row) const;
  void store_component(const Result& result, Index first, Index last,
                       const std::byte* computed) const;
  void aim_at_fields();

  const RowSubject& subject_;
  const KernelShape& shape_;
  RowKernels kernels_;
  SweepCall call_;
  std::unique_ptr<RowRun> evaluator_;  ///< null if there is machine code
  Index width_;                        ///< cells that are stored at once
  std::size_t fast_, middle_, slow_;
  Index m_ = 0, s_ = 0;       ///< the present row
  Index low_ = 0, high_ = 0;  ///< the cells of the present row to update
  std::unique_ptr<Memory> own_memory_;
  Memory& memory_;
  device::SiteView site_{};
  device::RowCall row_{};
};

}  // namespace goban::cpu
