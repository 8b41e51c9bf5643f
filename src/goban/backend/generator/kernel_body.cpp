#include "goban/backend/generator/kernel_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "goban/backend/generator/byte_ranges.hpp"
#include "goban/backend/otherwise_values.hpp"
#include "goban/stencil/graph/graph_names.hpp"

namespace goban {

const char* stored_name(ElementType type) {
  switch (type) {
    case ElementType::uint8: return "uint8";
    case ElementType::int32: return "int32";
    case ElementType::half: return "half";
    case ElementType::float64: return "double";
    default: return "float";
  }
}
const char* computed_name(ElementType type) {
  return type == ElementType::half ? "float" : stored_name(type);
}

std::string number_name(const GraphType& type) {
  switch (type.kind) {
    case GraphType::Kind::floating: return type.bytes == 4 ? "float" : "double";
    case GraphType::Kind::mask: return fmt::format("Truth<{}>", type.bytes);
    case GraphType::Kind::signed_integer:
      return type.bytes == 1   ? "signed char"
             : type.bytes == 2 ? "short"
             : type.bytes == 4 ? "int32"
                               : "int64";
    default:
      return type.bytes == 1   ? "uint8"
             : type.bytes == 2 ? "uint16"
             : type.bytes == 4 ? "uint32"
                               : "uint64";
  }
}

namespace {

/// Loads of so many registers a thread are all asked for before anything is computed.
constexpr int most_registers_ahead = 160;

bool is_logic(GraphOp op) {
  return op == GraphOp::logic_and || op == GraphOp::logic_or || op == GraphOp::logic_xor ||
         op == GraphOp::logic_equal;
}

std::string literal(const GraphType& type, std::int64_t bits) {
  if (type.kind == GraphType::Kind::mask) return bits != 0 ? "true" : "false";
  const std::string name = number_name(type);
  if (type.kind != GraphType::Kind::floating) {
    return fmt::format("static_cast<{}>({}ll)", name, bits);
  }
  if (type.bytes == 4)
    return fmt::format("__int_as_float({:#010x})", static_cast<std::uint32_t>(bits));
  return fmt::format("__longlong_as_double({:#018x})", static_cast<std::uint64_t>(bits));
}

/// "m2" for -2: names of variables.
std::string signed_name(int n) { return n < 0 ? fmt::format("m{}", -n) : std::to_string(n); }

int round_down_to(int value, int multiple) { return static_cast<int>(round_down(value, multiple)); }

/// Writes a functor's computation for some cells of one thread. What they have in common, the sum
/// of a row that two of them read, is computed once.
class Body {
 public:
  Body(const KernelSubject& subject, const KernelCells& cells, const MemoryAccess& memory)
      : subject_(subject), cells_(cells), memory_(memory), bytes_(graph_, constants_) {
    for (const auto& cell : cells_.cells) add_cell(cell);
    begin();
    for (std::size_t cell = 0; cell < cells_.cells.size(); ++cell) compute(cell);
    text_.values = std::move(lines_);
  }

  const BodyText& text() const { return text_; }

 private:
  void compute(std::size_t cell) {
    cell_ = cell;
    add_branch(subject_.graph->branches().front());
  }

  const Graph& graph() const { return graph_; }
  int width() const { return subject_.shape.width; }
  const ParameterDescription& parameter(int p) const {
    return subject_.footprint->parameters[static_cast<std::size_t>(p)];
  }
  ElementType type_of(int p) const { return parameter(p).type; }
  static int parameter_of(const GraphNode& node) { return static_cast<int>(node.data[0]); }
  static std::array<int, 3> offset_of(const GraphNode& node) {
    return {static_cast<int>(node.data[2]), static_cast<int>(node.data[3]),
            static_cast<int>(node.data[4])};
  }
  /// See KernelCells::elsewhere.
  std::string elsewhere(const GraphNode& node) const {
    if (!cells_.elsewhere) return "";
    return cells_.elsewhere({parameter_of(node), static_cast<int>(node.data[1]), offset_of(node)},
                            node.data[5] != 0);
  }
  bool is_elsewhere(const GraphNode& node) const { return !elsewhere(node).empty(); }
  void line(const std::string& text) {
    lines_.append(static_cast<std::size_t>(2 * indent_), ' ');
    lines_ += text;
    lines_ += '\n';
  }

