#include "graph500/keys.hpp"

#include <limits>

#include "goban/io/case/setting_keys.hpp"
#include "graph500/read_graph.hpp"

namespace goban::graph500 {

void declare_keys(CaseSchema& schema) {
  schema.text("app").doc("the application that runs the case");
  schema.key("title", &Model::title).doc("what the case is, for the banner");
  schema.section("graph", "the graph that is searched");
  schema.choice("graph.generator", {"kronecker", "reference", "file"}, "kronecker")
      .doc(
          "kronecker: goban's own Kronecker graph; reference: tuple by tuple that of the reference "
          "code; file: graph.file");
  schema.key("graph.scale", &Model::scale)
      .between(1, 31)
      .optional()
      .doc(
          "scale: there are 2^scale vertices, whose labels have 32 bits; classes: toy 26, mini 29");
  schema.key("graph.edge_factor", &Model::edge_factor)
      .between(1, 1024)
      .doc("number of tuples for each vertex");
  schema.key("graph.seed", &Model::seed).at_least(0).doc("seed of goban's own generator");
  schema.key("graph.file", &Model::file)
      .doc(
          "file of a graph of your own: .txt or .el (two numbers a line, perhaps a weight), .mtx "
          "(MatrixMarket), .bin (pairs of 64-bit numbers)");
  schema.section("search", "the searches");
  schema.key("search.keys", &Model::keys)
      .between(1, 1000000)
      .doc("number of searches, each from another vertex");
  schema.key("search.roots", &Model::roots)
      .at_least(0)
      .doc("vertices to search from, in place of drawn ones");
  schema.key("search.alpha", &DirectionRule::alpha)
      .positive()
      .doc(
          "alpha: searches go on bottom-up when the frontier has more edges than unvisited "
          "vertices / alpha");
  schema.key("search.beta", &DirectionRule::beta)
      .positive()
      .doc(
          "beta: searches go back to top-down when the frontier has fewer vertices than all / "
          "beta");
  schema
      .key("search.validate", &Model::validation,
           {{"every", Validation::every}, {"first", Validation::first}, {"none", Validation::none}})
      .doc(
          "results that are validated by the five rules; the rules of the benchmark ask for every "
          "one");
  schema.key("search.paths", &Model::paths).doc("run kernel 3, shortest paths, too");
  schema.key("search.delta", &Model::delta).positive().doc("width of kernel 3's bins of distances");
  schema.section("partition", "how ranks and GPUs share the adjacency matrix");
  schema.key("partition.rows", &Model::rows)
      .at_least(1)
      .or_auto()
      .doc("rows R of the R x C parts; auto: the fewest that are not less than C, on GPUs all");
  schema.section("output", "files beside the official output and tables");
  schema.key("output.picture", &Model::picture)
      .doc("draw the sizes of levels and the rates of searches");
  schema.key("output.trees", &Model::trees).doc("write parents and levels of every search, as NPY");
  schema.section("checkpoint", "saved states to restart from");
  schema.key("checkpoint.every_wall", &Model::save_every)
      .positive()
      .unit("s")
      .or_word("never", std::numeric_limits<double>::infinity())
      .doc(
          "wall time between checkpoints of finished searches; never: only when the run is "
          "stopped");
  schema.key("checkpoint.graph", &Model::saves_graph)
      .doc(
          "save the graph, too, once kernel 1 has made it, so that a restart need not make it "
          "again");
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
