// Heat in thin layers: cells are a hundred times wider than high, so that steps along z are
// implicit, a tridiagonal system for every column, and explicit across.
#include <cstdio>
#include <goban/goban.hpp>
#include <numbers>

struct Conduct {  // (1 - r d_z^2) T' = T + q (d_x^2 + d_y^2) T;  nothing passes the ends of a
                  // column
  double r, q;
  int layers;
  // From the lowest layer up: T'_k = s1 + s0 T'_{k+1}.
  GOBAN_FUNCTION void forward(auto site, auto t, auto, auto s) const {
    const auto k = site.index(goban::Axis::z);
    const auto below = select(k == 0, 0.0, r), above = select(k == layers - 1, 0.0, r);
    const auto across = t(1, 0, 0) + t(-1, 0, 0) + t(0, 1, 0) + t(0, -1, 0) - 4 * t();
    const auto m = 1 / (1 + below + above - below * s[0].before());
    s[0] = above * m;
    s[1] = (t() + q * across + below * s[1].before()) * m;
  }
  // And back: before() is now the layer above.
  GOBAN_FUNCTION void backward(auto, auto, auto next, auto s) const {
    s[1] = s[1]() + s[0]() * s[1].before();
    next = s[1]();
  }
};

int main(int argc, char** argv) {
  constexpr int layers = 40, steps = 30;
  constexpr double r = 25, q = 0.0025;  // explicit steps along z would need r < 1/2
  goban::Runtime runtime(argc, argv);
  goban::Grid grid(runtime, {.cells = {64, 24, layers},
                             .spacing = {100, 100, 1},
                             .boundary = {goban::periodic, goban::periodic, goban::mirror}});
  goban::Field<double> t(grid, "temperature"), next(grid, "next");
  const auto wave = [](goban::Index3 p) {
    return std::cos(2 * std::numbers::pi * static_cast<double>(p[0]) / 64) *
           std::cos(std::numbers::pi * (static_cast<double>(p[2]) + 0.5) / layers);
  };
  t.fill(wave);

  goban::Program step("conduct");
  step.columns(goban::Axis::z, Conduct{r, q, layers}, goban::site, in(t), out(next),
               goban::scratch<double, 2>);
  step.swap(t, next);
  goban::Simulation simulation(grid, step, {.steps = steps});
  simulation.run();

  // The wave keeps its shape: a step divides it by 1 + 4 r sin^2(pi / 2 n).
  const double across = 2 - 2 * std::cos(2 * std::numbers::pi / 64);
  const double sine = std::sin(std::numbers::pi / (2 * layers));
  const double factor = (1 - q * across) / (1 + 4 * r * sine * sine);
  const double exact = std::pow(factor, steps) * wave({5, 0, 3});
  std::printf("after %d steps: %.15f, exactly %.15f\n", steps, t.get({5, 11, 3}), exact);
  return std::abs(t.get({5, 11, 3}) - exact) < 1e-12 ? 0 : 1;
}
