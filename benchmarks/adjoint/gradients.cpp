// goban-gradients: what going a step back costs, beside the step itself.
//   goban-gradients [--cells N] [--steps N] [--only WORD] [--goban-* options]
// For heat, fluxes between cells, elastic waves and lattice Boltzmann in a periodic cube: the time
// of a step, that of its adjoint alone, and that of a whole gradient a step, every state kept, less
// the step: each the fastest of five. WORD: those alone whose names have it.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>

#include "benchmarks/kernels.hpp"
#include "goban/adjoint/adjoint.hpp"
#include "goban/base/error.hpp"
#include "goban/goban.hpp"
#include "seismic/step.hpp"

namespace goban::benchmarks {
namespace {

/// Fluxes between a cell and its neighbours, of a conductivity that varies.
struct Flux {
  float r;
  GOBAN_FUNCTION void operator()(auto u, auto c, auto next) const {
    auto sum = 0 * u();
    for (const Axis axis : all_axes) {
      for (const int side : {-1, 1}) {
        sum = sum + (c() + c.shift(axis, side)()) * (u.shift(axis, side)() - u());
      }
    }
    next = u() + r * sum;
  }
};
struct Square {
  GOBAN_FUNCTION auto operator()(auto u) const { return u() * u(); }
};
template <int C>
struct SquareOfFirst {
  GOBAN_FUNCTION auto operator()(auto u) const { return u[0]() * u[C - 1](); }
};

struct Times {
  double forward = std::numeric_limits<double>::infinity(), back = forward, gradient = forward;
};

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Times measure(const Program& step, const Program& objective, const std::vector<GradientOf>& of,
              Index steps) {
  Adjoint adjoint(step, objective, of);
  adjoint.evaluate(steps, {steps + 1});
  Engine forward(step), back(adjoint.step_back());
  StepClock clock;
  const auto run = [&](Engine& engine) {
    return seconds([&] {
             engine.run(steps, clock);
             engine.synchronize();
           }) /
           static_cast<double>(steps);
  };
  Times best;
  constexpr int rounds = 5;
  for (int round = 0; round < rounds; ++round) {
    best.forward = std::min(best.forward, run(forward));
    best.back = std::min(best.back, run(back));
    const double whole = seconds([&] { adjoint.evaluate(steps, {steps + 1}); });
    best.gradient = std::min(best.gradient, whole / static_cast<double>(steps));
  }
  return best;
}

void print(const std::string& name, Index cells, const Times& times) {
  std::printf("%-28s %8.2f ms %8.2f ms %6.2f %8.2f ms %6.2f %8.3f GLUP/s\n", name.c_str(),
              1e3 * times.forward, 1e3 * times.back, times.back / times.forward,
              1e3 * (times.gradient - times.forward), times.gradient / times.forward - 1,
              1e-9 * static_cast<double>(cells * cells * cells) / times.forward);
  std::fflush(stdout);
}

struct Case {
  Runtime& runtime;
  Index cells, steps;
  std::string word;

  void row(const std::string& name, const Program& step, const Program& objective,
           const std::vector<GradientOf>& of) const {
    if (name.find(word) == std::string::npos) return;
    print(name, cells, measure(step, objective, of, steps));
  }
  Grid grid() const { return Grid(runtime, {.cells = {cells, cells, cells}}); }

  void heat() const {
    Grid box = grid();
    Field<float> u(box, "u"), next(box, "next");
    u.fill([](Index3 i) { return 0.01f * static_cast<float>((i[0] + 3 * i[1] + 7 * i[2]) % 31); });
    Program step("heat"), objective("objective");
    step.apply(Heat7<float>{0.1f}, in(u), out(next));
    step.swap(u, next);
    Parameter<double> total("total");
    objective.reduce(Square{}, in(u), sum, into(total));
    row("heat by u", step, objective, {u});
  }
  void fluxes() const {
    Grid box = grid();
    Field<float> u(box, "u"), next(box, "next"), c(box, "c");
    u.fill([](Index3 i) { return 0.01f * static_cast<float>((i[0] + 3 * i[1] + 7 * i[2]) % 31); });
    c.fill([](Index3 i) { return 1 + 0.01f * static_cast<float>((i[0] + i[1]) % 17); });
    Program step("fluxes"), objective("objective");
    step.apply(Flux{0.05f}, in(u), in(c), out(next));
    step.swap(u, next);
    Parameter<double> total("total");
    objective.reduce(Square{}, in(u), sum, into(total));
    row("fluxes by u", step, objective, {u});
    row("fluxes by u and c", step, objective, {u, c});
  }
  void waves() const {
    Grid box = grid();
    seismic::Model model;
    model.order = 4;
    model.medium.layers.front().rock = {.vp = 1.7, .vs = 1, .density = 1};
    model.start = seismic::PlaneWave{
        .kind = seismic::PlaneWave::Kind::s, .waves = {1, 1, 1}, .direction = {0, 0, 1}};
    const double dt = 0.9 * seismic::largest_stable_step(1.7, model, {1, 1, 1});
    const seismic::WaveStep<3, float> waves(box, model, 1.7, dt);
    Parameter<double> total("total");
    Program objective("objective");
    objective.reduce(Square{}, in(waves.velocity[0]), sum, into(total));
    const Program step = waves.program();
    row("elastic waves by the start", step, objective, {waves.velocity[0], waves.normal});
    row("elastic waves by the rock", step, objective,
        {waves.lambda, waves.compliance, waves.density});
  }
  void populations() const {
    Grid box = grid();
    Field<float, 19> f(box, "f"), next(box, "next");
    f.fill([](Index3 i, int q) {
      return (1 + 0.01f * static_cast<float>((i[0] + 3 * i[1] + 7 * i[2] + q) % 31)) / 19;
    });
    Program step("D3Q19"), objective("objective");
    step.apply(Bgk<float>{1.2f}, in(f), out(next));
    step.swap(f, next);
    Parameter<double> total("total");
    objective.reduce(SquareOfFirst<19>{}, in(f), sum, into(total));
    row("D3Q19 by f", step, objective, {f});
  }
};

int run(int argc, char** argv) {
  Runtime runtime(argc, argv);
  Index cells = 192, steps = 8;
  std::string word;
  for (int n = 1; n + 1 < argc; n += 2) {
    if (std::string(argv[n]) == "--cells") cells = std::atoll(argv[n + 1]);
    if (std::string(argv[n]) == "--steps") steps = std::atoll(argv[n + 1]);
    if (std::string(argv[n]) == "--only") word = argv[n + 1];
  }
  std::printf("%lld^3 cells, float32\n%-28s %11s %11s %6s %11s %6s\n",
              static_cast<long long>(cells), "", "step", "back", "ratio", "gradient", "ratio");
  const Case one{runtime, cells, steps, word};
  one.heat();
  one.fluxes();
  one.waves();
  one.populations();
  return 0;
}

}  // namespace
}  // namespace goban::benchmarks

int main(int argc, char** argv) {
  try {
    return goban::benchmarks::run(argc, argv);
  } catch (const goban::Error& error) {
    std::fprintf(stderr, "goban-gradients: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