  /// Number, among what all cells compute, of a node of the functor for the cell at hand.
  int here(int n) const { return n < 0 ? n : numbers_[cell_][static_cast<std::size_t>(n)]; }
  std::vector<int> here(std::vector<int> nodes) const {
    for (int& n : nodes) n = here(n);
    return nodes;
  }

  void add_cell(std::array<int, 2> cell) {
    std::array<int, 3> moved{};
    moved[static_cast<std::size_t>(subject_.shape.order[1])] = cell[0];
    moved[static_cast<std::size_t>(subject_.shape.order[2])] = cell[1];
    auto& numbers = numbers_.emplace_back();
    for (std::size_t n = 0; n < subject_.graph->nodes().size(); ++n) {
      GraphNode node = subject_.graph->nodes()[n];
      for (int& operand : node.operands) {
        if (operand >= 0) operand = numbers[static_cast<std::size_t>(operand)];
      }
      if (node.op == GraphOp::read) {
        for (std::size_t i = 0; i < 3; ++i) node.data[2 + i] += moved[i];
      } else if (node.op == GraphOp::walled) {
        node.data[1] += moved[static_cast<std::size_t>(node.data[0])];
      } else if (node.op == GraphOp::index || node.op == GraphOp::position ||
                 node.op == GraphOp::random) {
        for (std::size_t i = 0; i < 3; ++i) node.data[1 + i] += moved[i];
      }
      numbers.push_back(graph_.add(node));
      if (node.op != GraphOp::constant) continue;
      const auto& arguments = subject_.constants;
      const auto at = std::find(arguments.begin(), arguments.end(), static_cast<int>(n));
      if (at != arguments.end()) {
        constants_[numbers.back()] = static_cast<int>(at - arguments.begin());
      }
    }
  }

  /// What all cells share.
  void begin() {
    std::vector<int> roots;
    for (cell_ = 0; cell_ < numbers_.size(); ++cell_) {
      for (const auto& branch : subject_.graph->branches()) {
        roots.push_back(here(branch.condition));
        for (const int output : branch.outputs) roots.push_back(here(output));
      }
    }
    const auto needed = graph_.needed_for(roots);
    std::set<int> read;
    for (const int n : needed) {
      const GraphNode& node = graph_.node(n);
      const bool is_read = node.op == GraphOp::read && !is_elsewhere(node);
      if (is_read || node.op == GraphOp::gather) read.insert(parameter_of(node));
    }
    for (const int p : read) line(memory_.field(p));
    text_.fields = std::exchange(lines_, {});
    for (const int n : needed) {
      if (memory_.copies_constants && constants_.count(n) > 0) {
        line(fmt::format("const auto c{} = {};", n, argument(n)));
      }
    }
    for (const int n : needed) {
      const GraphNode& node = graph_.node(n);
      if (!node.type.varies && node.op != GraphOp::constant) add_uniform(n, node);
    }
    text_.uniforms = std::exchange(lines_, {});
    if (subject_.shape.reads_otherwise) is_otherwise_ = otherwise_values(graph_, roots);
    if (subject_.graph->branches().size() > 1 || !memory_.asks_ahead) return;
    // Where fields have many components, all values are asked for before anything is computed, if
    // they fit into registers; compilers do as well for other fields.
    std::vector<PackLoad> loads;
    int registers = 0;
    for (const int n : needed) {
      const GraphNode& node = graph_.node(n);
      if (node.op != GraphOp::read || is_elsewhere(node) || is_otherwise(n)) continue;
      for (const PackLoad& load : loads_of(node)) {
        if (std::find(loads.begin(), loads.end(), load) != loads.end()) continue;
        loads.push_back(load);
        registers += std::max(1, width() * static_cast<int>(size_of(type_of(load.parameter))) / 4);
      }
    }
    if (registers > most_registers_ahead) return;
    for (const PackLoad& load : loads) add_load(load);
  }

