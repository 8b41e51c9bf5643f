// div grad u = f in a cube with u = 0 on its faces, by multigrid: a cycle divides the residual by 8
// or so however fine the grid is, and the error falls with the square of the spacing.
#include <cstdio>
#include <goban/goban.hpp>
#include <numbers>

/// Largest error along a line after solving with so many cells along an axis.
double error_with(goban::Runtime& runtime, goban::Index cells) {
  const double h = 1.0 / static_cast<double>(cells), pi = std::numbers::pi;
  goban::Grid grid(
      runtime, {.cells = {cells, cells, cells}, .spacing = h, .boundary = goban::wall_value(0)});
  goban::Field<double> u(grid, "u"), f(grid, "f");
  const auto exact = [=](goban::Position p) {
    return std::sin(pi * p.x) * std::sin(pi * p.y) * std::sin(pi * p.z);
  };
  f.fill([=](goban::Position p) { return -3 * pi * pi * exact(p); });
  u.fill(0);

  goban::Multigrid<double> multigrid(u, f);
  goban::Program poisson("poisson");
  multigrid.add_solve(poisson, 1e-8, 20);
  goban::StepClock clock;
  goban::Engine(poisson).run(1, clock);

  double error = 0;
  for (goban::Index i = 0; i < cells; ++i) {
    const double at = (static_cast<double>(i) + 0.5) * h, middle = 0.5 * (1 + h);
    error =
        std::max(error, std::abs(u.get({i, cells / 2, cells / 2}) - exact({at, middle, middle})));
  }
  std::printf("%s: residual %.1e, error %.2e\n", multigrid.describe().c_str(),
              multigrid.residual().value(), error);
  return error;
}

int main(int argc, char** argv) {
  goban::Runtime runtime(argc, argv);
  const double coarse = error_with(runtime, 32), fine = error_with(runtime, 64);
  return std::abs(coarse / fine - 4) < 0.1 ? 0 : 1;
}
