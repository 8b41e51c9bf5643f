#include "cli/skeleton.hpp"

namespace goban::cli {
namespace {

constexpr const char* cmake_lists = R"--(cmake_minimum_required(VERSION 3.25)
project(@name@ LANGUAGES C CXX)

find_package(goban REQUIRED)
goban_add_application(@name@ src/@name@.cpp)

enable_testing()
add_executable(@name@_test tests/@name@_test.cpp)
target_include_directories(@name@_test PRIVATE src)
target_link_libraries(@name@_test PRIVATE goban::goban)
add_test(NAME @name@ COMMAND @name@_test)
)--";

constexpr const char* functor = R"--(#pragma once
// The physics: what one time step does to one cell.

#include <goban/goban.hpp>

/// du/dt = D Laplacian(u), explicit Euler, second order in space:
/// u' = u + r (sum of the 6 neighbours - 6 u) with r = D dt / h^2; stable for r <= 1/6.
struct Diffuse {
  float r;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + r * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                      u(0, 0, -1) - 6.0f * u());
  }
};
)--";

constexpr const char* application = R"--(// Joins the physics to case files and the command line.

@header@

#include <cmath>
#include <goban/io/case_text.hpp>
#include <goban/simulation/application.hpp>
#include <goban/simulation/from_case.hpp>
#include <nlohmann/json.hpp>

namespace goban {
namespace {

class @Name@Setup : public Setup {
 public:
  @Name@Setup(const Case& values, Runtime& runtime, double dt)
      : grid_(runtime, grid_options(values)),
        u_(grid_, "u"),
        next_(grid_, "next"),
        simulation_(grid_, step(values, dt), simulation_options(values)) {
    const double width = values.real("physics.width");
    u_.fill([=](Position p) { return std::exp(-dot(p, p) / (2 * width * width)); });
    simulation_.options().dt = dt;
    add_outputs(simulation_, values, {u_}, {mean_of(u_), maximum_of(u_)});
    simulation_.results([this](nlohmann::ordered_json& results) { results["maximum"] = u_.maximum(); });
  }

  Simulation& simulation() override { return simulation_; }

 private:
  Program step(const Case& values, double dt) {
    const double h = grid_.spacing()[0];
    const double r = values.real("physics.diffusivity") * dt / (h * h);
    Program program("@name@");
    program.apply(Diffuse{static_cast<float>(r)}, in(u_), out(next_));
    program.swap(u_, next_);
    return program;
  }

  Grid grid_;
  Field<float> u_, next_;
  Simulation simulation_;
};

class @Name@Application : public Application {
 public:
  std::string name() const override { return "@name@"; }
  std::string summary() const override { return "a Gaussian spreads by diffusion"; }
  std::vector<ShownField> fields() const override { return {{"u", "", "what spreads"}}; }

  void declare(CaseSchema& schema) const override {
    declare_common(schema, {.precisions = {"float32"}, .layouts = {"ijk"}});
    schema.section("physics", "diffusion");
    schema.real("physics.diffusivity", 1.0).positive().unit("m2/s").doc("D");
    schema.real("physics.width", 0.1).positive().unit("m").doc("width of the Gaussian");
  }

  std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const override {
    const double h = values.real3("grid.spacing")[0];
    const double limit = h * h / (6 * values.real("physics.diffusivity"));
    const double dt = values.has("time.dt") ? values.real("time.dt") : limit;
    if (dt > limit) {
      throw values.error("time.dt", "time.dt is too large", "stable up to h^2 / (6 D)",
                         "use at most " + plain_number(limit) + " s");
    }
    return std::make_unique<@Name@Setup>(values, runtime, dt);
  }
};

}  // namespace

const Application& @name@_application() {
  static const @Name@Application application;
  return application;
}

}  // namespace goban
)--";

constexpr const char* test =
    R"--(// A discrete Fourier mode decays by the same factor every step: known exactly, so tested exactly.

@header@

#include <cmath>
#include <cstdio>

int main(int argc, char** argv) {
  constexpr goban::Index n = 16;
  constexpr int steps = 20;
  constexpr float r = 0.1f;
  const double k = 2 * std::acos(-1.0) / n;

  goban::Runtime runtime(argc, argv);
  goban::Grid grid(runtime, {.cells = {n, n, n}, .boundary = goban::periodic});
  goban::Field<float> u(grid, "u"), next(grid, "next");
  u.fill([=](goban::Position p) { return std::sin(k * p.x); });
  goban::Program step("decay");
  step.apply(Diffuse{r}, goban::in(u), goban::out(next));
  step.swap(u, next);
  goban::Simulation simulation(grid, step, {.steps = steps});
  simulation.run();

  const double decay = std::pow(1 + 2 * r * (std::cos(k) - 1), steps);
  double worst = 0;
  for (goban::Index i = 0; i < n; ++i) {
    const double expected = decay * std::sin(k * (static_cast<double>(i) + 0.5));
    worst = std::max(worst, std::abs(u.get({i, 3, 5}) - expected));
  }
  std::printf("largest error %g\n", worst);
  return worst < 1e-5 ? 0 : 1;
}
)--";

constexpr const char* case_file = R"--(app = "@name@"
title = "a Gaussian spreads"

[grid]
cells = [96, 96, 96]
spacing = "20 mm"
origin = [-0.96, -0.96, -0.96]

[time]
steps = 500

[physics]
diffusivity = 1.0
width = 0.1

[[output.picture]]
field = "u"
every = 100

[output.snapshots]
at_end = true
)--";

constexpr const char* readme = R"--(# @name@

An application of goban: a Gaussian spreads by diffusion.

It builds against an installed goban: in the repository of goban, once `./goban run` has built it,

    cmake --install build/release --prefix DIR

and here, with the same DIR, a full path,

    cmake -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=DIR && cmake --build build
    build/@name@ run cases/@name@.toml
    build/@name@ describe @name@
    ctest --test-dir build

| file | holds |
| --- | --- |
| `src/@name@.hpp` | the physics: one functor, one cell, one step |
| `src/@name@.cpp` | the keys of the case file, fields, initial values, outputs |
| `cases/@name@.toml` | a case |
| `tests/@name@_test.cpp` | a test against the exact solution of the scheme |

**Equation.** du/dt = D Laplacian(u) on a periodic box, explicit Euler in time, second order in space.

**Stability.** dt <= h^2 / (6 D), checked when a case is read.
)--";

/// "heat_wave" becomes "HeatWave".
std::string camel_case(const std::string& name) {
  std::string camel;
  bool start = true;
  for (const char c : name) {
    if (c == '_') {
      start = true;
    } else {
      camel += start && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      start = false;
    }
  }
  return camel;
}

std::string filled(std::string text, const std::string& name) {
  const std::pair<std::string, std::string> words[] = {
      {"@header@", "#include \"" + name + ".hpp\""},
      {"@name@", name},
      {"@Name@", camel_case(name)}};
  for (const auto& [mark, word] : words) {
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
      text.replace(at, mark.size(), word);
    }
  }
  return text;
}

}  // namespace

std::vector<SkeletonFile> skeleton(const std::string& name) {
  return {{"CMakeLists.txt", filled(cmake_lists, name)},
          {"README.md", filled(readme, name)},
          {"src/" + name + ".hpp", filled(functor, name)},
          {"src/" + name + ".cpp", filled(application, name)},
          {"cases/" + name + ".toml", filled(case_file, name)},
          {"tests/" + name + "_test.cpp", filled(test, name)}};
}

}  // namespace goban::cli
