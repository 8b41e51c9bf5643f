#pragma once
// How the kernels of CPUs go about a functor: read off its footprint.

#include <array>
#include <string>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban::cpu {

/// How an input is fetched ahead of its use.
enum class Fetch {
  none,    ///< nothing is read, or too many components several times
  plane,   ///< one plane at a time enters the stencil: see rows_ahead.hpp
  group,   ///< a group of planes is walked together: fetch what its next rows will need
  streams  ///< every component is its own stream, read where it is needed: fetch two packs ahead
};

/// Which values of one parameter a functor reads.
struct InputShape {
  Fetch fetch = Fetch::none;
  int slow_low = 0, slow_high = 0, middle_low = 0, middle_high = 0;
  int outer_high = 0;  ///< the farthest along the middle axis in other planes than the cell's own
  bool along_rows = false;  ///< neighbours along the row are read
  bool has_reads = false;
};

/// What kernels are compiled for.
struct InstructionSet {
  std::string name;       ///< as compilers know it: "x86-64-v3"
  int vector_bytes = 16;  ///< bytes of a register
};
/// The instructions that kernels of this process are compiled for: the processor's own, unless it
/// was told others.
const InstructionSet& target_instructions();
/// Before the first kernel: "x86-64", "x86-64-v3" or "x86-64-v4", to fill the folder of kernels for
/// other processors. Error (ExitCode::usage): it is none of them.
void compile_for(const std::string& name);
/// The processor has them.
bool can_run(const InstructionSet& isa);

struct KernelShape {
  KernelShape() = default;
  KernelShape(const Stage& stage, const InstructionSet& isa);

  std::array<int, 3> order{0, 1, 2};  ///< memory order of the fields: fast, middle, slow
  int widest = 1;                     ///< bytes of what is computed with
  int width = 1;                      ///< cells a pack
  std::vector<InputShape> inputs;     ///< per parameter
  int streams = 0;                    ///< components that are fetched plane by plane
  /// Planes computed together from memory: sharing loads pays where arithmetic is cheap, that is
  /// for bytes; elsewhere fetching ahead hides what sharing would save.
  int planes = 1;
  /// The same from cache, in passes of several steps.
  int planes_in_cache = 1;
  /// Long reaches: a group of planes is walked together in pieces of rows that fit the first-level
  /// cache with all that the stencil reaches over.
  bool walks_groups = false;
  Index piece = 0;  ///< cells
  /// Cells between two decisions on what to fetch.
  Index chunk = 0;
  /// Whether so much is computed that both ways of storing packs are in one loop: beside it a
  /// branch for every pack costs nothing.
  bool is_large = false;
  bool writes_in_place = false;
  bool is_reduction = false;
  bool reads_other_grids = false;
  bool is_list = false;  ///< finds neighbours by tables, whose groups of cells hold whole packs

  static constexpr int group = 4, most_shares = 12;
  /// Planes along the slow axis that are walked together from memory.
  int planes_together() const { return walks_groups ? group : planes; }
  /// Rows of a field that are fetched beside one row of a group.
  int shares(const InputShape& input) const {
    return input.fetch != Fetch::group ? 1
                                       : 1 + (input.slow_low + input.slow_high + group - 1) / group;
  }
};

}  // namespace goban::cpu
