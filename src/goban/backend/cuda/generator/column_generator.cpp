// Writes the texts of kernels that sweep columns; see kernels/column.cuh.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "goban/backend/cuda/generator/generator.hpp"
#include "goban/backend/cuda/generator/shared_levels.hpp"
#include "goban/backend/cuda/generator/thread_memory.hpp"

namespace goban::cuda {
namespace {

using Parameter = ParameterDescription::Kind;

/// Limits of the registers, and of the levels, of values that are loaded ahead.
constexpr int registers_ahead = 64;
constexpr int most_levels_ahead = 16;
/// The most operations that are written out for levels loaded ahead, and the number of operations
/// that a mathematical function counts as. With more, compilers take long (14 s for ten levels of
/// thirteen powers), and arithmetic hides the latency of reads anyway.
constexpr Index operations_ahead = 1024, operations_of_function = 50;

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

/// Returns which numbers of scratch a sweep reads at the current level or, with `before`, at the
/// previous one.
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

/// Returns, for each number of scratch that the second sweep reads as the first has left it, its
/// place among those that are kept; -1 for all others.
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
      : subject_(subject),
        sweep_(sweep),
        shared_(share_levels(sweep, subject.columns->axis, is_backward, subject.constants)),
        places_(places_kept(subject)),
        is_backward_(is_backward) {
    subject_.footprint = &sweep.footprint;
    scratch_ = position_of_scratch(sweep.footprint);
    for (const Read& read : shared_.reads) {
      if (std::none_of(rows_.begin(), rows_.end(), [&](const Read& r) { return is_in(read, r); })) {
        rows_.push_back(read);
      }
    }
    const auto& parameters = sweep.footprint.parameters;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const auto position = static_cast<int>(p);
      if (parameters[p].kind == Parameter::field && assigns_number(sweep, position, 0)) {
        outputs_.push_back(position);
      }
    }
  }

  std::string written() const {
    const std::string name = is_backward_ ? "Backward" : "Forward";
    std::string text = fmt::format(
        "struct {} {{\n  static constexpr bool is_backward = {};\n"
        "  Pack<Scratch, 1> carried[{}] = {{}};\n",
        name, is_backward_ ? "true" : "false", std::max<std::size_t>(1, places_.size()));
    return text + level() + rows() + targets() + handed() + compute() + notes() + "};\n";
  }

  /// Returns the registers for the values of one level that is loaded ahead.
  int registers() const {
    int count = 0;
    for (const Read& read : shared_.reads) {
      count += std::max(1, static_cast<int>(size_of(parameter(read.parameter).type)) / 4);
    }
    return count;
  }
  Index operations() const {
    const Footprint& of = sweep_.footprint;
    return of.flops + of.integer_operations + operations_of_function * of.special_functions;
  }

 private:
  const ParameterDescription& parameter(int p) const {
    return subject_.footprint->parameters[static_cast<std::size_t>(p)];
  }
  /// Returns the offset along the fastest (0), middle (1) or slowest (2) axis.
  int along(const Read& read, std::size_t position) const {
    return read.offset[static_cast<std::size_t>(subject_.shape.order[position])];
  }
  /// Returns whether two reads differ only along rows.
  bool is_in(const Read& read, const Read& row) const {
    return read.parameter == row.parameter && read.component == row.component &&
           along(read, 1) == along(row, 1) && along(read, 2) == along(row, 2);
  }

  std::string level() const {
    std::string text = "  struct Level {\n";
    for (std::size_t n = 0; n < shared_.reads.size(); ++n) {
      text += fmt::format("    Pack<{}, 1> r{};\n",
                          computed_name(parameter(shared_.reads[n].parameter).type), n);
    }
    return text + "  };\n";
  }

