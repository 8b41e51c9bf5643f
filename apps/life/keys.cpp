#include "life/keys.hpp"

#include <algorithm>
#include <utility>

#include "goban/io/case/place.hpp"
#include "life/rle.hpp"

namespace goban::life {
namespace {

std::uint32_t read_counts(const Case& values, const std::string& key) {
  std::uint32_t counts = 0;
  for (const Index count : values.integers(key)) counts |= std::uint32_t{1} << count;
  return counts;
}

Rule read_rule(const Case& values) {
  Rule rule;
  try {
    rule = bays_rule(values.text("rule.bays"));
  } catch (const Error&) {
    throw values.error("rule.bays", "rule \"" + values.text("rule.bays") + "\" is refused",
                       "four digits are expected, two ranges: survive from, to, birth from, to",
                       "write for example \"2755\"");
  }
  const bool has_counts = values.given("rule.survive") || values.given("rule.birth");
  if (has_counts && values.given("rule.bays")) {
    throw values.error("rule.bays", "rule.bays is refused",
                       "rule.survive and rule.birth say it otherwise");
  }
  if (has_counts) rule = {read_counts(values, "rule.survive"), read_counts(values, "rule.birth")};
  return rule;
}

std::string counts_text(std::uint32_t counts) {
  std::string text;
  for (int n = 0; n <= 26; ++n) {
    if ((counts >> n & 1) != 0) text += (text.empty() ? "" : ", ") + std::to_string(n);
  }
  return "[" + text + "]";
}

/// The cells of a pattern that has a name or a file.
std::vector<Index3> cells_of(const Case& row, const Rule& rule) {
  const std::filesystem::path file = row.path("file");
  if (row.has("name") != file.empty()) {
    throw row.error("at", "the pattern has neither a name nor a file, or both", "",
                    "write name = \"plate\" or file = \"glider.rle\"");
  }
  if (file.empty()) return pattern(row.choice("name"));
  RlePattern read = read_rle(file);
  if (read.rule && *read.rule != rule) {
    throw row.error("file", "pattern " + file.filename().string() + " is of another rule", "",
                    "set rule.survive = " + counts_text(read.rule->survive) +
                        " and rule.birth = " + counts_text(read.rule->birth));
  }
  return std::move(read.cells);
}

void place(Model& model, const Case& row, const Index3& extents) {
  const Index3 at = row.integer3("at");
  for (const Index3& cell : cells_of(row, model.rule)) {
    const Index3 where = cell + at;
    if (!Box{{0, 0, 0}, extents}.contains(where)) {
      const std::string name =
          row.has("name") ? row.choice("name") : row.path("file").filename().string();
      throw row.error("at", "pattern " + name + " does not fit the grid",
                      "it would reach (" + std::to_string(where[0]) + ", " +
                          std::to_string(where[1]) + ", " + std::to_string(where[2]) + ")");
    }
    model.cells.insert(where);
  }
}

}  // namespace

void declare_keys(CaseSchema& schema) {
  declare_common(schema, {.precisions = {"uint8"}, .length_unit = "1", .time_unit = "1"});
  schema.boolean("output.series.hash", false)
      .doc(
          "add columns fnv1a_high and fnv1a_low: the FNV-1a hash of all cells is high * 2^32 + "
          "low");
  schema.section("rule", "numbers of live neighbours, of 26");
  schema.text("rule.bays", "2755")
      .doc(
          "rule in Bays' notation; 2755: a cell survives with 2 to 7 live neighbours and is born "
          "with 5");
  schema.integers("rule.survive", std::vector<Index>{})
      .between(0, 26)
      .doc("counts of live neighbours that keep a cell alive, in place of rule.bays");
  schema.integers("rule.birth", std::vector<Index>{})
      .between(0, 26)
      .doc("counts of live neighbours that bring a cell to life");
  schema.section("boundary", "cells beyond the grid");
  schema.key("boundary.all", &Model::periodic, {{"periodic", true}, {"dead", false}})
      .doc(
          "cells beyond the grid: those of the opposite side (periodic), or cells that never live "
          "(dead), as always beyond an axis of one cell");
  schema.section("initial", "cells that live at the beginning, besides patterns");
  schema.key("initial.soup", &Model::density)
      .between(0, 100)
      .unit("percent")
      .doc("density of a random soup; run.seed chooses which");
  schema.path("initial.image", "")
      .doc(
          "image as large as the grid, whose cells other than 0 live: NPY, NRRD, TIFF, PNG, "
          "raw");
  CaseSchema& placed = schema.tables("pattern", "a pattern that is placed");
  placed.choice("name", pattern_names()).optional().doc("name of the pattern");
  placed.path("file", "")
      .doc(
          "file of the pattern in place of a name: run-length encoded (.rle), a layer along "
          "x and y");
  placed.integers("at").length(3).unit("cells").doc("lowest corner of the pattern");
}

Model read_model(const Case& values) {
  auto model = values.read<Model>();
  const Index3 cells = values.integer3("grid.cells");
  if (model.periodic && std::ranges::count(cells, 2) > 0) {
    throw values.error("grid.cells", "2 cells along a periodic axis are refused",
                       "a cell would have the other for a neighbour on both sides",
                       "give 1 or at least 3, or set boundary.all = \"dead\"");
  }
  model.rule = read_rule(values);
  model.seed = run_settings(values).seed;
  model.image = image_of(values, "initial.image", ElementType::uint8);
  for (const Case& row : values.list("pattern")) place(model, row, values.integer3("grid.cells"));
  return model;
}

}  // namespace goban::life
