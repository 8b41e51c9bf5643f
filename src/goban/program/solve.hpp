#pragma once
// What some stages of a program solve together, for those who derive it: the adjoint of a solve is
// a solve with the transposed operator, whatever its iterations did.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban {

/// A u = b, linear in u, which stages of a program find u of. All fields of it are named as these
/// stages name them.
struct Solve {
  using FieldPointer = std::shared_ptr<FieldRecord>;
  /// Appends v = A y or, where it solves for adjoints, the transposed product.
  using Product = std::function<void(Program&, const FieldPointer& y, const FieldPointer& v)>;
  /// What solves A x = b for changes and adjoints, under homogeneous conditions: x is made anew.
  struct OfChanges {
    FieldPointer unknown, known;              ///< x, and b, which is overwritten
    std::function<void(Program&)> append{};   ///< appends the stages
    std::vector<FieldPointer> overwritten{};  ///< further fields of the program that these write
  };

  std::string name;
  FieldPointer unknown{}, known{};  ///< u, which holds a guess before, and b
  bool overwrites_known = false;    ///< what b holds afterwards has no meaning
  /// For each component of u a sum (Stage::Kind::reduce) whose functor returns b - A u at a cell.
  /// Fields and parameters that it reads beside u and b are those that A depends on.
  std::vector<std::shared_ptr<const Stage>> equations{};
  /// What its stages read of the program beside these: it has no influence on u.
  std::vector<FieldPointer> also_read{};
  std::vector<std::shared_ptr<ParameterRecord>> numbers{};
  /// Solvers of symmetric operators have no need of the product.
  std::function<OfChanges(const Product& product)> of_changes{};
};

/// Stages that prepare solves whose operator has changed: what they write is read by these alone.
struct SolvePreparation {
  std::vector<std::shared_ptr<FieldRecord>> read{}, written{};
  std::vector<std::shared_ptr<ParameterRecord>> numbers{};  ///< that they write
};

}  // namespace goban
