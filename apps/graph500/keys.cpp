#include "graph500/keys.hpp"

#include <limits>

#include "goban/io/case/setting_keys.hpp"
#include "graph500/read_graph.hpp"

namespace goban::graph500 {

void declare_keys(CaseSchema& schema) {
  schema.text("app").doc("the application that runs the case");
  schema.key("title", &Model::title).doc("what the case is, for the banner");
  schema.section("graph", "which graph is searched");
  schema.choice("graph.generator", {"kronecker", "reference", "file"}, "kronecker")
      .doc("goban's own Kronecker graph, tuple by tuple that of the reference, or graph.file");
  schema.key("graph.scale", &Model::scale)
      .between(1, 31)
      .optional()
      .doc("there are 2^scale vertices, whose labels have 32 bits; classes: toy 26, mini 29");
  schema.key("graph.edge_factor", &Model::edge_factor).between(1, 1024).doc("tuples a vertex");
  schema.key("graph.seed", &Model::seed).at_least(0).doc("of goban's own generator");
  schema.key("graph.file", &Model::file)
      .doc(
          "a graph of your own: .txt or .el (two numbers a line, perhaps a weight), .mtx "
          "(MatrixMarket), .bin (pairs of 64-bit numbers)");
  schema.section("search", "what is searched for");
  schema.key("search.keys", &Model::keys)
      .between(1, 1000000)
      .doc("searches, each from another vertex");
  schema.key("search.roots", &Model::roots)
      .at_least(0)
      .doc("vertices to search from, instead of drawn ones");
  schema.key("search.alpha", &DirectionRule::alpha)
      .positive()
      .doc("to bottom-up: the frontier has more edges than unvisited vertices / alpha");
  schema.key("search.beta", &DirectionRule::beta)
      .positive()
      .doc("back to top-down: the frontier has fewer vertices than all / beta");
  schema
      .key("search.validate", &Model::validation,
           {{"every", Validation::every}, {"first", Validation::first}, {"none", Validation::none}})
      .doc("which results are checked by the five rules; only every is by the rules");
  schema.key("search.paths", &Model::paths).doc("kernel 3, too: shortest paths");
  schema.key("search.delta", &Model::delta)
      .positive()
      .doc("width of the distances of kernel 3's bins");
  schema.section("partition", "how ranks and GPUs share the adjacency matrix");
  schema.key("partition.rows", &Model::rows)
      .at_least(1)
      .or_auto()
      .doc("rows R of R x C parts; auto: the fewest that are not less than C, on GPUs all");
  schema.section("output", "what is written beside the official output and tables");
  schema.key("output.picture", &Model::picture).doc("sizes of levels and rates of searches");
  schema.key("output.trees", &Model::trees).doc("parents and levels of every search, as NPY");
  schema.section("checkpoint", "what a restart goes on from");
  schema.key("checkpoint.every_wall", &Model::save_every)
      .positive()
      .unit("s")
      .or_word("never", std::numeric_limits<double>::infinity())
      .doc("wall time between checkpoints of what has been searched; never: when stopped alone");
  schema.key("checkpoint.graph", &Model::saves_graph)
      .doc("the graph, too, once kernel 1 has made it, so that a restart does not make it again");
  declare_machine(schema, "what computes it");
}

Model read_model(const Case& values) {
  auto model = values.read<Model>();
  model.rule = values.read<DirectionRule>();
  model.name = values.name();
  model.generator = values.choice("graph.generator");
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
  return model;
}

std::unique_ptr<EdgeSource> Model::source() const {
  if (generator == "file")
    return read_graph(file, paths ? GraphWeights::kept : GraphWeights::left_out);
  if (generator == "reference") return reference_edges(scale, edge_factor);
  return kronecker_edges({.scale = scale, .edge_factor = edge_factor, .seed = seed});
}

}  // namespace goban::graph500
