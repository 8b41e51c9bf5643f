#pragma once
// Keeps the ends of the rows that a sweep streams to memory in cache until their ghosts are made
// from them, so that ends and ghosts leave as whole lines. Written piecemeal, every end and every
// ghost would first be read from memory, and the sweep would wait for it.
//
//   a row in memory:  | ghosts | first line(s) |   ...   | last line(s), ghosts |
//   in cache:         | ghosts | first line(s) | last line(s), ghosts |
//
// The low ghosts of a row share their line with the high ghosts of the row before.

#include <limits>
#include <memory>

#include "goban/backend/api.hpp"

namespace goban::cpu {

/// The row ends of one thread's part of a sweep; run_tiles() uses it.
class RowEnds {
 public:
  /// Plans for a task with edge fills or edge copies, for `rows` rows of `planes` planes at a time.
  RowEnds(const SweepTask& task, Index planes, Index rows);

  /// Returns false if the lines of the ends hold anything but cells that the sweep writes and their
  /// ghosts.
  bool is_possible() const { return is_possible_; }

  Index rows_at_once() const { return rows_; }

  /// Returns where the kernel keeps the ends of the rows of `box`, which has at most the planned
  /// rows and planes; one entry per argument.
  const RowEndsBinding* bind(const Box& box);

  /// Makes the ghosts of these rows and writes their ends to memory. The line that is shared with
  /// the next row waits for that row, unless these rows are the last.
  void flush(bool is_last);

 private:
  static constexpr Index line = 64;  // bytes
  using Line = std::array<std::byte, line>;

  /// One component of one output.
  struct Component {
    std::size_t argument;
    Index component;
    Index element;              ///< bytes per element
    Index left = 0, right = 0;  ///< ghosts on the low side, and the end of those on the high side
    Index set_below = 0;        ///< cells at the low end that are set together with the ghosts
    Index set_from = std::numeric_limits<Index>::max();  ///< the first such cell at the high end
    Index low_reach = 0, high_reach = 0;  ///< cells at the ends that ghosts are made from
    Index pitch = 0;                      ///< elements per row in cache
    std::byte* kept = nullptr;            ///< address of x = 0 of the first row in cache
    std::vector<Line> waiting;            ///< per plane: the line that is shared with the next row
  };

  Component& component_of(const FieldBinding& binding, ElementType type);
  void add(const FieldBinding& binding, ElementType type, const Box& target, const Box& source);
  void cut(Component& component);
  void allocate();
  FieldBinding in_cache(const FieldBinding& binding, ElementType type, Index x);
  void write_back(Component& component, bool is_last) const;

  const SweepTask& task_;
  std::size_t middle_, slow_;
  Index planes_, rows_;
  std::vector<Component> components_;
  std::vector<RowEndsBinding> bindings_;
  std::vector<CopyTask> copies_;
  std::vector<FillTask> fills_;
  Box box_{};
  bool is_possible_ = true, continues_ = false;
};

}  // namespace goban::cpu
