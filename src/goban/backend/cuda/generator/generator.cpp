#include "goban/backend/cuda/generator/generator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "goban/backend/cuda/generator/thread_memory.hpp"

namespace goban::cuda {
namespace {

/// Returns whether an argument is a field that is written.
bool is_written(const ParameterDescription& parameter) {
  return parameter.kind == ParameterDescription::Kind::field && parameter.access != Access::in;
}

/// Returns the text of the results of one pack and of where they go.
std::string results_text(const KernelSubject& subject) {
  const auto& parameters = subject.footprint->parameters;
  const int n = subject.shape.width;
  std::string results, targets, made, plain, all, ends;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const ParameterDescription& parameter = parameters[p];
    if (!is_written(parameter)) continue;
    results += fmt::format("  Pack<{}, {}> p{}[{}];\n", computed_name(parameter.type), n, p,
                           parameter.components);
    if (subject.shape.is_reduction) continue;
    const std::string output =
        fmt::format("Output<{}, {}, {}, {}, {}>", stored_name(parameter.type), parameter.components,
                    n, p, subject.is_in_place[p] ? "true" : "false");
    targets += fmt::format("  {}* c{};\n", stored_name(parameter.type), p);
    made += fmt::format("    c{0} = {2}<{1}>(a.field[{0}], a.field[{0}].write, at);\n", p,
                        stored_name(parameter.type), cell_function(subject));
    plain += fmt::format("    {0}::store_plain(a, at, c{1}, row, plane, mine.p{1});\n", output, p);
    all +=
        fmt::format("    {0}::store(a, at, c{1}, row, plane, mine.p{1}, are_plain);\n", output, p);
    ends += fmt::format("    {}::send_row_ends(a, at);\n", output);
  }
  std::string text = "struct Results {\n" + results + "};\n";
  if (subject.shape.is_reduction) return text;
  text += "struct Targets {\n" + targets;
  text += "  GOBAN_DEVICE Targets(const Arguments& a, const Place& at) {\n" + made + "  }\n";
  text +=
      "  GOBAN_DEVICE void store_plain(const Arguments& a, const Place& at, int row, int plane, "
      "const "
      "Results& mine) const {\n" +
      plain + "  }\n";
  text +=
      "  GOBAN_DEVICE void store(const Arguments& a, const Place& at, int row, int plane, const "
      "Results& mine, bool are_plain = false) const {\n" +
      all + "  }\n";
  text += "  static GOBAN_DEVICE void send_row_ends(const Arguments& a, const Place& at) {\n" +
          ends + "  }\n};\n";
  return text;
}

/// Returns the text of a read of a field on another grid; empty if the field lies on the stage's
/// own.
std::string on_other_grid(const KernelSubject& subject, const Read& read) {
  const auto p = static_cast<std::size_t>(read.parameter);
  const IndexMap& map = subject.maps[p];
  if (map.is_identity()) return "";
  std::string indices, offsets;
  for (const int axis : subject.shape.order) {
    const auto a = static_cast<std::size_t>(axis);
    indices += fmt::format(", OtherIndex<{}, {}>", map.scale[a], map.halving[a]);
    offsets += fmt::format(", {}", read.offset[a]);
  }
  return fmt::format("on_other_grid<{}, pack_width, order{}>(a.field[{}], a.common, at, {}{})",
                     stored_name(subject.footprint->parameters[p].type), indices, p, read.component,
                     offsets);
}

/// Returns the body of the function that computes a thread's cells.
std::string evaluate_text(const KernelSubject& subject, ThreadBlock block) {
  std::vector<std::array<int, 2>> cells;
  for (int plane = 0; plane < block.planes; ++plane) {
    for (int row = 0; row < block.rows; ++row) cells.push_back({row, plane});
  }
  const auto store = [&](std::size_t cell, std::size_t output, const std::string& value) {
    const Output& made = subject.footprint->outputs[output];
    return fmt::format("results[{}].p{}[{}] = {};", cell, made.parameter, made.component, value);
  };
  const auto elsewhere = [&](const Read& read, bool) { return on_other_grid(subject, read); };
  return body_text(subject, {cells, "a.value", "a.common.site", elsewhere, store});
}

std::string sweep_like_text(const KernelSubject& subject, ThreadBlock block, bool sends_ends,
                            const std::string& kernel) {
  const DeviceShape& shape = subject.shape;
  std::string text = fmt::format(
      "#include \"goban/backend/kernels/types.hpp\"\nnamespace goban::device {{\n"
      "inline constexpr bool row_ends_sent = {};\n}}\n"
      "#include \"outputs.cuh\"\n{}namespace goban::device {{\n",
      sends_ends ? "true" : "false",
      shape.reads_other_grids ? "#include \"other_grid.cuh\"\n" : "");
  text += fmt::format(
      "inline constexpr int pack_width = {}, rows = {}, planes = {}, least_blocks = {}, order = "
      "{};\n",
      shape.width, block.rows, block.planes, shape.least_blocks(block.rows * block.planes),
      order_code(shape.order));
  text += fmt::format("inline constexpr bool has_many_values = {};\n",
                      shape.has_many_values() ? "true" : "false");
  text += fmt::format("using Arguments = SweepArguments<{}, {}, {}>;\n",
                      subject.footprint->parameters.size(), subject.constants.size(),
                      shape.most_in_place);
  text += results_text(subject);
  text +=
      "GOBAN_DEVICE void evaluate(const Arguments& a, const Place& at, Results (&results)[rows * "
      "planes]) {\n";
  text += evaluate_text(subject, block);
  return text + "}\n}\n#include \"" + kernel + "\"\n";
}

}  // namespace

