#pragma once
// How a ghost is made of the value inside that it mirrors: once for all who make ghosts.

#include "goban/base/error.hpp"
#include "goban/boundary/boundary.hpp"

namespace goban {

/// The value of a ghost, which is computed in the arithmetic of its field from the value inside and
/// from `number`, which is rounded to that arithmetic before.
struct GhostFormula {
  enum class Form : std::uint8_t { number, inside, number_minus_inside, inside_plus_number };
  Form form = Form::inside;
  double number = 0;

  /// Returns the value in double.
  double operator()(double inside) const {
    switch (form) {
      case Form::number: return number;
      case Form::inside: return inside;
      case Form::number_minus_inside: return number - inside;
      case Form::inside_plus_number: return inside + number;
    }
    return inside;
  }
};

/// Returns the formula for ghosts of a condition with the number `value`. `distance` lies between
/// the ghost and the value that it mirrors, in the grid's length unit. Throws an Error
/// (ExitCode::usage) for conditions whose ghosts mirror nothing.
inline GhostFormula ghost_formula(BoundaryCondition::Kind kind, double value, double distance) {
  using Form = GhostFormula::Form;
  using Kind = BoundaryCondition::Kind;
  switch (kind) {
    case Kind::constant: return {Form::number, value};
    case Kind::wall_value: return {Form::number_minus_inside, 2 * value};
    case Kind::gradient: return {Form::inside_plus_number, value * distance};
    case Kind::mirror: return {Form::inside};
    case Kind::periodic:
    case Kind::custom:
    case Kind::bounce_back: break;
  }
  throw Error(ExitCode::usage, "ghosts cannot be made",
              "those of a condition that mirrors nothing were asked for", "this is a bug in goban");
}

}  // namespace goban
