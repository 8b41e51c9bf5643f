// div grad u = f in a closed box, from u = 0 to a residual of 1e-8, by multigrid.

#include "benchmarks/kernels.hpp"
#include "benchmarks/pair.hpp"
#include "benchmarks/twins/heat7.hpp"

namespace goban::benchmarks {
namespace {

struct Forget {
  GOBAN_FUNCTION void operator()(auto u) const { u = 0.0; }
};

struct Solve {
  static constexpr double tolerance = 1e-8;
  Runtime runtime;
  Grid grid;
  Field<double> u, f;
  Multigrid<double> multigrid;
  Index cycles = 0;
  std::unique_ptr<Engine> engine;
  StepClock clock{};

  Solve(Index3 cells, int threads)
      : runtime(settings(threads)),
        grid(runtime, {.cells = cells, .boundary = mirror}),
        u(grid, "u"),
        f(grid, "f"),
        multigrid(u, f) {
    u.fill(0);
    f.fill([](Index3 i) {
      return static_cast<double>((i[0] * 7 + i[1] * 13 + i[2] * 29) % 31) / 15 - 1;
    });
    Program balance("balance"), cycle("cycle"), program("solve");
    multigrid.add_balance(balance);
    multigrid.add_cycle(cycle);
    multigrid.add_residual(cycle);
    Engine(balance).run(1, clock);
    for (Engine one(cycle); cycles == 0 || multigrid.residual().value() >= tolerance; ++cycles) {
      one.run(1, clock);
    }
    program.apply(Forget{}, out(u));
    multigrid.add_solve(program, tolerance, 2 * cycles);
    engine = std::make_unique<Engine>(program);
    engine->prepare();
  }
  static Settings settings(int threads) {
    Settings s;
    s.threads = threads;
    return s;
  }
};

}  // namespace

/// The twin does the sweeps of the finest grid alone, six a cycle, by hand.
Benchmark poisson(Index cells, int threads) {
  const Index3 box{cells, cells, cells};
  const auto solve = std::make_shared<Solve>(box, threads);
  const auto pair = std::make_shared<Pair<double, 1, Heat7<double>>>(box, threads, 1, constant(1),
                                                                     Heat7<double>{0.1});
  const Index sweeps = 6 * solve->cycles;
  Benchmark b;
  b.bytes_per_update = 16.0 * static_cast<double>(sweeps);
  b.updates = static_cast<double>(product(box));
  b.goban = [solve] { solve->engine->run(1, solve->clock); };
  b.twin = [pair, sweeps] {
    pair->by_hand(sweeps, [](const double* u, double* next, Index, const twins::TwinGrid& g, int t,
                             int n) { twins::heat7(u, next, 0.1, g, t, n); });
  };
  b.same_bits = [solve] { return solve->multigrid.residual().value() < Solve::tolerance; };
  return b;
}

}  // namespace goban::benchmarks
