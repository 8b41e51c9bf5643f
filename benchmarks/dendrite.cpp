// Growth of dendrites, whose arithmetic is the ceiling rather than memory: in place of a twin the
// sweep's own kernel, on cells that stay in the first-level cache.

#include <algorithm>
#include <array>

#include "benchmarks/benchmark.hpp"
#include "dendrite/step.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/goban.hpp"

namespace goban::benchmarks {
namespace {

/// A few rows, the cells around them, and what a step makes of them.
class Block {
 public:
  explicit Block(const Stage& stage, Index3 cells)
      : functor_(stage.functor), kernel_(stage.kernels.in_cache), cells_(cells) {
    for (std::size_t n = 0; n < 4; ++n) {  // phase and other field, old and new
      auto* const cell = reinterpret_cast<std::byte*>(&values_[n][at(0, 0, 0)]);
      fields_[n].read = fields_[n].write = cell;
      fields_[n].stride = {1, pitch, plane};
      fields_[n].clip = Box{{0, 0, 0}, cells};
    }
  }
  Block(const Block&) = delete;

  /// Takes over what the fields hold, mirrored beyond their ends.
  void fill(const Field<float>& phase, const Field<float>& other) {
    const std::array<std::vector<float>, 2> old = {phase.copy_out(), other.copy_out()};
    const auto within = [](Index i, Index n) { return std::clamp<Index>(i, 0, n - 1); };
    for (Index k = -1; k <= cells_[2]; ++k) {
      for (Index j = -1; j <= cells_[1]; ++j) {
        for (Index i = -1; i <= cells_[0]; ++i) {
          const Index row = within(j, cells_[1]) + cells_[1] * within(k, cells_[2]);
          const auto from = static_cast<std::size_t>(within(i, cells_[0]) + cells_[0] * row);
          for (std::size_t n = 0; n < 2; ++n) values_[n][at(i, j, k)] = old[n][from];
        }
      }
    }
  }

  void evaluate() {
    SweepCall call;
    call.functor = functor_.get();
    call.fields = fields_.data();
    call.box = call.tile = Box{{0, 0, 0}, cells_};
    kernel_(call);
  }

  bool holds(const Field<float>& phase, const Field<float>& other) const {
    const std::array<std::vector<float>, 2> expected = {phase.copy_out(), other.copy_out()};
    std::size_t cell = 0;
    for (Index k = 0; k < cells_[2]; ++k) {
      for (Index j = 0; j < cells_[1]; ++j) {
        for (Index i = 0; i < cells_[0]; ++i, ++cell) {
          for (std::size_t n = 0; n < 2; ++n) {
            if (values_[2 + n][at(i, j, k)] != expected[n][cell]) return false;
          }
        }
      }
    }
    return true;
  }

 private:
  static constexpr Index pad = 16, pitch = 128 + 2 * pad, plane = 10 * pitch;
  static constexpr std::size_t at(Index i, Index j, Index k) {
    return static_cast<std::size_t>(i + pad + pitch * (j + 1) + plane * (k + 1));
  }

  std::shared_ptr<const void> functor_;
  SweepFunction kernel_;
  Index3 cells_;
  alignas(64) std::array<std::array<float, 4 * plane>, 4> values_{};
  std::array<FieldBinding, 4> fields_;
};

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
  const Stage& stage = *growth->program.stages().front();
  std::vector<std::shared_ptr<Block>> blocks;
  for (int n = 0; n < growth->runtime.team().size(); ++n) {
    blocks.push_back(std::make_shared<Block>(stage, few));
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
  b.same_bits = [=] {
    Growth small(few, 1, model, spacing, dt);
    for (const auto& block : blocks) block->fill(small.step.phase, small.step.other);
    small.engine.run(1, small.clock);
    blocks.front()->evaluate();
    return blocks.front()->holds(small.step.phase, small.step.other);
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