  /// Returns the text of the addresses that a level is read from.
  std::string rows() const {
    std::string members, begin, advance, fetch;
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      const Read& row = rows_[n];
      const std::string type = stored_name(parameter(row.parameter).type);
      const bool is_updated = parameter(row.parameter).access != Access::in;
      members += fmt::format("    const {}* row{};\n", type, n);
      begin += fmt::format(
          "      row{} = cell_of<{}>(a.field[{}], a.field[{}].{}, at) + {} * a.field[{}].component "
          "+ {} * static_cast<Index>(a.field[{}].middle) + {} * a.field[{}].slow;\n",
          n, type, row.parameter, row.parameter, is_updated ? "write" : "read", row.component,
          row.parameter, along(row, 1), row.parameter, along(row, 2), row.parameter);
      advance += step_of("row" + std::to_string(n), row.parameter);
      for (std::size_t r = 0; r < shared_.reads.size(); ++r) {
        const Read& read = shared_.reads[r];
        if (!is_in(read, row)) continue;
        fetch += fmt::format("      to.r{} = {}<1>(row{} + ({}));\n", r,
                             is_updated ? "load" : "load_constant", n, along(read, 0));
      }
    }
    return cursor("Rows", members, begin, advance) +
           "    GOBAN_DEVICE void fetch(Level& to) const {\n" + fetch + "    }\n  };\n";
  }

  /// Returns the text of the addresses that a level is stored to.
  std::string targets() const {
    std::string members, begin, advance;
    for (const int p : outputs_) {
      members += fmt::format("    {}* to{};\n", stored_name(parameter(p).type), p);
      begin += fmt::format("      to{} = {}::cell(a, at);\n", p, output(p));
      advance += step_of("to" + std::to_string(p), p);
    }
    return cursor("Targets", members, begin, advance) + "  };\n";
  }

  /// Returns the text of a structure with the addresses at a level; its advance() moves them to the
  /// next level.
  static std::string cursor(const std::string& name, const std::string& members,
                            const std::string& begin, const std::string& advance) {
    return fmt::format(
        "  struct {} {{\n{}    GOBAN_DEVICE void begin(const Arguments& a, const Place& at) {{\n{}"
        "    }}\n    GOBAN_DEVICE void advance(const Arguments& a) {{\n{}    }}\n",
        name, members, begin, advance);
  }

  std::string step_of(const std::string& pointer, int p) const {
    return fmt::format("      {0} = next_level({0}, a.field[{1}], is_backward);\n", pointer, p);
  }

  std::string output(int p) const {
    return fmt::format("Output<{}, {}, 1, {}, false>", stored_name(parameter(p).type),
                       parameter(p).components, p);
  }

  std::string here(int component) const {
    return fmt::format("all<Scratch, 1>(kept.number[{}])",
                       places_[static_cast<std::size_t>(component)]);
  }

  /// Returns the text of the values that a level gets from the previous one, and the first level
  /// from its neighbours.
  std::string handed() const {
    std::string text;
    for (std::size_t n = 0; n < shared_.handed.size(); ++n) {
      text += fmt::format("  Pack<{}, 1> handed{} = {{}};\n", number_name(shared_.handed[n]), n);
    }
    text += "  GOBAN_DEVICE void begin(const Arguments& a, const Place& at) {\n";
    if (!shared_.handed.empty()) {
      KernelSubject of_first = subject_;
      of_first.graph = &shared_.first;
      const auto store = [](std::size_t, std::size_t n, const std::string& value) {
        return fmt::format("handed{} = {};", n, value);
      };
      text += body_text(of_first, {{{0, 0}}, "a.value", "a.common.site", {}, store});
    }
    return text + "  }\n";
  }

  std::string compute() const {
    std::string text =
        "  template <bool IsPlain>\n  GOBAN_DEVICE void compute(const Arguments& a, const Place& "
        "at, "
        "const Level& values, const Targets& targets, Kept& kept) {\n";
    std::string stores;
    for (const int p : outputs_) {
      text += fmt::format("    Pack<{}, 1> p{}[{}];\n", computed_name(parameter(p).type), p,
                          parameter(p).components);
      stores += fmt::format(
          "    if constexpr (IsPlain) {{\n      {0}::store_plain(a, at, targets.to{1}, 0, 0, "
          "p{1});\n"
          "    }} else {{\n      {0}::store(a, at, targets.to{1}, 0, 0, p{1});\n    }}\n",
          output(p), p);
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
      if (read.parameter == SharedLevels::parameter) return fmt::format("handed{}", read.component);
      if (read.parameter == scratch_) {
        return is_before ? fmt::format("carried[{}]", read.component) : here(read.component);
      }
      const auto found = std::find(shared_.reads.begin(), shared_.reads.end(), read);
      return fmt::format("values.r{}", found - shared_.reads.begin());
    };
    const auto& outputs = sweep_.footprint.outputs;
    const auto store = [&](std::size_t, std::size_t output, const std::string& value) {
      if (output >= outputs.size()) {
        return fmt::format("handed{} = {};", output - outputs.size(), value);
      }
      const Output& made = outputs[output];
      if (made.parameter != scratch_) {
        return fmt::format("p{}[{}] = {};", made.parameter, made.component, value);
      }
      const auto c = static_cast<std::size_t>(made.component);
      std::string line;
      if (before[c]) line += fmt::format("next{} = {}; ", c, value);
      if (!is_backward_ && places_[c] >= 0) {
        line += fmt::format("kept.number[{}] = ({})[0];", places_[c], value);
      }
      return line;
    };
    KernelSubject of_level = subject_;
    of_level.graph = &shared_.graph;
    of_level.constants = shared_.constants;
    text += body_text(of_level, {{{0, 0}}, "a.value", "a.common.site", elsewhere, store});
    return text + stores + carries + "  }\n";
  }

  /// Returns the text that saves what is carried from one level to the next, and restores it.
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
  SharedLevels shared_;
  std::vector<int> places_;
  std::vector<Read> rows_;    ///< one read of each row
  std::vector<int> outputs_;  ///< indices of the output arguments
  int scratch_ = -1;
  bool is_backward_;
};

