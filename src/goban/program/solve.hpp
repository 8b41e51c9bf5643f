#pragma once
// What some stages of a program solve together, for those who derive it: the adjoint of a solve is
// a solve with the transposed operator, whatever its iterations did.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban {

class Program;

/// A u = b, linear in u, which stages of a program find u of; or, without an unknown, what prepares
/// solves. All fields are named as these stages name them.
struct Solve {
  using FieldPointer = std::shared_ptr<FieldRecord>;
  /// Appends v = A y or, where it solves for adjoints, the transposed product.
  using Product = std::function<void(Program&, const FieldPointer& y, const FieldPointer& v)>;
  /// What solves A x = b for changes and adjoints, under homogeneous conditions: x is made anew.
  struct OfChanges {
    FieldPointer unknown, known;             ///< x, and b, which is overwritten
    std::function<void(Program&)> append{};  ///< appends the stages
  };

  std::string name;
  FieldPointer unknown{}, known{};  ///< u, which holds a guess before, and b
  bool overwrites_known = false;    ///< what b holds afterwards has no meaning
  /// For each component of u a sum (Stage::Kind::reduce) whose functor returns b - A u at a cell.
  /// Fields that it reads beside u and b are those that A depends on.
  std::vector<std::shared_ptr<const Stage>> equations{};
  /// Further fields that its stages read, which have no influence on u, and that they overwrite:
  /// those of OfChanges do, too.
  std::vector<FieldPointer> reads{}, writes{};
  std::vector<std::shared_ptr<ParameterRecord>> numbers{};  ///< that those of OfChanges read
  /// Solvers of symmetric operators have no need of the product.
  std::function<OfChanges(const Product& product)> of_changes{};
  std::size_t stages = 0;  ///< how many there are
};

/// From now on the stages of the program from number `first` on are known to solve this; what some
/// of them were known to solve is a part of it. Runs do not look at it.
void mark_solve(Program& program, std::size_t first, Solve solve);

}  // namespace goban