  std::vector<PackLoad> loads_of(const GraphNode& node) const {
    const auto offset = offset_of(node);
    const auto along = [&](std::size_t position) {
      return offset[static_cast<std::size_t>(subject_.shape.order[position])];
    };
    const int p = parameter_of(node);
    PackLoad load{p, static_cast<int>(node.data[1]), along(0), along(1), along(2)};
    if (memory_.loads_as_they_lie(p, along(0))) return {load};
    load.cell = round_down_to(along(0), width());
    std::vector<PackLoad> loads = {load};
    if (along(0) % width() != 0) {
      load.cell += width();
      loads.push_back(load);
    }
    return loads;
  }
  std::string variable_of(const PackLoad& load) const {
    const bool is_aligned = load.cell % width() == 0;
    return fmt::format("{}{}_{}_{}_{}_{}", is_aligned ? "l" : "n", load.parameter, load.component,
                       signed_name(is_aligned ? load.cell / width() : load.cell),
                       signed_name(load.row), signed_name(load.plane));
  }
  void add_load(const PackLoad& load) {
    if (!loaded_.insert(load).second) return;
    line(fmt::format("const auto {} = {};", variable_of(load), memory_.load(load)));
  }

  /// What computes a node of bytes in fewer steps; empty: nothing. Cells that a region or a mask
  /// leaves out may hold any byte, which would spoil those beside them.
  std::string short_function(const GraphNode& node) {
    return memory_.adds_bytes ? bytes_.short_function(node) : "";
  }

  /// A node as a number for all cells.
  std::string uniform(int n) const {
    const GraphNode& node = graph().node(n);
    if (node.op != GraphOp::constant) return fmt::format("u{}", n);
    if (constants_.count(n) == 0) return literal(node.type, node.data[0]);
    return memory_.copies_constants ? fmt::format("c{}", n) : argument(n);
  }
  std::string argument(int n) const {
    return fmt::format("constant<{}>(a.constant[{}])", number_name(graph().node(n).type),
                       constants_.at(n));
  }
  /// Computed where a selection takes it, and by the cells that do.
  bool is_otherwise(int n) const {
    return !is_otherwise_.empty() && is_otherwise_[static_cast<std::size_t>(n)];
  }
  std::string otherwise(int n) const {
    const GraphNode& node = graph().node(n);
    if (node.op == GraphOp::read) {
      const std::string found = elsewhere(node);
      return found.empty() ? memory_.load(loads_of(node).front()) : found;
    }
    return fmt::format("{} {} {}", pack(node.operands[0]), sign_of(node.op),
                       pack(node.operands[1]));
  }
  /// A node as a pack.
  std::string pack(int n) const {
    const GraphNode& node = graph().node(n);
    if (is_otherwise(n)) return "(" + otherwise(n) + ")";
    if (node.op == GraphOp::neighbor) return fmt::format("v{}{}", n, memory_.numbers);
    if (node.type.varies) return fmt::format("v{}", n);
    if (node.type.kind == GraphType::Kind::mask) {
      return fmt::format("all_true<{}, {}>({})", node.type.bytes, width(), uniform(n));
    }
    return fmt::format("all<{}, {}>({})", number_name(node.type), width(), uniform(n));
  }
  std::string mask_as(int n, int bytes) const {
    const GraphNode& node = graph().node(n);
    if (!node.type.varies) return fmt::format("all_true<{}, {}>({})", bytes, width(), uniform(n));
    if (node.type.bytes == bytes) return pack(n);
    return fmt::format("convert<Truth<{}>>({})", bytes, pack(n));
  }

