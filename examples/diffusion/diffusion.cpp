#include <goban/goban.hpp>

struct Diffuse {  // u' = u + r (sum of 6 neighbours - 6 u),  r = kappa dt / dx^2
  float r;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + r * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                      u(0, 0, -1) - 6.0f * u());
  }
};

int main(int argc, char** argv) {
  goban::Runtime runtime(argc, argv);
  goban::Grid grid(runtime, {.cells = {512, 512, 512}, .spacing = 1e-3});
  goban::Field<float> u(grid, "u"), next(grid, "next");
  u.fill([](goban::Position p) { return std::exp(-1e2 * dot(p, p)); });
  goban::Program step("diffusion");
  step.apply(Diffuse{0.1f}, in(u), out(next));
  step.swap(u, next);
  goban::Simulation simulation(grid, step, {.steps = 1000});
  simulation.output({u}, goban::every(500)).checkpoint(goban::minutes(5)).progress();
  return static_cast<int>(exit_code(simulation.run()));  // 75: stopped early, saved
}
