#include "goban/backend/cpu/generator/row_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "goban/backend/generator/kernel_body.hpp"

namespace goban::cpu {
namespace {

using Kind = ParameterDescription::Kind;

bool is_mathematics(GraphOp op) {
  switch (op) {
#define GOBAN_CASE(name) case GraphOp::name:
    GOBAN_FUNCTIONS_OF_ONE(GOBAN_CASE)
    GOBAN_FUNCTIONS_OF_TWO(GOBAN_CASE)
#undef GOBAN_CASE
    return true;
    default: return false;
  }
}
bool asks_for_site(GraphOp op) {
  return op == GraphOp::index || op == GraphOp::position || op == GraphOp::random ||
         op == GraphOp::walled || op == GraphOp::time || op == GraphOp::step;
}

/// Writes one function.
class RowFunctionText {
 public:
  RowFunctionText(const KernelSubject& subject, const KernelShape& shape, const RowVariant& variant,
                  const InstructionSet& isa)
      : subject_(subject),
        shape_(shape),
        variant_(variant),
        isa_(isa),
        body_(body_text(subject, cells(), memory())) {}

  std::string text() const {
    // Large functors are compiled once for both ways of storing.
    const bool is_one = shape_.is_large || !variant_.streams;
    std::string text;
    if (is_one) {
      text += "static GOBAN_DEVICE void " + variant_.name +
              "_packs(const RowCall& a, Index first, Index last, Index rows, Index planes) {\n"
              "  [[maybe_unused]] const bool streaming = a.streaming;\n";
    } else {
      text += "template <bool streaming>\nstatic GOBAN_DEVICE void " + variant_.name +
              "_packs(const RowCall& a, Index first, Index last, Index rows, Index planes) {\n";
    }
    text += fields() + body_.uniforms + rows() + "}\n";
    const std::string begin =
        "extern \"C\" void " + variant_.name +
        "(const RowCall* call, Index first, Index last, Index rows, Index planes) {\n";
    if (is_one)
      return text + begin + "  " + variant_.name + "_packs(*call, first, last, rows, planes);\n}\n";
    return text + begin +
           fmt::format(
               "  if (call->streaming) {{\n    {0}_packs<true>(*call, first, last, rows, "
               "planes);\n  }} else {{\n"
               "    {0}_packs<false>(*call, first, last, rows, planes);\n  }}\n}}\n",
               variant_.name);
  }

 private:
  const ParameterDescription& parameter(std::size_t p) const {
    return subject_.footprint->parameters[p];
  }
  const char* stored(std::size_t p) const { return stored_name(parameter(p).type); }
  const InputShape& input(std::size_t p) const { return shape_.inputs[p]; }
  bool is_elsewhere(std::size_t p) const { return !subject_.maps[p].is_identity(); }
  int width() const { return shape_.width; }

  KernelCells cells() const {
    KernelCells cells;
    for (int plane = 0; plane < variant_.planes; ++plane) cells.cells.push_back({0, plane});
    cells.values = "a.value";
    cells.site = "(*a.site)";
    cells.elsewhere = [this](const Read& read, bool before) { return elsewhere(read, before); };
    cells.store = [this](std::size_t cell, std::size_t output, const std::string& value) {
      const Output& made = subject_.footprint->outputs[output];
      return fmt::format("const Pack<{}, {}> {} = {};",
                         computed_name(parameter(static_cast<std::size_t>(made.parameter)).type),
                         width(), result(cell, made), value);
    };
    return cells;
  }
  static std::string result(std::size_t cell, const Output& made) {
    return fmt::format("r{}_{}_{}", cell, made.parameter, made.component);
  }

  /// Returns the text that loads from scratch or from a field on another grid; empty for any other
  /// read.
  std::string elsewhere(const Read& read, bool before) const {
    const auto p = static_cast<std::size_t>(read.parameter);
    if (parameter(p).kind == Kind::scratch) {
      return fmt::format("load<{0}>(w{1} + i + {2} * component{1}{3})", width(), p, read.component,
                         before ? fmt::format(" + previous{}", p) : "");
    }
    if (!is_elsewhere(p)) return "";
    const auto at = [&](std::size_t n) {
      return static_cast<std::size_t>(subject_.shape.order[n]);
    };
    const IndexMap& map = subject_.maps[p];
    return fmt::format(
        "spread<{0}, {1}, {2}>(w{3} + {4} * component{3} + {5} * middle{3} + {6} * slow{3} + {7}, "
        "a, i, first{3})",
        width(), map.scale[at(0)], map.halving[at(0)], p, read.component, read.offset[at(1)],
        read.offset[at(2)], read.offset[at(0)]);
  }