  void add_uniform(int n, const GraphNode& node) {
    const auto [a, b, c] = node.operands;
    const std::string name =
        node.type.kind == GraphType::Kind::mask ? "bool" : number_name(node.type);
    std::string value;
    if (node.op == GraphOp::value) {
      value = fmt::format("number({}[{}])", cells_.values, parameter_of(node));
    } else if (node.op == GraphOp::time) {
      value = "time_of(" + cells_.site + ")";
    } else if (node.op == GraphOp::step) {
      value = "step_of(" + cells_.site + ")";
    } else if (node.op == GraphOp::select) {
      value = fmt::format("{} ? {} : {}", uniform(a), uniform(b), uniform(c));
    } else if (node.op == GraphOp::convert || node.op == GraphOp::within) {
      value = uniform(a);
    } else if (node.op == GraphOp::negate) {
      value = "-" + uniform(a);
    } else if (node.op == GraphOp::complement) {
      value = "~" + uniform(a);
    } else if (node.op == GraphOp::logic_not) {
      value = "!" + uniform(a);
    } else if (const char* sign = sign_of(node.op)) {
      value = fmt::format("{} {} {}", uniform(a), sign, uniform(b));
    } else {
      value = fmt::format("{}({}", name_of(node.op), uniform(a));
      if (b >= 0) value += ", " + uniform(b);
      if (c >= 0) value += ", " + uniform(c);
      value += ")";
    }
    line(fmt::format("const {0} u{1} = static_cast<{0}>({2});", name, n, value));
  }

  std::string value_of(const GraphNode& node) {
    const auto [a, b, c] = node.operands;
    const auto& data = node.data;
    const std::string type = number_name(node.type);
    const int n = width();
    switch (node.op) {
      case GraphOp::read: {
        const std::string found = elsewhere(node);
        if (!found.empty()) return found;
        const auto loads = loads_of(node);
        for (const PackLoad& load : loads) add_load(load);
        if (loads.size() == 1) return variable_of(loads[0]);
        const int along = offset_of(node)[static_cast<std::size_t>(subject_.shape.order[0])];
        return fmt::format("window<{}>({}, {})", along - round_down_to(along, n),
                           variable_of(loads[0]), variable_of(loads[1]));
      }
      case GraphOp::gather:
        return memory_.gather(parameter_of(node), static_cast<int>(data[1]),
                              static_cast<int>(data[2]), fmt::format("v{}", a));
      case GraphOp::neighbor: {
        const int table = parameter_of(node), offsets = static_cast<int>(data[2]);
        if (memory_.table && tables_asked_.insert(table).second) {
          line(memory_.table(table, offsets));
        }
        return memory_.neighbors(table, static_cast<int>(data[1]), offsets);
      }
      case GraphOp::index:
        return fmt::format("site_index<{}, order, {}>({}, {}, {})", data[0], n, cells_.site, "at",
                           data[1 + static_cast<std::size_t>(data[0])]);
      case GraphOp::position:
        return fmt::format("site_position<{}, order, {}, {}>({}, {}, {}, {})", data[0], type, n,
                           cells_.site, "at", data[1 + static_cast<std::size_t>(data[0])],
                           data[5] != 0 ? literal(GraphType::of<double>(false), data[4])
                                        : fmt::format("{}.offset[{}]", cells_.site, data[0]));
      case GraphOp::random:
        return fmt::format("site_random<order, {}, {}>({}, {}, {}, {}, {}, {})", type, n,
                           cells_.site, "at", data[0], data[1], data[2], data[3]);
      case GraphOp::walled: {
        GraphType number = node.type;
        number.varies = false;
        return fmt::format("walled<{}, order>({}, {}, {}, {}, {}, {}, {})", data[0], pack(a),
                           cells_.site, "at", data[1], literal(number, data[2]),
                           literal(number, data[3]), data[4]);
      }
      case GraphOp::within: return pack(a);
      case GraphOp::convert: return fmt::format("convert<{}>({})", type, pack(a));
      case GraphOp::negate: return "-" + pack(a);
      case GraphOp::complement:
      case GraphOp::logic_not: return "~" + pack(a);
      case GraphOp::select: {
        const bool varies = graph().node(a).type.varies;
        if (is_otherwise(c)) {
          return fmt::format("{}.value != 0 ? {} : {}", pack(a), pack(b), pack(c));
        }
        return fmt::format("select({}, {}, {})", varies ? pack(a) : uniform(a), pack(b), pack(c));
      }
      default: break;
    }
    if (is_logic(node.op)) {
      return fmt::format("{} {} {}", mask_as(a, node.type.bytes), sign_of(node.op),
                         mask_as(b, node.type.bytes));
    }
    const std::string shorter = short_function(node);
    if (!shorter.empty()) return fmt::format("{}({}, {})", shorter, pack(a), pack(b));
    if (const char* sign = sign_of(node.op)) {
      return fmt::format("{} {} {}", pack(a), sign, pack(b));
    }
    std::string value = fmt::format("{}({}", name_of(node.op), pack(a));
    if (b >= 0) value += ", " + pack(b);
    if (c >= 0) value += ", " + pack(c);
    return value + ")";
  }

