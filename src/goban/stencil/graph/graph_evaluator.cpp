#include "goban/stencil/graph/graph_evaluator.hpp"

#include <cstring>
#include <type_traits>

#include "goban/stencil/scalar_math.hpp"

namespace goban {
namespace {

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

/// Calls f with a value of the C++ type of a node; truth values are bool.
template <class F>
decltype(auto) visit_type(const GraphType& type, F&& f) {
  const bool is_wide = type.bytes == 8;
  switch (type.kind) {
    case GraphType::Kind::mask: return f(bool{});
    case GraphType::Kind::floating: return is_wide ? f(double{}) : f(float{});
    case GraphType::Kind::signed_integer: return is_wide ? f(std::int64_t{}) : f(std::int32_t{});
    default:
      return is_wide           ? f(std::uint64_t{})
             : type.bytes == 4 ? f(std::uint32_t{})
                               : f(std::uint8_t{});
  }
}

template <class T>
T as(double number) {
  return static_cast<T>(number);
}

/// Functions that have integers beside floating-point numbers; integers wrap.
template <class T>
T integer(GraphOp op, T a, T b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  const bool is_minus_one = std::is_signed_v<T> && b == static_cast<T>(-1);
  switch (op) {
    case GraphOp::negate: return static_cast<T>(0 - x);
    case GraphOp::complement: return static_cast<T>(~x);
    case GraphOp::add: return static_cast<T>(x + y);
    case GraphOp::subtract: return static_cast<T>(x - y);
    case GraphOp::multiply: return static_cast<T>(x * y);
    case GraphOp::divide:
      if (b == 0) return a;
      return is_minus_one ? static_cast<T>(0 - x) : static_cast<T>(a / b);
    case GraphOp::remainder: return b == 0 || is_minus_one ? T(0) : static_cast<T>(a % b);
    case GraphOp::bit_and: return static_cast<T>(x & y);
    case GraphOp::bit_or: return static_cast<T>(x | y);
    case GraphOp::bit_xor: return static_cast<T>(x ^ y);
    case GraphOp::shift_left: return static_cast<T>(x << y);
    case GraphOp::shift_right: return static_cast<T>(a >> b);
    case GraphOp::abs: return a < 0 ? static_cast<T>(0 - x) : a;
    default: return {};
  }
}

template <class T>
T floating(GraphOp op, T a, T b, T c) {
  switch (op) {
    case GraphOp::negate: return -a;
    case GraphOp::add: return a + b;
    case GraphOp::subtract: return a - b;
    case GraphOp::multiply: return a * b;
    case GraphOp::divide: return a / b;
    case GraphOp::fma: return goban::fma(a, b, c);
    case GraphOp::reciprocal: return 1 / a;
    case GraphOp::sqrt: return goban::sqrt(a);
#define GOBAN_CASE(name) \
  case GraphOp::name: return goban::name(a);
      GOBAN_FUNCTIONS_OF_ONE(GOBAN_CASE)
#undef GOBAN_CASE
#define GOBAN_CASE(name) \
  case GraphOp::name: return goban::name(a, b);
      GOBAN_FUNCTIONS_OF_TWO(GOBAN_CASE)
#undef GOBAN_CASE
    case GraphOp::floor: return goban::floor(a);
    case GraphOp::ceil: return goban::ceil(a);
    case GraphOp::abs: return goban::abs(a);
    default: return {};
  }
}

/// The site as seen from where a value of the node belongs.
SiteInfo moved(SiteInfo site, const GraphNode& node) {
  for (std::size_t a = 0; a < 3; ++a) site.index[a] += node.data[1 + a];
  if (node.op == GraphOp::position && node.data[5] != 0) {
    site.offset[static_cast<std::size_t>(node.data[0])] =
        from_bits<double>(static_cast<std::uint64_t>(node.data[4]));
  }
  return site;
}

bool is_beyond_low(const GraphNode& node, const SiteInfo& site) {
  const auto a = static_cast<std::size_t>(node.data[0]);
  return !site.periodic[a] && site.index[a] + node.data[1] < 0;
}
bool is_beyond_high(const GraphNode& node, const SiteInfo& site) {
  const auto a = static_cast<std::size_t>(node.data[0]);
  return !site.periodic[a] && site.index[a] + node.data[1] >= site.extents[a] + node.data[4];
}

}  // namespace

const std::vector<std::optional<double>>& GraphEvaluator::operator()(const CellView& cell) {
  ++cell_;
  const Graph::Branch* at = &graph_.branches().front();
  while (at->condition >= 0) {
    const bool outcome = number<bool>(at->condition, cell);
    at = &graph_.branches()[static_cast<std::size_t>(at->next[outcome])];
  }
  outputs_.clear();
  for (const int node : at->outputs) {
    outputs_.emplace_back();
    if (node < 0) continue;
    outputs_.back() = visit_type(graph_.node(node).type, [&]<class T>(T) {
      return static_cast<double>(number<T>(node, cell));
    });
  }
  return outputs_;
}

std::uint64_t GraphEvaluator::value(int node, const CellView& cell) {
  const auto n = static_cast<std::size_t>(node);
  if (known_[n] != cell_) {
    known_[n] = cell_;
    value_[n] = visit_type(graph_.node(node).type, [&]<class T>(T) {
      return bits_of(compute<T>(graph_.node(node), cell));
    });
  }
  return value_[n];
}

template <class T>
T GraphEvaluator::number(int node, const CellView& cell) {
  return from_bits<T>(value(node, cell));
}

template <class T>
T GraphEvaluator::compute(const GraphNode& node, const CellView& cell) {
  const auto& data = node.data;
  const auto parameter = static_cast<int>(data[0]);
  const auto site = [&](auto&& ask) {
    const SiteInfo info = moved(cell.site, node);
    return static_cast<T>(ask(info));
  };
  switch (node.op) {
    case GraphOp::constant: return from_bits<T>(static_cast<std::uint64_t>(data[0]));
    case GraphOp::value: return as<T>(cell.values[static_cast<std::size_t>(parameter)]);
    case GraphOp::time: return as<T>(cell.site.time);
    case GraphOp::step: return static_cast<T>(cell.site.step);
    case GraphOp::read:
      return as<T>(cell.read(parameter, static_cast<int>(data[1]), {data[2], data[3], data[4]},
                             data[5] != 0));
    case GraphOp::index:
      return site([&](const SiteInfo& at) { return index_at(at, static_cast<Axis>(parameter)); });
    case GraphOp::within: return number<T>(node.operands[0], cell);
    case GraphOp::walled:
      if (is_beyond_high(node, cell.site)) return from_bits<T>(static_cast<std::uint64_t>(data[3]));
      if (is_beyond_low(node, cell.site)) return from_bits<T>(static_cast<std::uint64_t>(data[2]));
      return number<T>(node.operands[0], cell);
    case GraphOp::select:
      return number<T>(node.operands[number<bool>(node.operands[0], cell) ? 1 : 2], cell);
    case GraphOp::convert:
      return visit_type(graph_.node(node.operands[0]).type, [&]<class From>(From) {
        const From from = number<From>(node.operands[0], cell);
        if constexpr (sizeof(T) == 1) return static_cast<T>(static_cast<std::int32_t>(from));
        return static_cast<T>(from);
      });
    default: break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (node.op == GraphOp::position) {
      return site(
          [&](const SiteInfo& at) { return position_at<T>(at, static_cast<Axis>(parameter)); });
    }
    if (node.op == GraphOp::random) {
      return site([&](const SiteInfo& at) { return random_at<T>(at, parameter); });
    }
    if (node.op == GraphOp::stored_as_half) {
      return static_cast<float>(half(static_cast<float>(number<T>(node.operands[0], cell))));
    }
  }
  if constexpr (std::is_same_v<T, bool>) {
    return compare(node, cell);
  } else {
    return arithmetic<T>(node, cell);
  }
}

template <class T>
T GraphEvaluator::arithmetic(const GraphNode& node, const CellView& cell) {
  std::array<T, 3> x{};
  for (std::size_t n = 0; n < 3; ++n) {
    if (node.operands[n] >= 0) x[n] = number<T>(node.operands[n], cell);
  }
  if (node.op == GraphOp::minimum) return x[1] < x[0] ? x[1] : x[0];
  if (node.op == GraphOp::maximum) return x[0] < x[1] ? x[1] : x[0];
  if constexpr (std::is_integral_v<T>) {
    return integer(node.op, x[0], x[1]);
  } else {
    return floating(node.op, x[0], x[1], x[2]);
  }
}

bool GraphEvaluator::compare(const GraphNode& node, const CellView& cell) {
  return visit_type(graph_.node(node.operands[0]).type, [&]<class T>(T) -> bool {
    const T a = number<T>(node.operands[0], cell);
    if (node.op == GraphOp::logic_not) return !a;
    const T b = number<T>(node.operands[1], cell);
    switch (node.op) {
      case GraphOp::equal:
      case GraphOp::logic_equal: return a == b;
      case GraphOp::not_equal:
      case GraphOp::logic_xor: return a != b;
      case GraphOp::less: return a < b;
      case GraphOp::less_equal: return a <= b;
      case GraphOp::greater: return a > b;
      case GraphOp::greater_equal: return a >= b;
      case GraphOp::logic_and: return a && b;
      default: return a || b;
    }
  });
}

}  // namespace goban