std::string sweep_text(const KernelSubject& subject, ThreadBlock block, bool sends_ends) {
  return sweep_like_text(subject, block, sends_ends, "sweep.cuh");
}
std::string part_text(const KernelSubject& subject, ThreadBlock block) {
  const std::size_t count = subject.footprint->parameters.size();
  const std::string arguments =
      subject.shape.most_in_place > 0
          ? fmt::format("SweepArguments<{}, {}, {}>", count, subject.constants.size(),
                        subject.shape.most_in_place)
          : fmt::format("PartArguments<{}, {}>", count, subject.constants.size());
  return fmt::format("using Arguments = {};\n", arguments) + results_text(subject) +
         fmt::format(
             "static GOBAN_DEVICE void evaluate(const Arguments& a, const Place& at, Results "
             "(&results)[{}]) {{\n",
             block.rows * block.planes) +
         evaluate_text(subject, block) + "}\n";
}

std::string bundle_text(const std::vector<BundledText>& texts, const KernelSubject& any,
                        int least_blocks, int regions) {
  std::string text = fmt::format(
      "#include \"goban/backend/kernels/types.hpp\"\nnamespace goban::device {{\n"
      "inline constexpr bool row_ends_sent = false;\n}}\n"
      "#include \"outputs.cuh\"\nnamespace goban::device {{\n"
      "inline constexpr int pack_width = {}, least_blocks = {}, order = {};\n",
      any.shape.width, least_blocks, order_code(any.shape.order));
  std::string arguments =
      fmt::format("struct Arguments {{\n  BundleRegions<{}> regions;\n", regions);
  std::string calls;
  int first = 0;
  for (std::size_t n = 0; n < texts.size(); ++n) {
    std::size_t same = 0;
    while (texts[same].part != texts[n].part) ++same;
    if (same == n) text += fmt::format("struct Part{} {{\n{}}};\n", n, texts[n].part);
    arguments += fmt::format("  Part{}::Arguments part{}[{}];\n", same, n, texts[n].count);
    calls += texts[n].count == 1
                 ? fmt::format("  if ((parts >> {} & 1u) != 0) take<Part{}>(a.part{}[0], at);\n",
                               first, same, n)
                 : fmt::format(
                       "#pragma unroll 1\n  for (int i = 0; i < {}; ++i) {{\n"
                       "    if ((parts >> ({} + i) & 1u) != 0) take<Part{}>(a.part{}[i], at);\n"
                       "  }}\n",
                       texts[n].count, first, same, n);
    first += texts[n].count;
  }
  return text + arguments +
         "};\ntemplate <class Part>\nGOBAN_DEVICE void take(const typename Part::Arguments& a, "
         "Place at);\nGOBAN_DEVICE void take_parts(const Arguments& a, uint32 parts, const Place& "
         "at) {\n" +
         calls + "}\n}\n#include \"bundle.cuh\"\n";
}

