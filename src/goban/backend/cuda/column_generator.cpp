// Texts of kernels that sweep columns; see kernels/column.cuh.

#include <fmt/format.h>

#include <algorithm>

#include "goban/backend/cuda/kernel_body.hpp"

namespace goban::cuda {
namespace {

using Parameter = ParameterDescription::Kind;

/// Registers for values that are on their way.
constexpr int registers_ahead = 64;
constexpr int most_levels_ahead = 16;

int position_of_scratch(const Footprint& footprint) {
  const auto& parameters = footprint.parameters;
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [](const auto& p) { return p.kind == Parameter::scratch; });
  return found == parameters.end() ? -1 : static_cast<int>(found - parameters.begin());
}

bool assigns_number(const RecordedSweep& sweep, int parameter, int component) {
  const auto& outputs = sweep.footprint.outputs;
  return std::any_of(outputs.begin(), outputs.end(), [&](const Output& output) {
    return output.parameter == parameter && output.component == component &&
           output.most_assignments > 0;
  });
}

/// Numbers of scratch that a sweep reads: of the level at hand, or of the one before.
std::vector<bool> numbers_read(const RecordedSweep& sweep, int scratch, int components,
                               bool before) {
  std::vector<bool> is_read(static_cast<std::size_t>(components));
  if (!sweep.graph || scratch < 0) return is_read;
  std::vector<int> roots;
  for (const auto& branch : sweep.graph->branches()) {
    roots.push_back(branch.condition);
    roots.insert(roots.end(), branch.outputs.begin(), branch.outputs.end());
  }
  for (const int n : sweep.graph->needed_for(roots)) {
    const GraphNode& node = sweep.graph->node(n);
    if (node.op != GraphOp::read || node.data[0] != scratch) continue;
    if ((node.data[5] != 0) == before) is_read[static_cast<std::size_t>(node.data[1])] = true;
  }
  return is_read;
}

/// What of scratch the second sweep finds as the first has left it: each number's place among
/// those that are kept, -1 for others.
std::vector<int> places_kept(const KernelSubject& subject) {
  const ColumnSweeps& columns = *subject.columns;
  const int scratch = position_of_scratch(*subject.footprint);
  const int count =
      scratch < 0 ? 0 : subject.footprint->parameters[static_cast<std::size_t>(scratch)].components;
  std::vector<int> places(static_cast<std::size_t>(count), -1);
  if (!columns.forward.graph || !columns.backward.graph) return places;
  const auto here = numbers_read(columns.backward, scratch, count, false);
  const auto before = numbers_read(columns.backward, scratch, count, true);
  int kept = 0;
  for (std::size_t c = 0; c < places.size(); ++c) {
    const bool is_carried = assigns_number(columns.backward, scratch, static_cast<int>(c));
    if (here[c] || (before[c] && !is_carried)) places[c] = kept++;
  }
  return places;
}

ElementType type_of_scratch(const KernelSubject& subject) {
  const int scratch = position_of_scratch(*subject.footprint);
  return scratch < 0 ? ElementType::float32
                     : subject.footprint->parameters[static_cast<std::size_t>(scratch)].type;
}

class SweepText {
 public:
  SweepText(const KernelSubject& subject, const RecordedSweep& sweep, bool is_backward)
      : subject_(subject), sweep_(sweep), places_(places_kept(subject)), is_backward_(is_backward) {
    subject_.graph = sweep.graph.get();
    subject_.footprint = &sweep.footprint;
    scratch_ = position_of_scratch(sweep.footprint);
  }

  std::string written() const {
    const std::string name = is_backward_ ? "Backward" : "Forward";
    std::string text = fmt::format(
        "struct {} {{\n  static constexpr bool is_backward = {};\n"
        "  Pack<Scratch, 1> carried[{}] = {{}};\n",
        name, is_backward_ ? "true" : "false", std::max<std::size_t>(1, places_.size()));
    return text + level() + fetch() + compute() + notes() + "};\n";
  }

 private:
  const ParameterDescription& parameter(int p) const {
    return subject_.footprint->parameters[static_cast<std::size_t>(p)];
  }

