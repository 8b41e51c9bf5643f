// What grids of active cells refuse: every row of docs/limits.md.

#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/error_text.hpp"
#include "tests/limits_table.hpp"
#include "tests/sparse/porous.hpp"

namespace goban::list_limits_test {
namespace {

GridOptions pores(const BoundarySet& boundary = mirror) {
  return {.cells = {9, 10, 11}, .boundary = boundary, .active = test::is_pore};
}

/// Returns why a program over two fields is refused.
template <class Add>
std::string refused(const Add& add, const Settings& settings = {},
                    const BoundarySet& boundary = mirror) {
  Runtime runtime(settings);
  Grid grid(runtime, pores(boundary));
  Field<float> u(grid, "u"), v(grid, "v");
  Field<std::uint8_t> mask(grid, "mask");
  return test::error_of([&] {
    Program step("step");
    add(step, u, v, mask);
    Engine engine(step);
    engine.prepare();
  });
}

std::string of_plan() {
  const auto diffuse = [](Program& step, auto& u, auto& v, auto&) {
    step.apply(test::Diffusion<float>{}, in(u), out(v));
    step.swap(u, v);
  };
  Settings overlap;
  overlap.overlap = Overlap::two_kernel;
  Settings recompute;
  recompute.recompute = true;
  EXPECT_NE(refused(diffuse, overlap), "");
  return refused(diffuse, recompute);
}

std::string of_rounding() {
  Settings settings;
  settings.halo_precision = HaloPrecision::single;
  return refused(
      [](Program& step, auto& u, auto& v, auto&) {
        step.apply(test::Diffusion<float>{}, in(u), out(v));
        step.swap(u, v);
      },
      settings);
}

std::string of_places() {
  Runtime runtime(Settings{});
  Grid grid(runtime, pores());
  EXPECT_NE(test::error_of([&] { Field<InPlace<float>, 19>(grid, "f"); }), "");
  EXPECT_NE(test::error_of([&] { Field<float>(grid, "f", {.location = Location::face_x}); }), "");
  return test::error_of([&] { Field<float, 1, kij>(grid, "f"); });
}

struct Columns {
  GOBAN_FUNCTION void forward(auto u, auto v) const { v = u(); }
};

std::string of_boxes() {
  Runtime runtime(Settings{});
  Grid grid(runtime, pores());
  Field<float> u(grid, "u");
  EXPECT_NE(test::error_of([&] { static_cast<void>(grid.coarsened({1, 2, 1})); }), "");
  Program step("step");
  step.apply([](auto u) { u = u() + 1.0f; }, inout(u));
  SimulationOptions options;
  options.steps = 1;
  Simulation simulation(grid, step, options);
  EXPECT_NE(test::error_of([&] { simulation.statistics(u, every(1)); }), "");
  EXPECT_NE(test::error_of([&] { simulation.averages("means", {u}, {}, every(1)); }), "");
  return refused([](Program& step, auto& u, auto& v, auto&) {
    step.columns(Axis::z, Columns{}, in(u), out(v));
  });
}

std::string of_noise() {
  return refused([](Program& step, auto& u, auto&, auto&) {
    step.apply([](auto site, auto u) { u = site.template random<float>(); }, site, inout(u));
  });
}

std::string of_fused() {
  return refused([](Program& step, auto& u, auto& v, auto&) {
    Grid grid(v.grid());
    Intermediate<float> w(grid, "w");
    step.fuse(
        [](auto u, auto w, auto v) {
          return stages(stage([](auto u, auto w) { w = 2.0f * u(); }, in(u), out(w)),
                        stage([](auto w, auto v) { v = w(1, 0, 0); }, in(w), out(v)));
        },
        u, w, v);
  });
}

std::string of_masks() {
  return refused([](Program& step, auto& u, auto&, auto& mask) {
    step.apply([](auto u) { u = 1.0f * u(); }, inout(u)).over({{0, 0, 0}, {2, 2, 2}}).where(mask);
  });
}

std::string of_conditions() {
  return refused([](Program& step, auto& u, auto& v,
                    auto&) { step.apply(test::Diffusion<float>{}, in(u), out(v)); },
                 {}, constant([](double time) { return time; }));
}

TEST(ListLimits, EveryRowIsRefusedInOneLine) {
  test::expect_refusals(
      "Active cells", test::LimitsOf::all_devices,
      {{"several steps per exchange, `recompute`, passes through cache, the overlap `two-kernel`",
        of_plan},
       {"fields stored in place, values on faces, edges or nodes, the layout `kij`", of_places},
       {"coarser grids, columns, samples, statistics, averages over planes", of_boxes},
       {"random numbers", of_noise},
       {"functors that are fused and read each other at neighbours", of_fused},
       {"a stage with a region and a mask", of_masks},
       {"halos that are rounded on their way", of_rounding},
       {"conditions that are custom or vary", of_conditions}});
}

}  // namespace
}  // namespace goban::list_limits_test
