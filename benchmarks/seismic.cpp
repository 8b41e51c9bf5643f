// Elastic waves in space: two sweeps a step over fifteen components.

#include "seismic/step.hpp"

#include <cmath>

#include "benchmarks/benchmark.hpp"
#include "benchmarks/cells_in_cache.hpp"
#include "goban/backend/cpu/thread_team.hpp"

namespace goban::benchmarks {
namespace {

seismic::Model plane_wave(int order) {
  seismic::Model model;
  model.order = order;
  model.medium.layers.front().rock = {.vp = std::sqrt(3.0), .vs = 1, .density = 1};
  model.start = seismic::PlaneWave{
      .kind = seismic::PlaneWave::Kind::s, .waves = {1, 1, 1}, .direction = {0, 0, 1}};
  return model;
}

/// A periodic box with an S wave in it.
struct Waves {
  Runtime runtime;
  Grid grid;
  seismic::WaveStep<3, float> step;
  Program program;
  Engine engine;
  StepClock clock{};

  Waves(Index3 cells, int threads, const seismic::Model& model, double dt)
      : runtime(settings(threads)),
        grid(runtime, {.cells = cells, .boundary = periodic}),
        step(grid, model, model.medium.layers.front().rock.vp, dt),
        program(step.program()),
        engine(program) {
    engine.prepare();
  }
  static Settings settings(int threads) {
    Settings s;
    s.threads = threads;
    return s;
  }

  template <class Visit>
  void each_field(const Visit& visit) const {
    for (const auto& field : step.velocity) visit(field);
    visit(step.normal);
    for (const auto& field : step.shear) visit(field);
  }
};

/// Returns the bytes of a step in which every array is read once and what is updated written once.
double bytes_of(const Program& program) {
  double bytes = 0;
  for (const auto& stage : program.stages()) {
    for (const StageArgument& argument : stage->arguments) {
      const double once = static_cast<double>(argument.field->element_size()) *
                          static_cast<double>(argument.field->components);
      bytes += argument.access == Access::inout ? 2 * once : once;
    }
  }
  return bytes;
}

}  // namespace

Benchmark seismic_waves(Index cells, int threads, int order) {
  constexpr Index steps = 4;
  const Index3 box{cells, cells, cells}, few{order == 8 ? 64 : 128, 4, 4};
  const seismic::Model model = plane_wave(order);
  const double dt =
      0.9 * seismic::largest_stable_step(model.medium.layers.front().rock.vp, model, {1, 1, 1});
  const auto waves = std::make_shared<Waves>(box, threads, model, dt);
  const auto small = std::make_shared<Waves>(few, 1, model, dt);
  std::vector<std::shared_ptr<CellsInCache>> in_cache;
  for (int n = 0; n < waves->runtime.team().size(); ++n) {
    const auto& made = in_cache.emplace_back(std::make_shared<CellsInCache>(
        small->program, few, CellsInCache::Ends::periodic, order / 2));
    small->each_field([&](const auto& field) { made->fill(field); });
    for (const auto* rock : {&small->step.density, &small->step.lambda, &small->step.compliance}) {
      made->fill(*rock);
    }
  }
  Benchmark b;
  b.bytes_per_update = bytes_of(waves->program);
  for (const auto& stage : waves->program.stages()) b.flops_per_update += stage->footprint.flops;
  b.updates = static_cast<double>(steps * product(box));
  b.goban = [waves] { waves->engine.run(steps, waves->clock); };
  b.twin = [=] {
    const Index each = steps * product(box) / static_cast<Index>(in_cache.size());
    waves->runtime.team().run([&](int thread) {
      CellsInCache& mine = *in_cache[static_cast<std::size_t>(thread)];
      for (Index n = 0; n < each; n += product(few)) mine.evaluate();
    });
  };
  b.same_bits = [=] {
    small->engine.run(1, small->clock);
    in_cache.front()->step();
    bool is_equal = true;
    small->each_field([&](const auto& field) {
      is_equal = is_equal && in_cache.front()->holds(*field.record(), field);
    });
    return is_equal;
  };
  return b;
}

}  // namespace goban::benchmarks
