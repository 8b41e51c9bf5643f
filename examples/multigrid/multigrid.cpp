// -Laplace u = f in a cube with u = 0 on its faces, by V-cycles over grids that are coarsened down
// to 2^3 cells. Three sweeps of Jacobi's method with Chebyshev weights before and after the coarser
// grids divide the residual by 8 or so, however fine the grid is.
#include <cstdio>
#include <goban/goban.hpp>
#include <memory>
#include <numbers>
#include <vector>

struct Smooth {  // u += weight (f + Laplace u)
  double weight, per_h2;
  GOBAN_FUNCTION void operator()(auto u, auto f, auto next) const {
    next = u() + weight * (f() + per_h2 * goban::laplacian<2>(u));
  }
};
struct Residual {
  double per_h2;
  GOBAN_FUNCTION void operator()(auto u, auto f, auto residual) const {
    residual = f() + per_h2 * goban::laplacian<2>(u);
  }
};
struct Restrict {  // what is missing, as seen by the coarser grid, where nothing is known yet
  static constexpr bool between_grids = true;
  GOBAN_FUNCTION void operator()(auto residual, auto f, auto u) const {
    f = goban::mean_of_parts(residual);
    u = 0.0;
  }
};
struct Correct {
  static constexpr bool between_grids = true;
  GOBAN_FUNCTION void operator()(auto site, auto correction, auto u) const {
    u += goban::interpolated(site, correction);
  }
};
struct Magnitude {
  double per_h2;
  GOBAN_FUNCTION auto operator()(auto u, auto f) const {
    return abs(f() + per_h2 * goban::laplacian<2>(u));
  }
};

struct Level {
  goban::Grid grid;
  goban::Field<double> u, next, f;
  double per_h2;

  Level(const goban::Grid& its, int number)
      : grid(its),
        u(grid, "u" + std::to_string(number)),
        next(grid, "next" + std::to_string(number)),
        f(grid, "f" + std::to_string(number)),
        per_h2(1 / (its.spacing()[0] * its.spacing()[0])) {}
};

void smooth(goban::Program& cycle, const Level& level) {
  constexpr int sweeps = 3;
  for (int j = 1; j <= sweeps; ++j) {
    const double angle = std::numbers::pi * (2 * j - 1) / (2 * sweeps);
    const double weight = 1 / (7.0 / 6 + 5.0 / 6 * std::cos(angle)) / (6 * level.per_h2);
    cycle.apply(Smooth{weight, level.per_h2}, in(level.u), in(level.f), out(level.next));
    cycle.swap(level.u, level.next);
  }
}

using Levels = std::vector<std::unique_ptr<Level>>;

void v_cycle(goban::Program& cycle, const Levels& levels, std::size_t l) {
  const Level& fine = *levels[l];
  smooth(cycle, fine);
  if (l + 1 < levels.size()) {
    const Level& coarse = *levels[l + 1];
    cycle.apply(Residual{fine.per_h2}, in(fine.u), in(fine.f), out(fine.next));
    cycle.apply(Restrict{}, in(fine.next), out(coarse.f), out(coarse.u));
    v_cycle(cycle, levels, l + 1);
    cycle.apply(Correct{}, goban::site, in(coarse.u), inout(fine.u));
  }
  smooth(cycle, fine);
}

struct Result {
  double factor, error;
};

/// Solves with so many cells along an axis.
Result solve(goban::Runtime& runtime, goban::Index cells) {
  goban::Grid grid(runtime, {.cells = {cells, cells, cells},
                             .spacing = 1.0 / static_cast<double>(cells),
                             .boundary = goban::wall_value(0)});
  Levels levels;
  for (int number = 0;; ++number) {
    levels.push_back(std::make_unique<Level>(grid, number));
    if (grid.cells()[0] == 2) break;
    grid = grid.coarsened({2, 2, 2});
  }
  Level& finest = *levels.front();
  const auto exact = [](goban::Position p) {
    const auto wave = [](double x) { return std::sin(std::numbers::pi * x); };
    return wave(p.x) * wave(p.y) * wave(p.z);
  };
  constexpr double pi2 = std::numbers::pi * std::numbers::pi;
  finest.f.fill([&](goban::Position p) { return 3 * pi2 * exact(p); });
  finest.u.fill([](goban::Index3 i) {
    return static_cast<double>((i[0] * 7 + i[1] * 13 + i[2] * 29) % 31) / 31;
  });

  goban::Parameter<double> residual("residual");
  goban::Program cycle("v-cycle"), check("check"), poisson("poisson");
  v_cycle(cycle, levels, 0);
  check.reduce(Magnitude{finest.per_h2}, in(finest.u), in(finest.f), goban::maximum,
               into(residual));
  poisson.until(residual < 1e-8, 1, 40, cycle, check);

  goban::StepClock clock;
  goban::Engine measure(cycle), look(check), rest(poisson);
  double before = 0;
  constexpr int cycles = 6;
  for (int n = 0; n <= cycles; ++n) {
    look.run(1, clock);
    if (n == 1) before = residual.value();
    if (n < cycles) measure.run(1, clock);
  }
  const double factor = std::pow(residual.value() / before, 1.0 / (cycles - 1));
  rest.run(1, clock);

  double error = 0;
  const double h = finest.grid.spacing()[0];
  for (goban::Index i = 0; i < cells; ++i) {
    const double at = (static_cast<double>(i) + 0.5) * h, middle = 0.5 * (1 + h);
    const double value = finest.u.get({i, cells / 2, cells / 2});
    error = std::max(error, std::abs(value - exact({at, middle, middle})));
  }
  return {factor, error};
}

int main(int argc, char** argv) {
  goban::Runtime runtime(argc, argv);
  bool is_fine = true;
  double last_error = 0;
  for (const goban::Index cells : {16, 32, 64}) {
    const Result result = solve(runtime, cells);
    std::printf("%3d^3 cells: residual times %.3f a cycle, error %.2e\n", static_cast<int>(cells),
                result.factor, result.error);
    is_fine = is_fine && result.factor < 0.15;
    if (last_error > 0) is_fine = is_fine && std::abs(last_error / result.error - 4) < 0.2;
    last_error = result.error;
  }
  return is_fine ? 0 : 1;
}
