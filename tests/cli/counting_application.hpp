#pragma once
// The least application: every cell counts the steps. It exercises what the command line does
// around a run, not numerics.

#include "goban/goban.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/from_case.hpp"

namespace goban::cli::testing {

struct Count {
  float amount;
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = u() + amount; }
};

class CountingSetup : public Setup {
 public:
  CountingSetup(const Case& values, Runtime& runtime)
      : grid_(runtime, grid_options(values)),
        count_(grid_, "count"),
        next_(grid_, "next"),
        simulation_(grid_, step(static_cast<float>(values.real("physics.amount"))),
                    simulation_options(values)) {
    count_.fill(0.0f);
    simulation_.options().measure_bandwidth = false;
    add_outputs(simulation_, values, {count_}, {mean_of(count_)});
    simulation_.results(
        [this](nlohmann::ordered_json& results) { results["count"] = count_.maximum(); });
  }
  Simulation& simulation() override { return simulation_; }

 private:
  Program step(float amount) {
    Program program("counting");
    program.apply(Count{amount}, in(count_), out(next_));
    program.swap(count_, next_);
    return program;
  }

  Grid grid_;
  Field<float> count_, next_;
  Simulation simulation_;
};

class CountingApplication : public Application {
 public:
  std::string name() const override { return "counting"; }
  std::string summary() const override { return "every cell counts the steps"; }
  std::vector<ShownField> fields() const override { return {{"count", "", "of steps"}}; }
  void declare(CaseSchema& schema) const override {
    declare_common(schema, {.precisions = {"float32"}, .layouts = {"ijk"}});
    schema.section("physics", "what is counted");
    schema.real("physics.amount", 1.0).doc("added every step");
  }
  std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const override {
    return std::make_unique<CountingSetup>(values, runtime);
  }
};

inline const std::vector<KnownApplication>& counting() {
  static const CountingApplication application;
  static const std::vector<KnownApplication> all = {
      {"counting", []() -> const Application& { return application; }, {}}};
  return all;
}

}  // namespace goban::cli::testing
