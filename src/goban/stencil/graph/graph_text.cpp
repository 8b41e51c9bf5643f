#include <bit>
#include <iomanip>
#include <set>
#include <sstream>

#include "goban/stencil/graph/graph.hpp"
#include "goban/stencil/graph/graph_names.hpp"

namespace goban {

const char* sign_of(GraphOp op) {
  switch (op) {
    case GraphOp::add: return "+";
    case GraphOp::negate:
    case GraphOp::subtract: return "-";
    case GraphOp::multiply: return "*";
    case GraphOp::divide: return "/";
    case GraphOp::remainder: return "%";
    case GraphOp::bit_and:
    case GraphOp::logic_and: return "&";
    case GraphOp::bit_or:
    case GraphOp::logic_or: return "|";
    case GraphOp::bit_xor:
    case GraphOp::logic_xor: return "^";
    case GraphOp::complement:
    case GraphOp::logic_not: return "~";
    case GraphOp::logic_equal:
    case GraphOp::equal: return "==";
    case GraphOp::shift_left: return "<<";
    case GraphOp::shift_right: return ">>";
    case GraphOp::not_equal: return "!=";
    case GraphOp::less: return "<";
    case GraphOp::less_equal: return "<=";
    case GraphOp::greater: return ">";
    case GraphOp::greater_equal: return ">=";
    default: return nullptr;
  }
}

const char* name_of(GraphOp op) {
  switch (op) {
    case GraphOp::gather: return "gather";
    case GraphOp::neighbor: return "neighbor";
    case GraphOp::within: return "within";
    case GraphOp::walled: return "walled";
    case GraphOp::convert: return "convert";
    case GraphOp::select: return "select";
    case GraphOp::stored_as_half: return "stored_as_half";
    case GraphOp::fma: return "fma";
    case GraphOp::minimum: return "min";
    case GraphOp::maximum: return "max";
    case GraphOp::reciprocal: return "reciprocal";
    case GraphOp::sqrt: return "sqrt";
#define GOBAN_NAME(name) \
  case GraphOp::name: return #name;
      GOBAN_FUNCTIONS_OF_ONE(GOBAN_NAME)
      GOBAN_FUNCTIONS_OF_TWO(GOBAN_NAME)
#undef GOBAN_NAME
    case GraphOp::floor: return "floor";
    case GraphOp::ceil: return "ceil";
    case GraphOp::abs: return "abs";
    default: return nullptr;
  }
}

namespace {

std::string number_name(const GraphType& type) {
  const int bits = 8 * type.bytes;
  switch (type.kind) {
    case GraphType::Kind::floating: return type.bytes == 4 ? "float" : "double";
    case GraphType::Kind::signed_integer: return "int" + std::to_string(bits);
    case GraphType::Kind::unsigned_integer: return "uint" + std::to_string(bits);
    default: return "bool";
  }
}

std::string constant_text(const GraphNode& node) {
  const std::int64_t bits = node.data[0];
  std::ostringstream text;
  if (node.type.kind == GraphType::Kind::mask) {
    text << (bits != 0 ? "true" : "false");
  } else if (node.type.kind != GraphType::Kind::floating) {
    text << bits;
  } else if (node.type.bytes == 8) {
    text << std::setprecision(17) << std::bit_cast<double>(bits);
  } else {
    text << std::setprecision(9) << std::bit_cast<float>(static_cast<std::int32_t>(bits)) << 'f';
  }
  return text.str();
}

/// Writes a graph as a functor would be written.
class GraphText {
 public:
  GraphText(const Graph& graph, const Footprint& footprint, const std::vector<std::string>& names)
      : graph_(graph), footprint_(footprint), names_(names) {}

  std::string written() {
    if (!graph_.branches().empty()) write(graph_.branches().front(), 0);
    return text_;
  }

