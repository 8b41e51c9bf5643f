#include "life/keys.hpp"

#include <algorithm>

#include "goban/io/case/place.hpp"

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

void place(Model& model, const Case& row, const Index3& extents) {
  const Index3 at = row.integer3("at");
  for (const Index3& cell : pattern(row.choice("name"))) {
    const Index3 where = cell + at;
    if (!Box{{0, 0, 0}, extents}.contains(where)) {
      throw row.error("at", "pattern " + row.choice("name") + " does not fit the grid",
                      "it would reach (" + std::to_string(where[0]) + ", " +
                          std::to_string(where[1]) + ", " + std::to_string(where[2]) + ")");
    }
    model.cells.push_back(where);
  }
}

}  // namespace

void declare_keys(CaseSchema& schema) {
  declare_common(schema, {.precisions = {"uint8"}, .length_unit = "1", .time_unit = "1"});
  schema.boolean("output.series.hash", false)
      .doc(
          "columns fnv1a_high and fnv1a_low: fnv1a of all cells is high * 2^32 + low; it is found "
          "byte by byte");
  schema.section("rule", "numbers of live neighbours, of 26");
  schema.text("rule.bays", "2755")
      .doc("Bays' notation: survives with 2 to 7 live neighbours, is born with 5 to 5");
  schema.integers("rule.survive", std::vector<Index>{})
      .between(0, 26)
      .doc("any rule: all counts that keep a cell alive, instead of rule.bays");
  schema.integers("rule.birth", std::vector<Index>{})
      .between(0, 26)
      .doc("any rule: all counts that bring a cell to life");
  schema.section("boundary", "what is beyond the grid");
  schema.key("boundary.all", &Model::periodic, {{"periodic", true}, {"dead", false}})
      .doc(
          "the opposite side, or cells that never live; beyond an axis of one cell, as of a game "
          "in "
          "the plane, they never do");
  schema.section("initial", "what lives at the beginning, besides patterns");
  schema.key("initial.soup", &Model::density)
      .between(0, 100)
      .unit("percent")
      .doc("density of a random soup; run.seed chooses which");
  schema.path("initial.image", "").doc("live cells: raw, NPY, PNG or a folder of PNG, not 0");
  CaseSchema& placed = schema.tables("pattern", "a pattern that is placed");
  placed.choice("name", pattern_names()).doc("which");
  placed.integers("at").length(3).unit("cells").doc("its lowest corner");
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
