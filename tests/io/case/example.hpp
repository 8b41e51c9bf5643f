#pragma once
// A schema with every kind of key, for the tests of case files.

#include "goban/io/case/schema.hpp"

namespace goban::test {

inline CaseSchema example_schema() {
  CaseSchema schema;
  schema.text("app", "heat").doc("the application");
  schema.section("grid", "the board");
  schema.integers("grid.cells").length(3).at_least(1).doc("cells along x, y, z");
  schema.reals("grid.spacing", std::vector<double>{1, 1, 1})
      .length(3)
      .or_one_for_all()
      .positive()
      .unit("m")
      .doc("edge lengths of a cell");
  schema.section("time", "how long");
  schema.integer("time.steps", 100).at_least(0).doc("time steps to take");
  schema.real("time.end").positive().unit("s").optional().doc("simulated time to reach");
  schema.section("physics", "the material");
  schema.real("physics.conductivity", 1.0).unit("W/(m K)").positive().doc("heat conductivity");
  schema.real("physics.angle", 0.0).unit("deg").between(-90, 90).doc("inclination");
  schema.real("physics.factor", 0.5).at_least(0).less_than(1).doc("relaxation");
  schema.choice("physics.scheme", {"explicit", "implicit", "crank-nicolson"}, "explicit")
      .doc("time scheme");
  schema.boolean("physics.sources", false).doc("whether there are heat sources");
  schema.path("physics.image", "").doc("conductivity image");
  schema.section("run", "how it is computed");
  schema.integer("run.threads").at_least(1).at_most(64).or_words({"auto"}).doc("threads");
  schema.integer("run.memory", Index(1) << 30).at_least(0).unit("B").doc("memory limit");
  schema.integers("run.patches").length(3).at_least(1).or_words({"auto"}).doc("patches");
  schema.section("output.snapshots", "whole fields");
  schema.texts("output.snapshots.fields", std::vector<std::string>{}).doc("names of fields");
  schema.reals("output.snapshots.at").at_least(0).unit("s").optional().doc("times");
  CaseSchema& obstacle = schema.tables("obstacle", "a body in the flow");
  obstacle.text("name", "body").doc("its name");
  obstacle.real("radius").positive().unit("m").doc("radius of the sphere");
  obstacle.reals("center").length(3).unit("m").doc("center of the sphere");
  return schema;
}

/// The least a file must say.
inline constexpr const char* smallest_case = "grid.cells = [4, 5, 6]\n";

}  // namespace goban::test
