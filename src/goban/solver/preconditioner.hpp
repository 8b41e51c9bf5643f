#pragma once
// What Krylov methods ask of those that solve roughly.

#include <functional>
#include <memory>
#include <vector>

#include "goban/program/program.hpp"

namespace goban {

/// Appends what makes `guess` of `residual`: an approximate solution z of A z = r, from whatever z
/// was. What it does may differ from time to time.
template <class T, class Layout = ijk>
struct Preconditioner {
  Field<T, 1, Layout> residual, guess;
  std::function<void(Program&)> append;
  std::vector<std::shared_ptr<FieldRecord>> reads{};  ///< what it reads beside the residual
};

}  // namespace goban
