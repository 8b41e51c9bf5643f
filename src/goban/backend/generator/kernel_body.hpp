#pragma once
// The computation of a functor for some cells of one thread, straight through, as text.

#include <functional>

#include "goban/backend/generator/kernel_subject.hpp"

namespace goban {

/// Names of types in kernels: the type that a field stores, and the one that it is computed with.
const char* stored_name(ElementType type);
const char* computed_name(ElementType type);
std::string number_name(const GraphType& type);
/// The memory order of fields: two bits an axis, the fastest first.
int order_code(const std::array<int, 3>& order);

/// A pack in memory: component of a parameter; cells along the row, rows and planes from the first
/// cell.
struct PackLoad {
  int parameter, component, cell, row, plane;
  auto operator<=>(const PackLoad&) const = default;
};

/// How the kernels of a target reach memory.
struct MemoryAccess {
  /// Lines before the values, of a field that is read.
  std::function<std::string(int parameter)> field;
  std::function<std::string(const PackLoad& load)> load;
  /// Where neighbours lie, by a table of so many offsets.
  std::function<std::string(int table, int offset, int offsets)> neighbors;
  /// A line before the first neighbour by a table; null: there is none.
  std::function<std::string(int table, int offsets)> table;
  /// What makes a pack of local numbers of that.
  std::string numbers;
  /// A component of these neighbours, of the cells at hand another one where there are none.
  std::function<std::string(int parameter, int component, int at_wall,
                            const std::string& neighbors)>
      gather;
  /// Whether neighbours so many cells along the row are loaded as they lie; otherwise they are
  /// taken from the packs that begin at multiples of the width.
  std::function<bool(int parameter, int along)> loads_as_they_lie;
  /// Asks for all values of a cell first, if they fit into registers.
  bool asks_ahead = false;
  bool adds_bytes = false;        ///< adds bytes, four at a time
  bool copies_constants = false;  ///< copies constants that are arguments, once for all cells
};

/// What a thread computes. In the text `a` are the arguments, `at` is the thread's first cell.
struct KernelCells {
  std::vector<std::array<int, 2>> cells;  ///< rows and planes from the thread's first
  std::string values;                     ///< array of what number() makes values of
  std::string site;                       ///< the SiteView
  /// What a read of a parameter is where it is not loaded; empty: it is.
  std::function<std::string(const Read& read, bool before)> elsewhere;
  /// A line that takes what a cell makes.
  std::function<std::string(std::size_t cell, std::size_t output, const std::string& value)> store;
};

/// Lines of C++: for the fields that are read, for numbers that are the same for all cells, and for
/// the values of the cells.
struct BodyText {
  std::string fields, uniforms, values;
  std::string whole() const { return fields + uniforms + values; }
};
BodyText body_text(const KernelSubject& subject, const KernelCells& cells,
                   const MemoryAccess& memory);

}  // namespace goban