/// Returns how many levels are loaded ahead; in segments a divisor of levels_ahead_in_segments.
int levels_ahead(const std::vector<SweepText>& sweeps, bool in_segments) {
  Index registers = 0, operations = 0;
  for (const SweepText& sweep : sweeps) {
    registers =
        in_segments ? std::max<Index>(registers, sweep.registers()) : registers + sweep.registers();
    operations =
        in_segments ? std::max(operations, sweep.operations()) : operations + sweep.operations();
  }
  const Index most = in_segments ? levels_ahead_in_segments : most_levels_ahead;
  const Index fitting = std::min(registers_ahead / std::max<Index>(1, registers),
                                 operations_ahead / std::max<Index>(1, operations));
  const Index ahead = std::clamp<Index>(fitting, 1, most);
  return static_cast<int>(in_segments ? std::bit_floor(static_cast<std::uint64_t>(ahead)) : ahead);
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
  const int axis = shape.order[1] == index_of(columns.axis) ? 1 : 2;
  std::vector<SweepText> sweeps;
  if (columns.forward.graph) sweeps.emplace_back(subject, columns.forward, false);
  if (columns.backward.graph) sweeps.emplace_back(subject, columns.backward, true);
  std::string text =
      "#include \"goban/backend/kernels/types.hpp\"\nnamespace goban::device {\n"
      "inline constexpr bool row_ends_sent = false;\n}\n"
      "#include \"outputs.cuh\"\nnamespace goban::device {\n";
  text += fmt::format(
      "inline constexpr int order = {}, column_axis = {}, levels_ahead = {}, kept_count = {}, "
      "most_threads = {};\ninline constexpr bool in_segments = {};\n",
      order_code(shape.order), axis, levels_ahead(sweeps, in_segments),
      scratch_of_columns(subject).kept, most_column_threads, in_segments);
  text += fmt::format("using Arguments = SweepArguments<{}, {}, 0>;\n",
                      subject.footprint->parameters.size(), subject.constants.size());
  text += fmt::format("using Scratch = {};\n", stored_name(type_of_scratch(subject)));
  text +=
      "struct Kept {\n  Scratch number[kept_count > 0 ? kept_count : 1];\n};\n"
      "template <class S>\n"
      "GOBAN_DEVICE S* next_level(S* cell, const FieldView& field, bool is_backward) {\n"
      "  const Index apart = column_axis == 1 ? field.middle : field.slow;\n"
      "  return is_backward ? cell - apart : cell + apart;\n}\n";
  for (const SweepText& sweep : sweeps) text += sweep.written();
  if (!columns.forward.graph) text += "struct NoSweep;\nusing Forward = NoSweep;\n";
  if (!columns.backward.graph) text += "struct NoSweep;\nusing Backward = NoSweep;\n";
  return text + "}\n#include \"column.cuh\"\n";
}

}  // namespace goban::cuda
