#include "goban/backend/generator/byte_ranges.hpp"

#include <algorithm>

namespace goban {
namespace {

bool is_byte(const GraphNode& node) {
  return node.type.kind == GraphType::Kind::unsigned_integer && node.type.bytes == 1;
}

}  // namespace

ByteRanges::Range ByteRanges::of(int n) {
  const auto known = known_.find(n);
  if (known != known_.end()) return known->second;
  const GraphNode& node = graph_.node(n);
  const Range range = is_byte(node) ? found(n, node) : Range{};
  return known_[n] = range;
}

ByteRanges::Range ByteRanges::found(int n, const GraphNode& node) {
  const auto [a, b, c] = node.operands;
  const auto number = [&](std::size_t i) { return static_cast<int>(node.data[i]); };
  switch (node.op) {
    case GraphOp::constant: return arguments_.count(n) == 0 ? Range{number(0), number(0)} : Range{};
    case GraphOp::within: {
      const Range inner = of(a);
      return {std::max(inner.low, number(0)), std::min(inner.high, number(1))};
    }
    case GraphOp::select: {
      const Range x = of(b), y = of(c);
      return {std::min(x.low, y.low), std::max(x.high, y.high)};
    }
    case GraphOp::bit_and: return {0, std::min(of(a).high, of(b).high)};
    case GraphOp::add:
    case GraphOp::subtract: {
      const Range range = exact(node);
      return range.low >= 0 && range.high <= 255 ? range : Range{};
    }
    default: return {};
  }
}

ByteRanges::Range ByteRanges::exact(const GraphNode& node) {
  const Range x = of(node.operands[0]), y = of(node.operands[1]);
  if (node.op == GraphOp::add) return {x.low + y.low, x.high + y.high};
  return {x.low - y.high, x.high - y.low};
}

std::string ByteRanges::short_function(const GraphNode& node) {
  const auto [a, b, c] = node.operands;
  if (a < 0 || b < 0 || !is_byte(graph_.node(a))) return "";
  if (is_byte(node) && (node.op == GraphOp::add || node.op == GraphOp::subtract)) {
    const Range range = exact(node);
    if (range.low < 0 || range.high > 255) return "";
    return node.op == GraphOp::add ? "add_bytes" : "subtract_bytes";
  }
  if (node.type.kind != GraphType::Kind::mask || !is_byte(graph_.node(b)) || of(a).high > 127 ||
      of(b).high > 127) {
    return "";
  }
  switch (node.op) {
    case GraphOp::equal: return "small_equal";
    case GraphOp::not_equal: return "small_not_equal";
    case GraphOp::less: return "small_less";
    case GraphOp::less_equal: return "small_less_equal";
    case GraphOp::greater: return "small_greater";
    case GraphOp::greater_equal: return "small_greater_equal";
    default: return "";
  }
}

}  // namespace goban
