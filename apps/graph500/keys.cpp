#include "graph500/keys.hpp"

#include <limits>

#include "goban/io/case_common.hpp"
#include "graph500/read_graph.hpp"

namespace goban::graph500 {

void declare_keys(CaseSchema& schema) {
  schema.text("app").doc("the application that runs the case");
  schema.text("title", "").doc("what the case is, for the banner");
  schema.section("graph", "which graph is searched");
  schema.choice("graph.generator", {"kronecker", "reference", "file"}, "kronecker")
      .doc("goban's own Kronecker graph, tuple by tuple that of the reference, or graph.file");
  schema.integer("graph.scale")
      .between(1, 42)
      .optional()
      .doc("there are 2^scale vertices; classes: toy 26, mini 29, small 32, medium 36");
  schema.integer("graph.edge_factor", 16).between(1, 1024).doc("tuples a vertex");
  schema.integer("graph.seed", 1).at_least(0).doc("of goban's own generator");
  schema.path("graph.file", "")
      .doc(
          "a graph of your own: .txt or .el (two numbers a line, perhaps a weight), .mtx "
          "(MatrixMarket), .bin (pairs of 64-bit numbers)");
  schema.section("search", "what is searched for");
  schema.integer("search.keys", 64).between(1, 1000000).doc("searches, each from another vertex");
  schema.integers("search.roots", std::vector<Index>{})
      .at_least(0)
      .doc("vertices to search from, instead of drawn ones");
  schema.real("search.alpha", 15.0)
      .positive()
      .doc("to bottom-up: the frontier has more edges than unvisited vertices / alpha");
  schema.real("search.beta", 18.0)
      .positive()
      .doc("back to top-down: the frontier has fewer vertices than all / beta");
  schema.choice("search.validate", {"every", "first", "none"}, "every")
      .doc("which results are checked by the five rules; only every is by the rules");
  schema.boolean("search.paths", false).doc("kernel 3, too: shortest paths");
  schema.real("search.delta", 0.05).positive().doc("width of the distances of kernel 3's bins");
  schema.section("partition", "how ranks and GPUs share the adjacency matrix");
  schema.integer("partition.rows")
      .at_least(1)
      .or_words({"auto"})
      .doc("rows R of R x C parts; auto: the fewest that are not less than C, on GPUs all");
  schema.section("output", "what is written beside the official output and tables");
  schema.boolean("output.picture", true).doc("sizes of levels and rates of searches");
  schema.boolean("output.trees", false).doc("parents and levels of every search, as NPY");
  schema.section("checkpoint", "what a restart goes on from");
  schema.real("checkpoint.every_wall", 60.0)
      .positive()
      .unit("s")
      .or_words({"never"})
      .doc("wall time between checkpoints of what has been searched; never: when stopped alone");
  schema.boolean("checkpoint.graph", false)
      .doc("the graph, too, once kernel 1 has made it, so that a restart does not make it again");
  declare_machine(schema, "what computes it");
}

Model read_model(const Case& values) {
  Model model;
  model.name = values.name();
  model.title = values.text("title");
  model.generator = values.choice("graph.generator");
  model.file = values.path("graph.file");
  const bool is_file = model.generator == "file";
  if (is_file && model.file.empty()) {
    throw values.error("graph.generator", "there is no graph", "graph.file names none");
  }
  if (!is_file && !model.file.empty()) {
    throw values.error("graph.file", "graph.file is refused",
                       "the graph is made by graph.generator = \"" + model.generator + "\"",
                       "write graph.generator = \"file\"");
  }
  if (is_file && values.given("graph.scale")) {
    throw values.error("graph.scale", "graph.scale is refused", "graph.file has its own size");
  }
  if (!is_file && !values.has("graph.scale")) {
    throw values.error("graph.generator", "graph.scale is missing", "it is the size of the graph",
                       "write for example graph.scale = 20");
  }
  if (!is_file) model.scale = static_cast<int>(values.integer("graph.scale"));
  model.edge_factor = static_cast<int>(values.integer("graph.edge_factor"));
  model.seed = static_cast<std::uint64_t>(values.integer("graph.seed"));
  model.keys = values.integer("search.keys");
  model.roots = values.integers("search.roots");
  model.rule = {values.real("search.alpha"), values.real("search.beta")};
  const std::string& validate = values.choice("search.validate");
  model.validation = validate == "every"   ? Validation::every
                     : validate == "first" ? Validation::first
                                           : Validation::none;
  model.paths = values.boolean("search.paths");
  model.delta = values.real("search.delta");
  if (values.word("partition.rows").empty()) {
    model.rows = static_cast<int>(values.integer("partition.rows"));
  }
  model.picture = values.boolean("output.picture");
  model.trees = values.boolean("output.trees");
  model.saves_graph = values.boolean("checkpoint.graph");
  model.save_every = values.word("checkpoint.every_wall").empty()
                         ? values.real("checkpoint.every_wall")
                         : std::numeric_limits<double>::infinity();
  return model;
}

std::unique_ptr<EdgeSource> Model::source() const {
  if (generator == "file") return read_graph(file);
  if (generator == "reference") return reference_edges(scale, edge_factor);
  return kronecker_edges({.scale = scale, .edge_factor = edge_factor, .seed = seed});
}

}  // namespace goban::graph500
