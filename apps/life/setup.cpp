// A case becomes grid, fields, program and simulation.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "goban/domain/engine/engine.hpp"
#include "goban/io/case/types.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/from_case.hpp"
#include "life/keys.hpp"
#include "life/step.hpp"

namespace goban {
namespace life {
namespace {

using Json = nlohmann::ordered_json;

/// Beyond an axis of one cell there is nothing: a cell is no neighbour of its own.
BoundarySet boundary_of(const Model& model, const Case& values) {
  const Index3 cells = values.integer3("grid.cells");
  BoundarySet sides;
  for (std::size_t a = 0; a < 3; ++a) {
    const bool is_ring = model.periodic && cells[a] > 1;
    sides.sides[a].fill(is_ring ? periodic : constant(0));
  }
  return sides;
}

template <class Layout>
class LifeSetup : public Setup {
 public:
  LifeSetup(const Case& values, const Model& model, Runtime& runtime)
      : grid_(runtime, grid_options(values, boundary_of(model, values))),
        generation_(grid_, model),
        simulation_(grid_, generation_.program(), simulation_options(values)) {
    add_outputs(simulation_, values, {generation_.cells}, columns(values));
    simulation_.results([this](Json& results) {
      results["population"] = generation_.cells.sum();
      results["fnv1a"] = fmt::format("{:016x}", fnv1a(generation_.cells));
    });
  }
  Simulation& simulation() override { return simulation_; }

 private:
  std::vector<Column> columns(const Case& values) const {
    Column population = sum_of(generation_.cells);
    population.name = "population";
    std::vector<Column> all{population};
    if (!values.boolean("output.series.hash")) return all;
    const auto part = [this](const char* name, int shift) {
      // Numbers of 32 bits are exact in a column, one of 64 is not.
      Column column(name, "", [this, shift] {
        return static_cast<double>(fnv1a(generation_.cells) >> shift & 0xffff'ffffu);
      });
      column.fields = {generation_.cells};
      column.reads_anything = false;
      return column;
    };
    all.push_back(part("fnv1a_high", 32));
    all.push_back(part("fnv1a_low", 0));
    return all;
  }

  Grid grid_;
  Generation<Layout> generation_;
  Simulation simulation_;
};

class Life : public Application {
 public:
  std::string name() const override { return "life"; }
  std::string summary() const override { return "the Game of Life in three dimensions"; }
  std::vector<ShownField> fields() const override { return {{"cells", "", "1 alive, 0 dead"}}; }
  void declare(CaseSchema& schema) const override { declare_keys(schema); }
  std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const override {
    const Model model = read_model(values);
    return with_layout<ijk, kij>(values, [&]<class Layout>() -> std::unique_ptr<Setup> {
      return std::make_unique<LifeSetup<Layout>>(values, model, runtime);
    });
  }
};

}  // namespace
}  // namespace life

const Application& life_application() {
  static const life::Life application;
  return application;
}

}  // namespace goban
