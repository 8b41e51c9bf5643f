#pragma once
// Physical boundary conditions: what ghost cells beyond the edge of the domain hold.

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/base/same_bits.hpp"
#include "goban/base/types.hpp"

namespace goban {

/// What a user-written boundary condition sees of one ghost cell.
/// Space: n cells beyond the face (n = 1, 2, ...).
struct GhostCell {
  static constexpr int most = 16;   ///< interior values it sees
  int depth;                        ///< layers beyond the face, from 1
  int component;                    ///< component of the field
  Index3 index;                     ///< global index of the ghost cell
  Real3 position;                   ///< position of the ghost cell, in the grid's length unit
  double time;                      ///< simulated time of the step being computed
  std::array<double, most> values;  ///< interior values, nearest first
  int available;                    ///< how many of `values` are valid

  /// Value of the n-th interior cell counted from the face, n = 1 is the cell at the face.
  double inside(int n) const { return values[static_cast<std::size_t>(n - 1)]; }
};

/// A number made of something, by a function that two conditions may have in common. Called from
/// several threads.
template <class Argument>
class Rule {
 public:
  virtual ~Rule() = default;
  virtual double operator()(Argument argument) const = 0;
  /// Whether both are known to make the same of everything.
  virtual bool is_same_as(const Rule& other) const = 0;
};

/// The rule that calls an F. Two of one type are the same if F has no members, says so itself by
/// operator==, or is plain bytes that are equal, as lambdas are that capture numbers, pointers or
/// references. Others, those that hold containers or are a std::function, are equal to themselves
/// alone.
template <class F, class Argument>
class RuleOf final : public Rule<Argument> {
 public:
  explicit RuleOf(F f) : f_(std::move(f)) {
#ifdef __has_builtin
#if __has_builtin(__builtin_clear_padding)
    if constexpr (std::is_trivially_copyable_v<F>) __builtin_clear_padding(&f_);
#endif
#endif
  }

  double operator()(Argument argument) const override { return f_(argument); }

  bool is_same_as(const Rule<Argument>& other) const override {
    const auto* that = dynamic_cast<const RuleOf*>(&other);
    if (!that) return false;
    if (that == this || std::is_empty_v<F>) return true;
    if constexpr (std::equality_comparable<F>) {
      return f_ == that->f_;
    } else if constexpr (std::is_trivially_copyable_v<F>) {
      return std::memcmp(&f_, &that->f_, sizeof(F)) == 0;
    } else {
      return false;
    }
  }

 private:
  F f_;
};

/// A rule of the user's own: the value of a ghost cell from its interior neighbours, in double.
using GhostRule = Rule<const GhostCell&>;
/// The number of a condition from the simulated time.
using TimeRule = Rule<double>;

/// What a parameter holds.
template <class P>
concept HoldsNumber = requires(const P& parameter) {
  { parameter.value() } -> std::convertible_to<double>;
  parameter.record();
};
template <HoldsNumber P>
struct NumberHeld {
  P parameter;
  double operator()(double /*time*/) const { return static_cast<double>(parameter.value()); }
  bool operator==(const NumberHeld& other) const {
    return parameter.record() == other.parameter.record();
  }
};

/// The number of a boundary condition: fixed, what a Parameter holds when the ghosts are made, or a
/// function of the simulated time of the step that reads them.
struct BoundaryNumber {
  double fixed = 0;
  std::shared_ptr<const TimeRule> varying = nullptr;

  template <class N>
  requires std::is_arithmetic_v<N> BoundaryNumber(N number)  // NOLINT: `constant(300)`
      : fixed(static_cast<double>(number)) {}
  template <HoldsNumber P>
  BoundaryNumber(const P& parameter)  // NOLINT: `constant(parameter)`
      : varying(std::make_shared<const RuleOf<NumberHeld<P>, double>>(NumberHeld<P>{parameter})) {}
  template <class F>
  requires(!std::is_arithmetic_v<F> && !HoldsNumber<F> &&
           std::is_invocable_r_v<double, const F&, double>)
      BoundaryNumber(F function)  // NOLINT: `constant([](double time) { ... })`
      : varying(std::make_shared<const RuleOf<F, double>>(std::move(function))) {}

