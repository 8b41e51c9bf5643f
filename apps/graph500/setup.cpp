// A case becomes a run of the benchmark.

#include "goban/io/case/print.hpp"
#include "goban/io/picture/canvas.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "graph500/benchmark.hpp"
#include "graph500/keys.hpp"

namespace goban {
namespace graph500 {
namespace {

class Graph500Setup : public Setup {
 public:
  Graph500Setup(const Case& values, Runtime& runtime) {
    const Model model = read_model(values);
    if (model.picture) require_pictures();
    benchmark_ = benchmark(model, resolved_toml(values), runtime);
  }
  Run& run() override { return *benchmark_; }

 private:
  std::unique_ptr<Run> benchmark_;
};

class Graph500 : public Application {
 public:
  std::string name() const override { return "graph500"; }
  std::string summary() const override { return "the Graph500 benchmark: search in large graphs"; }
  void declare(CaseSchema& schema) const override { declare_keys(schema); }
  std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const override {
    return std::make_unique<Graph500Setup>(values, runtime);
  }
};

}  // namespace
}  // namespace graph500

const Application& graph500_application() {
  static const graph500::Graph500 application;
  return application;
}

}  // namespace goban