  std::string level() const {
    std::string text = "  struct Level {\n";
    for (std::size_t n = 0; n < sweep_.footprint.reads.size(); ++n) {
      text += fmt::format("    Pack<{}, 1> r{};\n",
                          computed_name(parameter(sweep_.footprint.reads[n].parameter).type), n);
    }
    return text + "  };\n";
  }

  std::string fetch() const {
    std::string text =
        "  static GOBAN_DEVICE void fetch(const Arguments& a, const Place& at, Level& to) {\n";
    for (std::size_t n = 0; n < sweep_.footprint.reads.size(); ++n) {
      const Read& read = sweep_.footprint.reads[n];
      const auto along = [&](std::size_t position) {
        return read.offset[static_cast<std::size_t>(subject_.shape.order[position])];
      };
      const bool is_updated = parameter(read.parameter).access != Access::in;
      text += fmt::format(
          "    to.r{0} = {1}<1>(cell_of<{2}>(a.field[{3}], a.field[{3}].{4}, at) + {5} * "
          "a.field[{3}].component + {6} * static_cast<Index>(a.field[{3}].middle) + {7} * "
          "a.field[{3}].slow + {8});\n",
          n, is_updated ? "load" : "load_constant", stored_name(parameter(read.parameter).type),
          read.parameter, is_updated ? "write" : "read", read.component, along(1), along(2),
          along(0));
    }
    return text + "  }\n";
  }

  std::string here(int component) const {
    return fmt::format("all<Scratch, 1>(*kept_at(column, level, {}))",
                       places_[static_cast<std::size_t>(component)]);
  }

  std::string compute() const {
    std::string text =
        "  GOBAN_DEVICE void compute(const Arguments& a, const Column& column, const Place& at, "
        "int level, const Level& values) {\n";
    const auto& parameters = sweep_.footprint.parameters;
    std::string stores;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const auto position = static_cast<int>(p);
      if (parameters[p].kind != Parameter::field || !assigns_number(sweep_, position, 0)) continue;
      text += fmt::format("    Pack<{}, 1> p{}[{}];\n", computed_name(parameters[p].type), p,
                          parameters[p].components);
      const std::string output =
          fmt::format("Output<{}, {}, 1, {}, false>", stored_name(parameters[p].type),
                      parameters[p].components, p);
      stores += fmt::format(
          "    if (is_plain<1>(a.common, at.fast, at.middle, at.slow)) {{\n"
          "      {0}::store_plain(a, at, {0}::cell(a, at), 0, 0, p{1});\n    }} else {{\n"
          "      {0}::store(a, at, {0}::cell(a, at), 0, 0, p{1});\n    }}\n",
          output, p);
    }
    const int count = static_cast<int>(places_.size());
    const auto before = numbers_read(sweep_, scratch_, count, true);
    std::string carries;
    for (int c = 0; c < count; ++c) {
      if (!before[static_cast<std::size_t>(c)]) continue;
      if (assigns_number(sweep_, scratch_, c)) {
        text += fmt::format("    Pack<Scratch, 1> next{};\n", c);
        carries += fmt::format("    carried[{0}] = next{0};\n", c);
      } else {
        carries += fmt::format("    carried[{}] = {};\n", c, here(c));
      }
    }
    const auto elsewhere = [&](const Read& read, bool is_before) -> std::string {
      if (read.parameter == scratch_) {
        return is_before ? fmt::format("carried[{}]", read.component) : here(read.component);
      }
      const auto& reads = sweep_.footprint.reads;
      const auto found = std::find(reads.begin(), reads.end(), read);
      return fmt::format("values.r{}", found - reads.begin());
    };
    const auto store = [&](std::size_t, std::size_t output, const std::string& value) {
      const Output& made = sweep_.footprint.outputs[output];
      if (made.parameter != scratch_) {
        return fmt::format("p{}[{}] = {};", made.parameter, made.component, value);
      }
      const auto c = static_cast<std::size_t>(made.component);
      std::string line;
      if (before[c]) line += fmt::format("next{} = {}; ", c, value);
      if (!is_backward_ && places_[c] >= 0) {
        line += fmt::format("*kept_at(column, level, {}) = ({})[0];", places_[c], value);
      }
      return line;
    };
    text += body_text(subject_, {{{0, 0}}, "a.value", "a.common.site", elsewhere, store});
    return text + stores + carries + "  }\n";
  }