std::string in_place_text(const KernelSubject& subject) {
  return sweep_like_text(subject, {}, false, "in_place.cuh");
}
std::string reduction_text(const std::vector<KernelSubject>& parts, int planes) {
  const auto reads_other_grids = [](const KernelSubject& part) {
    return part.shape.reads_other_grids;
  };
  std::string structs, arguments, partials, each, take, views;
  int reductions = 0;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const KernelSubject& part = parts[n];
    structs += fmt::format("struct Part{} {{\n{}", n, part_text(part, {1, planes}));
    arguments += fmt::format("  Part{0}::Arguments part{0};\n", n);
    if (!part.shape.is_reduction) {
      take += fmt::format("  walker.store<Part{0}>(a.part{0});\n", n);
    } else {
      structs += fmt::format("static constexpr int kind = {};\n", static_cast<int>(part.reduction));
      partials += fmt::format("  Partial<Part{}::kind> p{};\n", n, reductions);
      each += fmt::format("    take(p{0}, Constant<{0}>());\n", reductions);
      take += fmt::format("  walker.add<Part{0}>(a.part{0}, partials.p{1}, limbs[{1}]);\n", n,
                          reductions);
      views += fmt::format(
          "  take(a.part{0}.common.reduction, Constant<{1}>(), Constant<Part{0}::kind>());\n", n,
          reductions);
      ++reductions;
    }
    structs += "};\n";
  }
  return fmt::format(
             "#include \"goban/backend/kernels/types.hpp\"\nnamespace goban::device {{\n"
             "inline constexpr bool row_ends_sent = false;\n}}\n"
             "#include \"outputs.cuh\"\n{}namespace goban::device {{\n"
             "inline constexpr int pack_width = {}, planes = {}, order = {}, reductions = {};\n",
             std::any_of(parts.begin(), parts.end(), reads_other_grids)
                 ? "#include \"other_grid.cuh\"\n"
                 : "",
             parts.front().shape.width, planes, order_code(parts.front().shape.order), reductions) +
         structs + "struct Arguments {\n  ReductionWalk walk;\n" + arguments +
         "};\n}\n#include \"reduction_parts.cuh\"\nnamespace goban::device {\nstruct Partials {\n" +
         partials + "  template <class Take>\n  GOBAN_DEVICE void for_each(Take&& take) {\n" +
         each +
         "  }\n};\n"
         "GOBAN_DEVICE void take_parts(const Arguments& a, const Walker& walker, Partials& "
         "partials, uint64 (&limbs)[reductions][state_size]) {\n" +
         take +
         "}\ntemplate <class Take>\nGOBAN_DEVICE void for_each_reduction(const Arguments& a, "
         "Take&& "
         "take) {\n" +
         views + "}\n}\n#include \"reduce.cuh\"\n";
}

std::string march_text(const KernelSubject& subject, const MarchTiles& tiles,
                       const std::string& kernel, bool sends) {
  const DeviceShape& shape = subject.shape;
  const auto& parameters = subject.footprint->parameters;
  const auto pair_of = [&](int parameter, int MarchPair::*member) {
    for (int k = 0; k < shape.pair_count; ++k) {
      if (shape.pairs[static_cast<std::size_t>(k)].*member == parameter) return k;
    }
    return -1;
  };
  std::string ins, outs;
  for (int k = 0; k < most_march_pairs; ++k) {
    ins += fmt::format("{}, ", shape.pairs[static_cast<std::size_t>(k)].in);
    outs += fmt::format("{}, ", shape.pairs[static_cast<std::size_t>(k)].out);
  }
  std::string text = "#include \"arguments.cuh\"\nnamespace goban::device {\n";
  text += fmt::format("using Scalar = {};\n",
                      stored_name(parameters[static_cast<std::size_t>(shape.pairs[0].in)].type));
  text += fmt::format(
      "inline constexpr int pack_width = {}, steps = {}, pairs = {}, order = {}, fast_reach = {}, "
      "middle_reach = {}, slow_reach = {}, tile_rows = {}, warps = {}, ahead = {}, blocks = {};\n"
      "inline constexpr bool sends_planes = {};\n",
      shape.width, tiles.steps, shape.pair_count, order_code(shape.order), shape.star.fast,
      shape.star.middle, shape.star.slow, tiles.rows, tiles.warps, tiles.ahead, tiles.blocks,
      sends ? "true" : "false");
  text +=
      fmt::format("inline constexpr int march_in[] = {{{}}}, march_out[] = {{{}}};\n", ins, outs);
  text += fmt::format("using Arguments = {}MarchArguments<{}, {}, {}>;\n", sends ? "Sending" : "",
                      parameters.size(), subject.constants.size(), tiles.steps);
  text += "}\n#include \"star.cuh\"\nnamespace goban::device {\n";
  text +=
      "GOBAN_DEVICE void evaluate(const Arguments& a, int level, const Place& at, const Star "
      "(&stars)[pairs], Value (&results)[pairs]) {\n";
  const auto in_star = [&](const Read& read, bool) -> std::string {
    const int k = pair_of(read.parameter, &MarchPair::in);
    if (k < 0) return "";
    const auto along = [&](std::size_t position) {
      return read.offset[static_cast<std::size_t>(shape.order[position])];
    };
    if (along(1) != 0) return fmt::format("stars[{}].middle[{}]", k, along(1) + shape.star.middle);
    if (along(2) != 0) return fmt::format("stars[{}].slow[{}]", k, along(2) + shape.star.slow);
    if (along(0) == 0) return fmt::format("stars[{}].center", k);
    return fmt::format("in_row<{}>(stars[{}])", along(0), k);
  };
  const auto store = [&](std::size_t, std::size_t output, const std::string& value) {
    const int k = pair_of(subject.footprint->outputs[output].parameter, &MarchPair::out);
    return fmt::format("results[{}] = {};", k, value);
  };
  text += body_text(subject, {{{0, 0}}, "a.value[level]", "a.site[level]", in_star, store});
  return text + "}\n}\n#include \"" + kernel + "\"\n";
}

}  // namespace goban::cuda