  MemoryAccess memory() const {
    MemoryAccess memory;
    memory.copies_constants = true;
    memory.field = [this](int p) {
      return fmt::format("const {0}* const s{1} = w{1} + i;", stored(static_cast<std::size_t>(p)),
                         p);
    };
    memory.load = [this](const PackLoad& load) {
      const std::string at = address(load);
      return fmt::format("load<{}>({})", width(), at);
    };
    memory.neighbors = [this](int table, int offset, int offsets) {
      return fmt::format("neighbors<{}, {}, {}>(w{}, i)", offset, offsets, width(), table);
    };
    memory.numbers = ".numbers()";
    memory.gather = [this](int p, int component, int at_wall, const std::string& neighbors) {
      return fmt::format(
          "gather<{4}>(w{0} + {1} * component{0}, w{0} + {2} * component{0}, i, {3})", p, component,
          at_wall, neighbors, width());
    };
    // Near neighbours are taken from whole registers by a shuffle: they then share loads, and no
    // load crosses a line of memory. Shuffles of bytes take longer than such loads.
    memory.loads_as_they_lie = [this](int p, int along) {
      const auto n = static_cast<std::size_t>(p);
      const auto bytes = static_cast<int>(size_of(parameter(n).type));
      const bool fills_register = isa_.vector_bytes == 64 && bytes * width() == 64 && bytes >= 4;
      return !fills_register || std::abs(along) > 4 || input(n).fetch == Fetch::streams ||
             subject_.is_in_place[n];
    };
    return memory;
  }
  std::string address(const PackLoad& load) const {
    const int p = load.parameter;
    std::string at = fmt::format("s{}", p);
    if (subject_.is_in_place[static_cast<std::size_t>(p)]) {
      at += fmt::format(" + place{}[{}]", p, load.component);
    } else if (load.component != 0) {
      at += fmt::format(" + {} * component{}", load.component, p);
    }
    if (load.row != 0) at += fmt::format(" + {} * middle{}", load.row, p);
    if (load.plane != 0) at += fmt::format(" + {} * slow{}", load.plane, p);
    if (load.cell != 0) at += fmt::format(" + {}", load.cell);
    return at;
  }

  bool is_field(std::size_t p) const {
    return parameter(p).kind == Kind::field || parameter(p).kind == Kind::scratch;
  }
  bool is_read(std::size_t p) const {
    return input(p).has_reads || parameter(p).access == Access::inout ||
           parameter(p).kind == Kind::scratch;
  }
  /// Returns the components of a parameter that this sweep assigns.
  std::vector<int> assigned(std::size_t p) const {
    std::vector<int> components;
    const auto& outputs = subject_.graph->branches().front().outputs;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const Output& output = subject_.footprint->outputs[o];
      if (outputs[o] >= 0 && output.parameter == static_cast<int>(p)) {
        components.push_back(output.component);
      }
    }
    return components;
  }

  /// Returns the text that loads addresses of fields once for all packs. Compilers cannot do this
  /// by themselves, as they do not know that results are stored elsewhere.
  std::string fields() const {
    std::string text;
    for (std::size_t p = 0; p < subject_.footprint->parameters.size(); ++p) {
      if (!is_field(p)) continue;
      const std::string field = fmt::format("a.field[{}]", p);
      text += fmt::format(
          "  [[maybe_unused]] const {0}* const b{1} = reinterpret_cast<const {0}*>({2}.read);\n"
          "  [[maybe_unused]] const Index middle{1} = {2}.middle, slow{1} = {2}.slow, component{1} "
          "= {2}.component;\n",
          stored(p), p, field);
      if (parameter(p).kind == Kind::scratch) {
        text += fmt::format("  [[maybe_unused]] const Index previous{} = {}.previous;\n", p, field);
      }
      if (is_elsewhere(p)) text += fmt::format("  const Index first{} = {}.first;\n", p, field);
      if (subject_.is_in_place[p] && is_read(p)) {
        text += fmt::format(
            "  Index place{0}[{1}];\n  for (int c = 0; c < {1}; ++c) place{0}[c] = "
            "{2}.place[c];\n",
            p, parameter(p).components, field);
      }
      const auto components = assigned(p);
      if (!components.empty()) {
        text += fmt::format("  {0}* const o{1} = reinterpret_cast<{0}*>({2}.write);\n", stored(p),
                            p, field);
        text += fmt::format(
            "  [[maybe_unused]] const Index kept_low{0} = {1}.kept_low;\n"
            "  [[maybe_unused]] const uint64 between{0} = {1}.kept_high - {1}.kept_low;\n"
            "  const Index to_middle{0} = {1}.to_middle, to_slow{0} = {1}.to_slow;\n",
            p, field);
        for (const int c : components) {
          text += fmt::format("  const Index to{0}_{1} = {2}.to[{1}];\n", p, c, field);
        }
      }
    }
    return text;
  }

