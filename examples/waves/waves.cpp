// A pulse of sound leaves a square through absorbing layers. What they throw back is the difference
// to a square so large that nothing comes back in time, as a share of what open edges throw back.
#include <cmath>
#include <cstdio>
#include <goban/goban.hpp>
#include <goban/stencil/absorbing_layer.hpp>

using goban::Axis, goban::Onto, goban::Side, goban::site;
constexpr float r = 0.5f;  // dt / h

struct Push {  // dv/dt = -grad p
  GOBAN_FUNCTION void operator()(auto p, auto vx, auto vy) const {
    vx += -r * goban::d<Axis::x, 2, Onto::face>(p);
    vy += -r * goban::d<Axis::y, 2, Onto::face>(p);
  }
};
struct Press {  // dp/dt = -div v
  GOBAN_FUNCTION void operator()(auto vx, auto vy, auto p) const {
    p += -r * (goban::d<Axis::x, 2, Onto::center>(vx) + goban::d<Axis::y, 2, Onto::center>(vy));
  }
};

enum class Layer { none, pml, sponge };
/// The pressure in 60 x 60 cells, around which there are `width` more, when the pulse has left.
std::vector<float> pressure(goban::Runtime& runtime, Layer layer, int width) {
  const goban::Index n = 60 + 2 * width;
  goban::Grid grid(runtime, {.cells = {n, n, 1}, .boundary = goban::constant(0)});
  goban::Field<float> p(grid, "p"), vx(grid, "vx", {goban::Location::face_x}),
      vy(grid, "vy", {goban::Location::face_y});
  goban::Field<float> v[] = {vx, vy}, memory_p[] = {{p, "memory px"}, {p, "memory py"}},
                      memory_v[] = {{vx, "memory vx"}, {vy, "memory vy"}};
  p.fill([at = static_cast<double>(n) / 2 + 3](goban::Position q) {
    return std::exp(-(std::pow(q.x - at, 2) + std::pow(q.y - at, 2)) / 18);
  });
  goban::Program step("waves");
  const auto each_side = [&](auto&& add) {  // a layer; the number of its axis is a constant
    goban::unroll<2>([&](auto a) {
      for (const Side side : goban::both_sides)
        add(a, side).over(goban::layer_box(grid, goban::all_axes[a], side, width));
    });
  };
  const auto match = [&](auto of_v) {
    each_side([&](auto a, Side side) {
      constexpr Axis axis = goban::all_axes[a];
      const auto pml = goban::PmlLayer<float>::of(grid, axis, side, {width, 1.0, r, 1e-4, 0.01});
      const goban::MatchDerivative<axis, of_v ? Onto::face : Onto::center, float> add{pml, -r};
      return of_v ? step.apply(add, inout(memory_v[a]), inout(v[a]), in(p), site)
                  : step.apply(add, inout(memory_p[a]), inout(p), in(v[a]), site);
    });
  };
  step.apply(Push{}, in(p), inout(vx), inout(vy));
  if (layer == Layer::pml) match(std::true_type());
  step.apply(Press{}, in(vx), in(vy), inout(p));
  if (layer == Layer::pml) match(std::false_type());
  if (layer == Layer::sponge) {
    each_side([&](auto a, Side side) {
      const auto depth = goban::LayerDepth<float>::of(grid, goban::all_axes[a], side, width);
      const goban::Damp<goban::all_axes[a], float> damp{depth, 0.015f * static_cast<float>(width)};
      return step.apply(damp, site, inout(p), inout(vx), inout(vy));
    });
  }
  goban::StepClock clock;
  goban::Engine(step).run(180, clock);
  return p.copy_out({{width, width, 0}, {n - width, n - width, 1}});
}

int main(int argc, char** argv) {
  goban::Runtime runtime(argc, argv);
  const auto free = pressure(runtime, Layer::none, 60);
  const auto thrown_back = [&](Layer layer, int width) {
    const auto p = pressure(runtime, layer, width);
    double sum = 0;
    for (std::size_t n = 0; n < p.size(); ++n) sum += std::pow(p[n] - free[n], 2);
    return std::sqrt(sum);
  };
  const double all = thrown_back(Layer::none, 0), pml = thrown_back(Layer::pml, 10) / all,
               sponge = thrown_back(Layer::sponge, 20) / all;
  std::printf("thrown back: %.1e by a C-PML of 10 cells, %.1e by a sponge of 20\n", pml, sponge);
  return pml < 2e-4 && sponge < 0.08 ? 0 : 1;
}