  void add_values(const std::vector<int>& roots) {
    for (const int n : graph().needed_for(roots)) {
      const GraphNode& node = graph().node(n);
      if (!node.type.varies || is_otherwise(n) || !known_.insert(n).second) continue;
      const std::string value = value_of(node);
      if (node.op == GraphOp::neighbor) {
        line(fmt::format("const auto v{} = {};", n, value));
        continue;
      }
      line(fmt::format("const Pack<{}, {}> v{} = {};", number_name(node.type), width(), n, value));
    }
  }

  void add_branch(const Graph::Branch& branch) {
    if (branch.condition < 0) {
      const auto outputs = here(branch.outputs);
      add_values(outputs);
      for (std::size_t o = 0; o < outputs.size(); ++o) {
        if (outputs[o] >= 0) line(cells_.store(cell_, o, pack(outputs[o])));
      }
      return;
    }
    const int condition = here(branch.condition);
    add_values({condition});
    const bool varies = graph().node(condition).type.varies;
    for (const bool outcome : {true, false}) {
      line(outcome ? fmt::format("if ({}) {{",
                                 varies ? pack(condition) + "[0] != 0" : uniform(condition))
                   : "} else {");
      ++indent_;
      const auto known = known_;
      const auto loaded = loaded_;
      const int next = branch.next[outcome];
      if (next >= 0) {
        add_branch(subject_.graph->branches()[static_cast<std::size_t>(next)]);
      }
      known_ = known;
      loaded_ = loaded;
      --indent_;
    }
    line("}");
  }

  const KernelSubject& subject_;
  const KernelCells& cells_;
  const MemoryAccess& memory_;
  BodyText text_;
  std::string lines_;
  int indent_ = 1;
  Graph graph_;                            // what all cells compute
  std::set<int> tables_asked_;             // for the entries of the cell's group
  std::vector<std::vector<int>> numbers_;  // per cell, of each node of the functor, in graph_
  std::map<int, int> constants_;           // which are arguments
  ByteRanges bytes_;
  std::size_t cell_ = 0;
  std::set<int> known_;  // nodes that have a name here
  std::set<PackLoad> loaded_;
  std::vector<bool> is_otherwise_;  // per node of graph_; empty: none
};

}  // namespace

int order_code(const std::array<int, 3>& order) { return order[0] | order[1] << 2 | order[2] << 4; }

BodyText body_text(const KernelSubject& subject, const KernelCells& cells,
                   const MemoryAccess& memory) {
  return Body(subject, cells, memory).text();
}

}  // namespace goban