  void require_number(const char* condition) const {
    require(!std::isnan(fixed), std::string("boundary condition ") + condition + "(nan) is refused",
            "its value is not a number");
  }
};

/// Ghost value rule of one side of one field. For a ghost cell n layers beyond the face and the
/// interior cell n layers inside (face values: mirrored about the wall face itself):
///   periodic    the cell at the opposite side of the domain
///   constant    ghost = value
///   wall_value  ghost = 2 value - inside       (odd reflection: `value` holds at the face)
///   gradient    ghost = inside + value * distance between the two points (outward derivative)
///   mirror      ghost = inside                 (zero gradient, symmetry)
///   custom      ghost = function(ghost cell)
///   bounce_back on grids of active cells alone: what arrives from beyond is the component of the
///               cell itself that the functor reads at the opposite offset
struct BoundaryCondition {
  enum class Kind : std::uint8_t {
    periodic,
    constant,
    wall_value,
    gradient,
    mirror,
    custom,
    bounce_back
  };
  Kind kind = Kind::periodic;
  double value = 0;
  std::shared_ptr<const GhostRule> rule = nullptr;
  std::shared_ptr<const TimeRule> varying = nullptr;  ///< in place of `value`

  double value_at(double time) const { return varying ? (*varying)(time) : value; }
  /// Whether its ghosts may change from step to step though what they mirror does not.
  bool is_timed() const { return varying || kind == Kind::custom; }

  /// Whether both make the same ghosts, as far as that can be told.
  bool operator==(const BoundaryCondition& other) const {
    if (kind != other.kind) return false;
    switch (kind) {
      case Kind::periodic:
      case Kind::bounce_back:
      case Kind::mirror: return true;
      case Kind::custom: return rule->is_same_as(*other.rule);
      default:
        if (varying || other.varying) {
          return varying && other.varying && varying->is_same_as(*other.varying);
        }
        return same_bits(value, other.value);
    }
  }
};

inline constexpr auto periodic_kind = BoundaryCondition::Kind::periodic;

inline const BoundaryCondition periodic{};
inline const BoundaryCondition mirror{BoundaryCondition::Kind::mirror};
/// Populations of lattice Boltzmann turn round half-way to cells that are not active.
inline const BoundaryCondition bounce_back{BoundaryCondition::Kind::bounce_back};
/// Errors of these three (ExitCode::usage): the number is NaN.
inline BoundaryCondition constant(const BoundaryNumber& value) {
  value.require_number("constant");
  return {BoundaryCondition::Kind::constant, value.fixed, nullptr, value.varying};
}
inline BoundaryCondition wall_value(const BoundaryNumber& value) {
  value.require_number("wall_value");
  return {BoundaryCondition::Kind::wall_value, value.fixed, nullptr, value.varying};
}
/// Outward normal derivative at the face.
inline BoundaryCondition gradient(const BoundaryNumber& derivative) {
  derivative.require_number("gradient");
  return {BoundaryCondition::Kind::gradient, derivative.fixed, nullptr, derivative.varying};
}
/// A rule of the user's own, double(const GhostCell&); switches temporal blocking off.
template <class F>
BoundaryCondition custom(F f) {
  static_assert(std::is_invocable_r_v<double, const F&, const GhostCell&>,
                "goban: custom takes a function that makes a number of a const GhostCell&; several "
                "threads call it, so it cannot be mutable");
  return {BoundaryCondition::Kind::custom, 0,
          std::make_shared<const RuleOf<F, const GhostCell&>>(std::move(f))};
}

/// One condition per axis and side. A single condition converts to "all six sides".
struct BoundarySet {
  std::array<std::array<BoundaryCondition, 2>, 3> sides{};

  BoundarySet() = default;
  BoundarySet(const BoundaryCondition& all) {  // NOLINT: `.boundary = periodic` is the idiom
    for (auto& axis : sides) axis = {all, all};
  }
  BoundarySet(const BoundaryCondition& x, const BoundaryCondition& y, const BoundaryCondition& z)
      : sides{{{x, x}, {y, y}, {z, z}}} {}

  bool operator==(const BoundarySet&) const = default;
  /// Whether some of its ghosts may change though what they mirror does not.
  bool is_timed() const {
    for (const auto& axis : sides) {
      for (const auto& side : axis) {
        if (side.is_timed()) return true;
      }
    }
    return false;
  }

  BoundaryCondition& at(Axis a, Side s) { return sides[index_of(a)][index_of(s)]; }
  const BoundaryCondition& at(Axis a, Side s) const { return sides[index_of(a)][index_of(s)]; }
};

/// Index of the interior cell a ghost cell at `ghost` (global, outside [0, cells)) mirrors; of a
/// wall face (0 or `cells`, staggered) itself.
constexpr Index mirrored(Index ghost, Index cells, bool staggered) {
  if (staggered ? ghost <= 0 : ghost < 0) return staggered ? -ghost : -1 - ghost;
  return staggered ? 2 * cells - ghost : 2 * cells - 1 - ghost;
}

}  // namespace goban
