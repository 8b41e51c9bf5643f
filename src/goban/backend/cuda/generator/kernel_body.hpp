#pragma once
// The computation of a functor for some cells of one thread, straight through, as text.

#include <functional>

#include "goban/backend/cuda/generator/generator.hpp"

namespace goban::cuda {

/// Names of types in kernels: of what a field stores, and of what it is computed with.
const char* stored_name(ElementType type);
const char* computed_name(ElementType type);
std::string number_name(const GraphType& type);
/// What finds a cell of a field.
const char* cell_function(const KernelSubject& subject);
/// The memory order of fields: two bits an axis, the fastest first.
int order_code(const std::array<int, 3>& order);

/// What a thread computes. In the text `a` are the arguments, `at` is the thread's first cell.
struct KernelCells {
  std::vector<std::array<int, 2>> cells;  ///< rows and planes from the thread's first
  std::string values;                     ///< array of the values of ValueParameters
  std::string site;                       ///< the SiteView
  /// What a read of a parameter is where it is not loaded; empty: it is.
  std::function<std::string(const Read& read, bool before)> elsewhere;
  /// A line that takes what a cell makes.
  std::function<std::string(std::size_t cell, std::size_t output, const std::string& value)> store;
};

/// Lines of C++.
std::string body_text(const KernelSubject& subject, const KernelCells& cells);

}  // namespace goban::cuda