  bool fetches_rows(std::size_t p) const {
    return variant_.fetches && (input(p).fetch == Fetch::plane || input(p).fetch == Fetch::group);
  }
  bool fetches_later(std::size_t p) const {
    constexpr int few_streams = 4;
    return input(p).fetch == Fetch::group || shape_.streams * variant_.planes <= few_streams;
  }
  /// Returns the text of the addresses of fields in the present row.
  std::string row() const {
    std::string text;
    for (std::size_t p = 0; p < subject_.footprint->parameters.size(); ++p) {
      if (!is_field(p)) continue;
      text += fmt::format(
          "      [[maybe_unused]] const auto* const w{0} = b{0} + row * middle{0} + "
          "plane * slow{0};\n",
          p);
      if (!assigned(p).empty()) {
        text += fmt::format(
            "      auto* const t{0} = o{0} + row * to_middle{0} + plane * to_slow{0};\n", p);
      }
      if (!fetches_rows(p)) continue;
      const char* const plane = shape_.walks_groups ? "plane" : "0";
      for (int n = 0; n < shape_.shares(input(p)); ++n) {
        text += fmt::format(
            "      const {0}* const soon{1}_{2} = reinterpret_cast<const {0}*>("
            "a.field[{1}].soon[{3}][{2}]) + row * middle{1};\n",
            stored(p), p, n, plane);
      }
      if (fetches_later(p)) {
        text += fmt::format(
            "      const {0}* const later{1} = reinterpret_cast<const {0}*>("
            "a.field[{1}].later[{2}]) + row * middle{1};\n",
            stored(p), p, plane);
      }
    }
    return text;
  }
  /// Returns whether lines are fetched into the first-level cache a chunk of a row at a time, as is
  /// done if there are few streams.
  bool fetches_chunks(std::size_t p) const {
    return fetches_rows(p) && input(p).fetch == Fetch::plane && fetches_later(p);
  }
  bool fetches_chunks() const {
    for (std::size_t p = 0; p < subject_.footprint->parameters.size(); ++p) {
      if (is_field(p) && fetches_chunks(p)) return true;
    }
    return false;
  }
  /// Returns the texts of the offsets, in elements, from the start of a fetched row to what is
  /// fetched with cell `at`.
  std::vector<std::string> places_fetched(std::size_t p, const std::string& at) const {
    std::vector<std::string> places;
    for (int plane = 0; plane < variant_.planes; ++plane) {
      for (int c = 0; c < parameter(p).components; ++c) {
        places.push_back(at);
        if (c > 0) places.back() += fmt::format(" + {} * component{}", c, p);
        if (plane > 0) places.back() += fmt::format(" + {} * slow{}", plane, p);
      }
    }
    return places;
  }
  /// Returns the text that fetches, with a pack at `at`, lines that other rows will need.
  std::string fetches_of_rows(const std::string& at, int indent) const {
    std::string text;
    const std::string space(static_cast<std::size_t>(indent), ' ');
    for (std::size_t p = 0; p < subject_.footprint->parameters.size(); ++p) {
      if (!is_field(p) || !fetches_rows(p)) continue;
      const int shares = fetches_chunks(p) ? 0 : shape_.shares(input(p));
      for (const std::string& place : places_fetched(p, at)) {
        for (int n = 0; n < shares; ++n) {
          text += fmt::format("{}fetch<1>(soon{}_{} + {});\n", space, p, n, place);
        }
        if (fetches_later(p)) text += fmt::format("{}fetch<2>(later{} + {});\n", space, p, place);
      }
    }
    return text;
  }
  /// Returns the text of fetches before the packs of a chunk.
  std::string fetches_of_chunks() const {
    std::string text;
    for (std::size_t p = 0; p < subject_.footprint->parameters.size(); ++p) {
      if (!is_field(p) || !fetches_chunks(p)) continue;
      for (const std::string& place : places_fetched(p, "i")) {
        text += fmt::format(
            "        for (Index i = chunk; i < end; i += {}) fetch<1>(soon{}_0 + {});\n", width(),
            p, place);
      }
    }
    return text;
  }
  /// Returns the text that fetches lines of streams two packs before they are read.
  std::string fetches_of_streams() const {
    std::string text;
    for (const Read& read : subject_.footprint->reads) {
      const auto p = static_cast<std::size_t>(read.parameter);
      if (!is_field(p) || input(p).fetch != Fetch::streams) continue;
      const auto along = [&](std::size_t n) {
        return read.offset[static_cast<std::size_t>(subject_.shape.order[n])];
      };
      const PackLoad load{read.parameter, read.component, along(0), along(1), along(2)};
      text += fmt::format("        fetch<1>({} + {});\n", address(load), 2 * width());
    }
    return text;
  }

