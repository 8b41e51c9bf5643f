// Gray and Scott's reaction in space, the functor of examples/gray_scott: two fields that depend on
// each other; the twin is its kernel on cells in cache.

#include "benchmarks/benchmark.hpp"
#include "benchmarks/cells_in_cache.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/goban.hpp"

namespace goban::benchmarks {
namespace {

struct React {
  float feed, kill, spread_u, spread_v;  // a step; the spacing is 1
  GOBAN_FUNCTION void operator()(auto u, auto v, auto u_next, auto v_next) const {
    const auto eaten = u() * v() * v();
    u_next = u() + spread_u * laplacian<2>(u) - eaten + feed * (1.0f - u());
    v_next = v() + spread_v * laplacian<2>(v) + eaten - (feed + kill) * v();
  }
};

/// A periodic box in which it goes on everywhere.
struct Dish {
  Runtime runtime;
  Grid grid;
  Field<float> u, v, u_next, v_next;
  Program program{"gray_scott"};
  std::unique_ptr<Engine> engine;
  StepClock clock{};

  Dish(Index3 cells, int threads)
      : runtime(settings(threads)),
        grid(runtime, {.cells = cells, .boundary = periodic}),
        u(grid, "u"),
        v(grid, "v"),
        u_next(grid, "u_next"),
        v_next(grid, "v_next") {
    const auto uneven = [](Index3 i) {
      return 0.01 * static_cast<double>((i[0] * 7 + i[1] * 13 + i[2] * 29) % 31);
    };
    u.fill([&](Index3 i) { return 0.5 + uneven(i); });
    v.fill([&](Index3 i) { return 0.2 + uneven(i); });
    program.apply(React{0.035f, 0.065f, 0.1f, 0.05f}, in(u), in(v), out(u_next), out(v_next));
    program.swap(u, u_next);
    program.swap(v, v_next);
    engine = std::make_unique<Engine>(program);
    engine->prepare();
  }
  static Settings settings(int threads) {
    Settings s;
    s.threads = threads;
    s.temporal_blocking = 0;
    return s;
  }
};

}  // namespace

Benchmark gray_scott(Index cells, int threads) {
  constexpr Index steps = 4;
  const Index3 few{128, 4, 4};
  const auto dish = std::make_shared<Dish>(Index3{cells, cells, cells}, threads);
  const auto small = std::make_shared<Dish>(few, 1);
  std::vector<std::shared_ptr<CellsInCache>> in_cache;
  for (int n = 0; n < dish->runtime.team().size(); ++n) {
    const auto& made = in_cache.emplace_back(
        std::make_shared<CellsInCache>(small->program, few, CellsInCache::Ends::periodic));
    made->fill(small->u);
    made->fill(small->v);
  }
  const Stage& stage = *small->program.stages().front();
  Benchmark b;
  b.bytes_per_update = 16;
  b.flops_per_update = stage.footprint.flops;
  b.updates = static_cast<double>(steps * product(dish->grid.cells()));
  b.goban = [dish] { dish->engine->run(steps, dish->clock); };
  b.twin = [=] {
    const Index each = steps * product(dish->grid.cells()) / static_cast<Index>(in_cache.size());
    dish->runtime.team().run([&](int thread) {
      for (Index n = 0; n < each; n += product(few)) {
        in_cache[static_cast<std::size_t>(thread)]->evaluate();
      }
    });
  };
  b.same_bits = [=, &stage] {
    small->engine->run(1, small->clock);
    in_cache.front()->evaluate();
    return in_cache.front()->holds(*stage.arguments[2].field, small->u) &&
           in_cache.front()->holds(*stage.arguments[3].field, small->v);
  };
  return b;
}

}  // namespace goban::benchmarks
