// Memory of fields, for functions that work on it where it lies.

#include <dlfcn.h>

#include <set>
#include <tuple>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/grid/each_cell.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/several_settings.hpp"
#include "tests/error_text.hpp"

namespace goban::device_call_test {
namespace {

using test::error_of;
using test::pattern;
using test::Results;
using Diffuse = test::Diffusion<double>;

/// Copies on the device, in its stream, without waiting.
void copy_on_gpu(double* to, const double* from, Index count, void* stream) {
  using Copy = int (*)(unsigned long long, unsigned long long, std::size_t, void*);
  static const auto copy =
      reinterpret_cast<Copy>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemcpyAsync"));
  const auto address = [](auto* p) { return reinterpret_cast<std::uintptr_t>(p); };
  ASSERT_EQ(copy(address(to), address(from), static_cast<std::size_t>(count) * 8, stream), 0);
}

/// The values of one field, row by row, where they are, become those of another.
struct CopyRows {
  void operator()(DeviceView<const double> from, DeviceView<double> to) const {
    EXPECT_EQ(from.box, to.box);
    EXPECT_EQ(from.stride[0], 1);
    Box rows = from.box;
    rows.upper[0] = rows.lower[0] + 1;
    for (int c = 0; c < from.components; ++c) {
      each_cell(rows, [&](Index3 at) {
        if (from.gpu >= 0) {
          return copy_on_gpu(&to.at(at, c), &from.at(at, c), from.box.extent(0), to.stream);
        }
        std::copy_n(&from.at(at, c), from.box.extent(0), &to.at(at, c));
      });
    }
  }
};

TEST(DeviceCall, IsInOrderWithTheProgram) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = periodic});
    Field<double> u(grid, "u"), next(grid, "next"), other(grid, "other");
    u.fill(pattern);
    Program step("step"), twice("twice");
    step.apply(Diffuse{}, in(u), out(next));
    step.call_on_device(CopyRows{}, std::tie(next), std::tie(other));
    step.apply(Diffuse{0.05}, in(other), out(u));  // at neighbours, whose ghosts are made anew
    twice.repeat(2, step);
    StepClock clock;
    Engine(twice).run(3, clock);
    EXPECT_EQ(clock.step, 3);
    return Results{{"u", u.checksum()}, {"other", other.checksum()}};
  };
  test::expect_same_bits(run, test::several().all());
}

TEST(DeviceCall, ViewsAreOfAllValuesOnce) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = mirror});
    Field<float, 2> f(grid, "f", {.location = Location::face_y});
    f.fill([](Index3 at, int c) { return static_cast<float>(pattern(at) + c); });
    const Field<float, 2>& seen = f;
    const std::vector<float> values = f.copy_out();
    const Box all = grid.state()->box(Location::face_y);
    const Domain& domain = domain_of(*grid.state());
    Index count = 0;
    for (int p = 0; p < static_cast<int>(domain.patches().of_grid(0).size()); ++p) {
      const DeviceView<const float> view = seen.device_view(p);
      count += view.box.volume();
      EXPECT_EQ(view.components, 2);
      each_cell(view.box, [&](Index3 at) {
        const Index place = at[0] + all.extent(0) * (at[1] + all.extent(1) * at[2]) + all.volume();
        if (view.gpu < 0) {
          EXPECT_EQ(view.at(at, 1), values[static_cast<std::size_t>(place)]);
        }
      });
    }
    if (domain.grid().context->communicator()->size() == 1) {
      EXPECT_EQ(count, all.volume());
    }
    return Results{{"f", f.checksum()}};
  };
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"", "6,7", "5,4"}};
  product.backends = {Backend::cpu, Backend::emulated};
  test::expect_same_bits(run, product.all());
}

/// The field is sent where goban does not see it: the ghosts that there are would be stale.
TEST(DeviceCall, WhatAViewWritesReachesGhosts) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = periodic});
    Field<double> u(grid, "u"), next(grid, "next"), doubled(grid, "doubled");
    u.fill(pattern);
    doubled.fill([](Index3 at) { return 2 * pattern(at); });
    Program step("step");
    step.apply(Diffuse{}, in(u), out(next));
    Engine engine(step);
    StepClock clock;
    engine.run(1, clock);
    const Domain& domain = domain_of(*grid.state());
    const Field<double>& source = doubled;
    for (int p = 0; p < static_cast<int>(domain.patches().of_grid(0).size()); ++p) {
      CopyRows{}(source.device_view(p), u.device_view(p));
    }
    engine.run(1, clock);
    return Results{{"next", next.checksum()}};
  };
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"", "6,7", "5,4"}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.cpu_joins_gpus = false;
  std::vector<Settings> all = product.all();
  Results first;
  for (const Settings& settings : all) {
    const Results found = run(settings);
    if (first.empty()) first = found;
    EXPECT_EQ(found, first) << test::options_of(settings);
  }
}

TEST(DeviceCall, RefusesWhatHasNoSuchMemory) {
  Runtime runtime(test::plain_schedule());
  Grid grid(runtime, {.cells = {8, 8, 8}}), other(runtime, {.cells = {8, 8, 8}});
  Field<InPlace<float>, 19> f(grid, "f");
  Field<double> u(grid, "u"), v(other, "v");
  Program step("step");
  EXPECT_NE(error_of([&] { f.device_view(); }).find("stored in place"), std::string::npos);
  EXPECT_NE(error_of([&] { u.device_view(1); }).find("this process has 1"), std::string::npos);
  const auto both = [](auto, auto) {};
  EXPECT_NE(error_of([&] {
              step.call_on_device(both, std::tie(u), std::tie(v));
            }).find("of different grids"),
            std::string::npos);
}

}  // namespace
}  // namespace goban::device_call_test