  /// Returns the text that fetches lines which packs some groups ahead will gather.
  std::string fetches_of_lists() const {
    std::string text;
    std::set<std::int64_t> tables;
    for (const GraphNode& node : subject_.graph->nodes()) {
      if (node.op != GraphOp::gather || !variant_.fetches) continue;
      const auto& data = subject_.graph->node(node.operands[0]).data;
      const auto table = data[0], offset = data[1], offsets = data[2];
      if (tables.insert(table).second) {
        text +=
            fmt::format("        const int32* const soon{0} = group_ahead<{1}>(w{0}, i, last);\n",
                        table, offsets);
      }
      text += fmt::format(
          "        fetch_gathered<{0}>(w{1} + {2} * component{1}, soon{3} + list_runs * {4}, i);\n",
          width(), node.data[0], node.data[1], table, offset);
    }
    return text;
  }

  /// Returns the text that stores results. `streaming`: the text of a truth value; `results`: the
  /// prefix of the results' names.
  std::string stores(const std::string& streaming, const std::string& results,
                     const std::string& at, int indent) const {
    std::string text;
    const auto& outputs = subject_.graph->branches().front().outputs;
    for (int plane = 0; plane < variant_.planes; ++plane) {
      for (std::size_t o = 0; o < outputs.size(); ++o) {
        if (outputs[o] < 0) continue;
        const Output& made = subject_.footprint->outputs[o];
        const auto p = static_cast<std::size_t>(made.parameter);
        const bool streams = parameter(p).access == Access::out && !subject_.is_in_place[p] &&
                             parameter(p).kind == Kind::field;
        text += std::string(static_cast<std::size_t>(indent), ' ') +
                fmt::format("store<{}>(t{} + {} + to{}_{}{}, {}{});\n",
                            streams ? streaming : "false", p, at, p, made.component,
                            plane > 0 ? fmt::format(" + {} * to_slow{}", plane, p) : "", results,
                            result(static_cast<std::size_t>(plane), made));
      }
    }
    return text;
  }
  /// Returns the text that keeps the ends of rows of results that bypass the caches.
  std::string keeps(int indent) const {
    std::string text;
    const auto& outputs = subject_.graph->branches().front().outputs;
    const std::string space(static_cast<std::size_t>(indent), ' ');
    for (std::size_t p = 0; p < subject_.footprint->parameters.size(); ++p) {
      if (parameter(p).kind != Kind::field || assigned(p).empty() || subject_.is_in_place[p]) {
        continue;
      }
      text += space +
              fmt::format(
                  "if (static_cast<uint64>(i - kept_low{0}) >= between{0}) [[unlikely]] {{\n", p);
      for (int plane = 0; plane < variant_.planes; ++plane) {
        for (std::size_t o = 0; o < outputs.size(); ++o) {
          const Output& made = subject_.footprint->outputs[o];
          if (made.parameter != static_cast<int>(p) || outputs[o] < 0) continue;
          text += space + fmt::format("  keep<{}>(a.field[{}], {}, row, plane + {}, i, {});\n",
                                      stored(p), p, made.component, plane,
                                      result(static_cast<std::size_t>(plane), made));
        }
      }
      text += space + "}\n";
    }
    return text;
  }

