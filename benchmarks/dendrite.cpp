// Growth of dendrites, whose arithmetic is the ceiling rather than memory: in place of a twin the
// sweep's own kernel, on cells that stay in the first-level cache.

#include "benchmarks/benchmark.hpp"
#include "benchmarks/cells_in_cache.hpp"
#include "dendrite/step.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/goban.hpp"

namespace goban::benchmarks {
namespace {

/// A grid on which something grows.
struct Growth {
  Runtime runtime;
  Grid grid;
  dendrite::GrowthStep<float> step;
  Program program;
  Engine engine;
  StepClock clock{};

  Growth(Index3 cells, int threads, const dendrite::Model& model, double spacing, double dt)
      : runtime(settings(threads)),
        grid(runtime, {.cells = cells, .spacing = spacing, .boundary = model.boundary}),
        step(grid, model, dt),
        program(step.program()),
        engine(program) {
    engine.prepare();
  }
  static Settings settings(int threads) {
    Settings s;
    s.threads = threads;
    s.temporal_blocking = 0;
    return s;
  }
};

Benchmark growth_of(const dendrite::Model& model, Index3 cells, double spacing, int threads) {
  constexpr Index steps = 4;
  const Index3 few = dendrite::dimensions_of(cells) == 2 ? Index3{128, 8, 1} : Index3{128, 2, 2};
  const double dt = 0.8 * model.largest_stable_step(cells, spacing);
  const auto growth = std::make_shared<Growth>(cells, threads, model, spacing, dt);
  const auto small = std::make_shared<Growth>(few, 1, model, spacing, dt);
  const Stage& stage = *small->program.stages().front();
  std::vector<std::shared_ptr<CellsInCache>> blocks;
  for (int n = 0; n < growth->runtime.team().size(); ++n) {
    const auto& block = blocks.emplace_back(
        std::make_shared<CellsInCache>(small->program, few, CellsInCache::Ends::mirror));
    block->fill(small->step.phase);
    block->fill(small->step.other);
  }
  Benchmark b;
  b.bytes_per_update = 16;
  b.flops_per_update = stage.footprint.flops;
  b.updates = static_cast<double>(steps * product(cells));
  b.goban = [growth] { growth->engine.run(steps, growth->clock); };
  b.twin = [=] {
    const Index each = steps * product(cells) / static_cast<Index>(blocks.size());
    growth->runtime.team().run([&](int thread) {
      for (Index n = 0; n < each; n += product(few)) {
        blocks[static_cast<std::size_t>(thread)]->evaluate();
      }
    });
  };
  b.same_bits = [=, &stage] {
    small->engine.run(1, small->clock);
    blocks.front()->evaluate();
    return blocks.front()->holds(*stage.arguments[2].field, small->step.phase) &&
           blocks.front()->holds(*stage.arguments[3].field, small->step.other);
  };
  return b;
}

}  // namespace

/// A crystal in an alloy, in space.
Benchmark dendrite_alloy(Index cells, int threads) {
  constexpr double spacing = 1e-8;
  dendrite::Model model;
  model.alloy.composition = 3;
  model.alloy.undercooling = 14;
  model.alloy.kinetic_coefficient = 0.03;
  model.alloy.width = 4 * spacing;
  model.nuclei = {{.radius = 8 * spacing}};
  return growth_of(model, {cells, cells, cells}, spacing, threads);
}

/// A crystal in a pure melt, in a plane of as many cells as the cube.
Benchmark dendrite_melt(Index cells, int threads) {
  dendrite::Model model;
  model.formulation = dendrite::Formulation::thermal;
  model.thermal.coupling =
      dendrite::Thermal::coupling_without_kinetics(model.thermal.diffusivity, 1, 1);
  model.nuclei = {{.radius = 8}};
  return growth_of(model, {8 * cells, cells * cells / 8, 1}, 0.5, threads);
}

}  // namespace goban::benchmarks