 private:
  const std::string& name(std::int64_t parameter) const {
    return names_[static_cast<std::size_t>(parameter)];
  }
  std::string component(std::int64_t parameter, std::int64_t c) const {
    const auto& description = footprint_.parameters[static_cast<std::size_t>(parameter)];
    return name(parameter) + (description.components > 1 ? "[" + std::to_string(c) + "]" : "");
  }
  bool is_scratch(std::int64_t parameter) const {
    return footprint_.parameters[static_cast<std::size_t>(parameter)].kind ==
           ParameterDescription::Kind::scratch;
  }
  std::string operand(int n) const {
    const GraphNode& node = graph_.node(n);
    return node.op == GraphOp::constant ? constant_text(node) : "v" + std::to_string(n);
  }
  std::string expression(const GraphNode& node) const {
    static constexpr char axes[] = {'x', 'y', 'z'};
    const auto& data = node.data;
    const auto triple = [&](std::size_t first) {
      return std::to_string(data[first]) + ", " + std::to_string(data[first + 1]) + ", " +
             std::to_string(data[first + 2]);
    };
    const auto axis = [&] { return std::string("Axis::") + axes[data[0]]; };
    switch (node.op) {
      case GraphOp::read: {
        const std::string what = component(data[0], data[1]);
        if (!is_scratch(data[0])) return what + "(" + triple(2) + ")";
        return what + (data[5] != 0 ? ".before()" : "()");
      }
      case GraphOp::value: return name(data[0]) + "()";
      case GraphOp::time: return "site.time()";
      case GraphOp::step: return "site.step()";
      case GraphOp::random: return "site.random(" + std::to_string(data[0]) + ")";
      case GraphOp::index: return "site.index(" + axis() + ")";
      case GraphOp::position: return "site.position(" + axis() + ")";
      default: break;
    }
    const auto [a, b, c] = node.operands;
    if (const char* sign = sign_of(node.op)) {
      return b < 0 ? sign + operand(a) : operand(a) + " " + sign + " " + operand(b);
    }
    std::string text = name_of(node.op);
    if (node.op == GraphOp::convert) text += "<" + number_name(node.type) + ">";
    if (node.op == GraphOp::within) {
      text += "<" + std::to_string(data[0]) + ", " + std::to_string(data[1]) + ">";
    }
    text += "(" + operand(a);
    if (b >= 0) text += ", " + operand(b);
    if (c >= 0) text += ", " + operand(c);
    return text + ")";
  }

  void line(int depth, const std::string& what) {
    text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + what + "\n";
  }
  void write_values(const std::vector<int>& roots, int depth, std::set<int>& known) {
    for (const int n : graph_.needed_for(roots)) {
      const GraphNode& node = graph_.node(n);
      if (node.op == GraphOp::constant || !known.insert(n).second) continue;
      line(depth,
           number_name(node.type) + " v" + std::to_string(n) + " = " + expression(node) + ";");
    }
  }
  void write(const Graph::Branch& branch, int depth, std::set<int> known = {}) {
    if (branch.condition < 0) {
      write_values(branch.outputs, depth, known);
      for (std::size_t o = 0; o < branch.outputs.size(); ++o) {
        if (branch.outputs[o] < 0) continue;
        const Output& output = footprint_.outputs[o];
        line(depth, component(output.parameter, output.component) + " = " +
                        operand(branch.outputs[o]) + ";");
      }
      return;
    }
    write_values({branch.condition}, depth, known);
    for (const bool outcome : {true, false}) {
      line(depth, outcome ? "if (" + operand(branch.condition) + ") {" : "} else {");
      const int next = branch.next[outcome];
      if (next >= 0) write(graph_.branches()[static_cast<std::size_t>(next)], depth + 1, known);
    }
    line(depth, "}");
  }

  const Graph& graph_;
  const Footprint& footprint_;
  const std::vector<std::string>& names_;
  std::string text_;
};

}  // namespace

std::string text_of(const Graph& graph, const Footprint& footprint,
                    const std::vector<std::string>& names) {
  return GraphText(graph, footprint, names).written();
}

}  // namespace goban