  /// What it carries from one level to the next goes elsewhere, and comes back.
  std::string notes() const {
    const auto before = numbers_read(sweep_, scratch_, static_cast<int>(places_.size()), true);
    std::string note, go_on;
    int count = 0;
    for (std::size_t c = 0; c < before.size(); ++c) {
      if (!before[c]) continue;
      note += fmt::format("    to[{} * stride] = carried[{}][0];\n", count, c);
      go_on += fmt::format("    carried[{}] = all<Scratch, 1>(from[{} * stride]);\n", c, count);
      ++count;
    }
    return fmt::format(
        "  static constexpr int carried_count = {};\n"
        "  GOBAN_DEVICE void note(Scratch* to, int stride) const {{\n{}  }}\n"
        "  GOBAN_DEVICE void go_on(const Scratch* from, int stride) {{\n{}  }}\n",
        count, note, go_on);
  }

  KernelSubject subject_;
  const RecordedSweep& sweep_;
  std::vector<int> places_;
  int scratch_ = -1;
  bool is_backward_;
};

int registers_of_level(const RecordedSweep& sweep) {
  int registers = 0;
  for (const Read& read : sweep.footprint.reads) {
    const auto& parameter = sweep.footprint.parameters[static_cast<std::size_t>(read.parameter)];
    registers += std::max(1, static_cast<int>(size_of(parameter.type)) / 4);
  }
  return registers;
}

}  // namespace

ColumnScratch scratch_of_columns(const KernelSubject& subject) {
  const ColumnSweeps& columns = *subject.columns;
  ColumnScratch found;
  found.number_bytes = static_cast<Index>(size_of(type_of_scratch(subject)));
  for (const int place : places_kept(subject)) found.kept += place >= 0 ? 1 : 0;
  if (found.kept == 0) return found;
  const int scratch = position_of_scratch(*subject.footprint);
  const int count = subject.footprint->parameters[static_cast<std::size_t>(scratch)].components;
  for (const bool is_read : numbers_read(columns.forward, scratch, count, true)) {
    found.carried += is_read ? 1 : 0;
  }
  const auto& outputs = columns.forward.footprint.outputs;
  found.has_segments = std::all_of(outputs.begin(), outputs.end(), [&](const Output& output) {
    return output.parameter == scratch || output.most_assignments == 0;
  });
  return found;
}

std::string column_text(const KernelSubject& subject, bool in_segments) {
  const ColumnSweeps& columns = *subject.columns;
  const DeviceShape& shape = subject.shape;
  const int registers = registers_of_level(columns.forward) + registers_of_level(columns.backward);
  const int ahead =
      in_segments ? levels_ahead_in_segments
                  : std::clamp(registers_ahead / std::max(1, registers), 1, most_levels_ahead);
  const int axis = shape.order[1] == index_of(columns.axis) ? 1 : 2;
  std::string text =
      "#include \"types.cuh\"\nnamespace goban::device {\n"
      "inline constexpr bool row_ends_sent = false;\n}\n"
      "#include \"outputs.cuh\"\nnamespace goban::device {\n";
  text += fmt::format(
      "inline constexpr int order = {}, column_axis = {}, levels_ahead = {}, kept_count = "
      "{};\ninline constexpr bool in_segments = {};\n",
      order_code(shape.order), axis, ahead, scratch_of_columns(subject).kept, in_segments);
  text += fmt::format("using Arguments = SweepArguments<{}, {}, 0>;\n",
                      subject.footprint->parameters.size(), subject.constants.size());
  text += fmt::format("using Scratch = {};\n", stored_name(type_of_scratch(subject)));
  text +=
      "struct Column;\nGOBAN_DEVICE Scratch* kept_at(const Column& column, int level, int n);\n";
  text += columns.forward.graph ? SweepText(subject, columns.forward, false).written()
                                : "struct NoSweep;\nusing Forward = NoSweep;\n";
  text += columns.backward.graph ? SweepText(subject, columns.backward, true).written()
                                 : "struct NoSweep;\nusing Backward = NoSweep;\n";
  return text + "}\n#include \"column.cuh\"\n";
}

}  // namespace goban::cuda
