#pragma once
// One value of the expression graph that recording a functor makes; see graph.hpp.

#include <array>
#include <cstdint>
#include <type_traits>

#include "goban/base/macros.hpp"
#include "goban/stencil/mathematics/list.hpp"

namespace goban {

/// What a value is made by. Integers wrap and have a quotient by 0, themselves;
/// `data` of a node holds what is listed.
enum class GraphOp : std::uint8_t {
  constant,  ///< data: bits
  read,      ///< data: parameter, component, offset along x, y, z; of scratch, whether of the
             ///< level visited before
  gather,    ///< component of the cell whose local number the operand is; of the cell at hand
             ///< another where that is negative; data: parameter, component, the other component
  neighbor,  ///< local number of a cell beside the cell at hand, by a table; negative: there is
             ///< none; data: parameter, which offset of the table's, how many it has
  value,     ///< value of a ValueParameter; data: parameter
  index,     ///< index of the cell; data: axis, displacement along x, y, z
  /// Position of the cell; data: axis, displacement along x, y, z, bits of the offset, has one.
  position,
  time,
  step,
  random,          ///< data: stream, displacement along x, y, z
  walled,          ///< operand, or a constant beyond the ends; data: axis, displacement along it,
                   ///< bits of the value below and above, the last value lies on the last face
  within,          ///< operand, which lies in a range; data: lowest, highest (integers)
  stored_as_half,  ///< operand as it comes back from memory once stored in half precision
  convert,
  negate,
  complement,
  logic_not,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logic_and,
  logic_or,
  logic_xor,
  logic_equal,
  select,
  fma,
  minimum,
  maximum,
  reciprocal,
  sqrt,
#define GOBAN_LISTED(name) name,
  GOBAN_FUNCTIONS_OF_ONE(GOBAN_LISTED) GOBAN_FUNCTIONS_OF_TWO(GOBAN_LISTED)
#undef GOBAN_LISTED
      floor,
  ceil,
  abs
};

/// Type of a value: a pack of cells where it varies, else one number for all cells.
struct GraphType {
  enum class Kind : std::uint8_t { floating, signed_integer, unsigned_integer, mask };
  Kind kind = Kind::floating;
  std::uint8_t bytes = 4;  ///< for masks: bytes of the lanes compared
  bool varies = true;
  bool operator==(const GraphType&) const = default;

  template <class T>
  static constexpr GraphType of(bool varies) {
    const Kind kind = std::is_floating_point_v<T> ? Kind::floating
                      : std::is_signed_v<T>       ? Kind::signed_integer
                                                  : Kind::unsigned_integer;
    return {kind, static_cast<std::uint8_t>(sizeof(T)), varies};
  }
  static constexpr GraphType mask(int bytes, bool varies) {
    return {Kind::mask, static_cast<std::uint8_t>(bytes), varies};
  }
};

struct GraphNode {
  GraphOp op = GraphOp::constant;
  GraphType type;
  std::array<int, 3> operands{-1, -1, -1};  ///< numbers of nodes; -1: none
  std::array<std::int64_t, 6> data{};
  bool operator==(const GraphNode&) const = default;
};

}  // namespace goban
