// The direct solver in the memory of a device: it finds what the host's finds, and says when it
// cannot.

#include <gmock/gmock.h>

#include "goban/checkpoint/content.hpp"
#include "goban/solver/fourier.hpp"
#include "tests/error_text.hpp"
#include "tests/gpu.hpp"
#include "tests/solver/poisson.hpp"

namespace goban::device_fourier_test {
namespace {

using test::error_of;
using test::mixed_sides;
using test::Poisson;
using test::run_once;
using testing::HasSubstr;
using Transforms = FourierTransforms;

Settings on(Backend backend) {
  Settings settings = test::plain_schedule();
  settings.backend = backend;
  if (backend == Backend::cuda) settings.devices = {0};
  return settings;
}

template <class T>
std::vector<double> solution(const Settings& settings, const GridOptions& grid,
                             Transforms transforms, std::string* description = nullptr) {
  Poisson<T> p(settings, grid);
  Program program("program");
  const Fourier<T> fourier(p.u, p.f, {.transforms = transforms});
  fourier.add_solve(program);
  run_once(program);
  if (description) *description = fourier.describe();
  const std::vector<T> u = p.u.copy_out();
  return {u.begin(), u.end()};
}

double largest(const std::vector<double>& u) {
  return test::largest_difference(u, std::vector<double>(u.size()));
}

/// Calls visit(grid) for sides of all kinds along all axes, with numbers of cells in turn.
template <class Visit>
void visit_problems(const Visit& visit) {
  using Sides = std::array<BoundaryCondition, 2>;
  const Sides kinds[] = {{periodic, periodic},
                         {mirror, gradient(0.5)},
                         {wall_value(1), wall_value(-2)},
                         {gradient(-1), wall_value(3)},
                         {wall_value(0.5), mirror}};
  const Index3 numbers[] = {{6, 5, 7}, {5, 6, 8}, {8, 7, 9}, {1, 1, 9},
                            {7, 8, 1}, {1, 4, 1}, {3, 1, 2}};
  std::size_t n = 0;
  for (const Sides& x : kinds) {
    for (const Sides& y : kinds) {
      for (const Sides& z : kinds) {
        GridOptions grid{.cells = numbers[n++ % std::size(numbers)], .spacing = {0.5, 1, 0.25}};
        grid.boundary.sides = {x, y, z};
        visit(grid);
      }
    }
  }
}

std::string text_of(const GridOptions& grid) {
  std::string text;
  for (const auto& sides : grid.boundary.sides) {
    for (const auto& side : sides) text += std::to_string(static_cast<int>(side.kind));
  }
  for (const Index n : grid.cells) text += " " + std::to_string(n);
  return text;
}

template <class T>
void expect_the_solutions_of_the_host(Backend backend, Transforms transforms, double tolerance) {
  const Settings host = test::plain_schedule(), device = on(backend);
  visit_problems([&](const GridOptions& grid) {
    const std::vector<double> expected = solution<T>(host, grid, Transforms::host);
    EXPECT_LT(test::largest_difference(solution<T>(device, grid, transforms), expected),
              tolerance * largest(expected))
        << text_of(grid);
  });
}

TEST(DeviceFourier, HasTheSolutionsOfTheHost) {
  expect_the_solutions_of_the_host<double>(Backend::emulated, Transforms::device, 1e-12);
}

TEST(DeviceFourier, HasTheSolutionsOfTheHostInSinglePrecision) {
  expect_the_solutions_of_the_host<float>(Backend::emulated, Transforms::device, 1e-5);
}

TEST(DeviceFourier, IsChosenWhereOneGpuComputesAllAndNowhereElse) {
  const GridOptions grid{.cells = {12, 10, 14}, .boundary = mixed_sides()};
  Settings cut = on(Backend::emulated);
  cut.patches = {2, 1, 1};
  std::string text;
  solution<double>(on(Backend::cpu), grid, Transforms::automatic, &text);
  EXPECT_EQ(text, "by FFTW on the host (no GPU computes)");
  solution<double>(cut, grid, Transforms::automatic, &text);
  EXPECT_EQ(text, "by FFTW on the host (2 patches share the grid)");
  solution<double>(on(Backend::emulated), grid, Transforms::device, &text);
  EXPECT_EQ(text, "by their definition on emulated device 0");
  EXPECT_THAT(error_of([&] { solution<double>(cut, grid, Transforms::device); }),
              HasSubstr("no Fourier transforms on a GPU for 'u' (2 patches share the grid)"));
}

/// What checkpoints of a program hold of its solver.
CheckpointArray choice_in(const Program& program) {
  return program.stages().front()->function.target<StatefulCall>()->arrays().front();
}

TEST(DeviceFourier, GoesOnAsItBegan) {
  const GridOptions grid{.cells = {12, 10, 14}, .boundary = mixed_sides()};
  Poisson<double> first(on(Backend::emulated), grid), next(on(Backend::cpu), grid);
  Program device("device"), automatic("automatic"), host("host");
  Fourier<double>(first.u, first.f, {.transforms = Transforms::device}).add_solve(device);
  Fourier<double>(next.u, next.f).add_solve(automatic);
  Fourier<double>(next.u, next.f, {.transforms = Transforms::host}).add_solve(host);
  run_once(device);
  const Box one{{0, 0, 0}, {1, 1, 1}};
  std::uint8_t choice = 0;
  choice_in(device).copy_out(one, &choice);
  EXPECT_EQ(choice, static_cast<std::uint8_t>(Transforms::device));
  for (const Program* program : {&automatic, &host}) choice_in(*program).copy_in(one, &choice);
  EXPECT_THAT(
      error_of([&] { run_once(automatic); }),
      HasSubstr("(no GPU computes; the run began with them); go on with one GPU, or choose"));
  run_once(host);
}

TEST(DeviceFourier, SolvesOnAGpu) {
  if (!test::has_gpu()) GTEST_SKIP() << "there is no GPU";
  std::string text;
  solution<double>(on(Backend::cuda), {.cells = {64, 32, 16}, .boundary = mixed_sides()},
                   Transforms::device, &text);
  EXPECT_THAT(text, HasSubstr("by cuFFT"));
  expect_the_solutions_of_the_host<double>(Backend::cuda, Transforms::device, 1e-12);
  expect_the_solutions_of_the_host<float>(Backend::cuda, Transforms::automatic, 1e-5);
  for (const Index3& cells : {Index3{256, 128, 65}, {61, 97, 130}}) {
    for (const BoundarySet& sides : {BoundarySet(mirror), BoundarySet(periodic), mixed_sides()}) {
      const GridOptions grid{.cells = cells, .spacing = 0.1, .boundary = sides};
      const std::vector<double> expected =
          solution<double>(test::plain_schedule(), grid, Transforms::host);
      EXPECT_LT(test::largest_difference(
                    solution<double>(on(Backend::cuda), grid, Transforms::automatic), expected),
                1e-11 * largest(expected))
          << text_of(grid);
    }
  }
}

}  // namespace
}  // namespace goban::device_fourier_test