  /// Returns the text of the loop over rows, through groups of planes together.
  std::string rows() const {
    const std::string planes =
        fmt::format("  for (Index plane = 0; plane < planes; plane += {}) {{\n", variant_.planes);
    const std::string rows = "  for (Index row = 0; row < rows; ++row) {\n";
    return (shape_.walks_groups ? rows + planes : planes + rows) + row() +
           fmt::format("      if (a.before_row) a.before_row(a.fetcher, {} * (last - first));\n",
                       variant_.planes) +
           (variant_.is_in_place ? lagging_loop() : loop()) + "  }\n  }\n";
  }
  std::string packs(const std::string& begin, const std::string& end) const {
    return fmt::format("      for (Index i = {}; i < {}; i += {}) {{\n", begin, end, width()) +
           "        [[maybe_unused]] const Place at{static_cast<int>(i), static_cast<int>(a.middle "
           "+ "
           "row), static_cast<int>(a.slow + plane)};\n" +
           body_.fields + fetches_of_rows("i", 8) + fetches_of_streams() + fetches_of_lists() +
           body_.values;
  }
  std::string loop() const {
    if (!fetches_chunks()) return packs("first", "last") + stored() + fetches_of_rows("last", 6);
    return fmt::format(
               "      for (Index chunk = first; chunk < last; chunk += {0}) {{\n"
               "        const Index end = chunk + {0} < last ? chunk + {0} : last;\n",
               shape_.chunk) +
           fetches_of_chunks() + packs("chunk", "end") + stored() + "      }\n" +
           fetches_of_rows("last", 6);
  }
  /// Returns the text of the end of the loop over packs.
  std::string stored() const {
    std::string text;
    if (!variant_.streams) {
      text += stores("false", "", "i", 8);
    } else if (shape_.is_large) {
      text += "        if (streaming) {\n" + stores("true", "", "i", 10) + keeps(10) +
              "        } else {\n" + stores("false", "", "i", 10) + "        }\n";
    } else {
      text += stores("streaming", "", "i", 8) + "        if constexpr (streaming) {\n" + keeps(10) +
              "        }\n";
    }
    return text + "      }\n";
  }
  /// Returns the text of the loop for rows that are written where they are read.
  std::string lagging_loop() const {
    std::string results, kept;
    const auto& outputs = subject_.graph->branches().front().outputs;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if (outputs[o] < 0) continue;
      const Output& made = subject_.footprint->outputs[o];
      const std::string name = result(0, made);
      results += fmt::format(
          "        Pack<{}, {}> {};\n",
          computed_name(parameter(static_cast<std::size_t>(made.parameter)).type), width(), name);
      kept += fmt::format("        waiting.{0} = {0};\n", name);
    }
    return "      struct Results {\n" + results + "      };\n      Results waiting;\n" +
           packs("first", "last") + "        if (i > first) {\n" +
           stores("false", "waiting.", fmt::format("i - {}", width()), 10) + "        }\n" + kept +
           "      }\n" +
           fmt::format("      const Index i = first + (last - 1 - first) / {0} * {0};\n", width()) +
           stores("false", "waiting.", "i", 6);
  }

  const KernelSubject& subject_;
  const KernelShape& shape_;
  const RowVariant& variant_;
  const InstructionSet& isa_;
  BodyText body_;
};

}  // namespace

std::string row_text(const KernelSubject& subject, const KernelShape& shape,
                     const std::vector<RowVariant>& variants, const InstructionSet& isa) {
  const auto& nodes = subject.graph->nodes();
  const auto has = [&](bool (*is)(GraphOp)) {
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const GraphNode& node) { return is(node.op); });
  };
  std::string text = "#include \"rows.hpp\"\n";
  if (has(is_mathematics)) text += "#include \"mathematics.hpp\"\n";
  text += has(asks_for_site)
              ? "#include \"goban/backend/kernels/site.hpp\"\n"
              : "namespace goban::device {\nstruct Place {\n  int fast, middle, slow;\n};\n}\n";
  text +=
      fmt::format("namespace goban::device {{\n[[maybe_unused]] static constexpr int order = {};\n",
                  order_code(shape.order));
  for (const RowVariant& variant : variants) {
    text += RowFunctionText(subject, shape, variant, isa).text();
  }
  return text + "}\n";
}

}  // namespace goban::cpu
