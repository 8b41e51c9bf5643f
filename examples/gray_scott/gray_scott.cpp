// Gray and Scott's reaction in a dish: u is fed, v eats it and dies, both spread; spots grow and
// divide. Two fields, one functor, a picture and a series of numbers.
#include <cstdio>
#include <goban/goban.hpp>

struct React {
  float feed, kill, spread_u, spread_v;  // a step; the spacing is 1
  GOBAN_FUNCTION void operator()(auto u, auto v, auto u_next, auto v_next) const {
    const auto eaten = u() * v() * v();
    u_next = u() + spread_u * goban::laplacian<2>(u) - eaten + feed * (1.0f - u());
    v_next = v() + spread_v * goban::laplacian<2>(v) + eaten - (feed + kill) * v();
  }
};

int main(int argc, char** argv) {
  goban::Runtime runtime(argc, argv);
  goban::Grid grid(runtime, {.cells = {160, 128, 1}});
  goban::Field<float> u(grid, "u"), v(grid, "v"), u_next(grid, "u_next"), v_next(grid, "v_next");
  const auto is_in_the_middle = [](goban::Index3 cell) {
    return std::abs(cell[0] - 80) < 8 && std::abs(cell[1] - 64) < 8;
  };
  u.fill([&](goban::Index3 cell) { return is_in_the_middle(cell) ? 0.5 : 1.0; });
  v.fill([&](goban::Index3 cell) { return is_in_the_middle(cell) ? 0.25 : 0.0; });
  const double before = v.sum();

  goban::Program step("gray_scott");
  step.apply(React{0.035f, 0.065f, 0.16f, 0.08f}, in(u), in(v), out(u_next), out(v_next));
  step.swap(u, u_next);
  step.swap(v, v_next);
  goban::Simulation simulation(grid, step, {.steps = 6000});
  simulation.picture(v, {.axis = goban::Axis::z}, goban::every(2000));
  simulation.series("amounts", {sum_of(u), sum_of(v)}, goban::every(100));
  simulation.run();

  const double grown = v.sum() / before;
  std::printf("v has grown %.1f times; u is %.3f to %.3f\n", grown, u.minimum(), u.maximum());
  return grown > 3 && u.minimum() > 0 && u.maximum() < 1.001 ? 0 : 1;
}
