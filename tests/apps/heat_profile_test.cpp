// Profiles as rows see them are what they are cell by cell.

#include <cmath>
#include <numbers>
#include <random>

#include "goban/cases/profile_rows.hpp"
#include "goban/io/image/image_source.hpp"
#include "heat/medium.hpp"
#include "tests/apps/heat_run.hpp"

namespace goban::heat::heat_profile_test {
namespace {

using Shape = Profile::Shape;
using std::numbers::pi;

constexpr Index3 cells = {23, 17, 13};

/// Spheres, cylinders and boxes anywhere, some of them far away, with ends on faces and centres of
/// cells.
std::vector<Profile> bodies(int count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-0.3, 1.3), radius(0.01, 0.4);
  std::vector<Profile> all;
  for (int n = 0; n < count; ++n) {
    Profile one;
    one.shape = n % 2 == 1 ? Shape::box : n % 4 == 0 ? Shape::sphere : Shape::cylinder;
    one.axis = all_axes[n / 4 % 3];
    one.amplitude = 1 + n;
    one.radius = radius(random);
    for (std::size_t a = 0; a < 3; ++a) {
      const double h = 1.0 / static_cast<double>(cells[a]);
      one.center[a] = n % 3 == 0 ? std::round(place(random) / h) * h : place(random);
      one.lower[a] = one.center[a] - (n % 5 == 0 ? 2 * h : one.radius);
      one.upper[a] = one.center[a] + (n % 5 == 0 ? 2.5 * h : one.radius);
    }
    if (n % 7 == 0) one.radius = 2.0 / static_cast<double>(cells[0]);
    all.push_back(one);
  }
  return all;
}

template <class Layout>
void expect_rows_are_cells(const std::vector<Profile>& profiles) {
  Runtime runtime;
  Grid grid(runtime, unit_cube(cells));
  Field<double, 1, Layout> expected(grid, "expected"), rows(grid, "rows");
  const auto by_rows = [&](auto&& set) {
    const ProfileRows all(profiles, Layout::order[0]);
    rows.fill([&](const CellRow& row, double* values) { set(all, row, values); });
    EXPECT_EQ(rows.copy_out(), expected.copy_out());
  };
  expected.fill([&](Position at) {
    double total = 0;
    for (const Profile& profile : profiles) total += profile.amplitude * profile.shape_at(at);
    return total;
  });
  by_rows([](const ProfileRows& all, const CellRow& row, double* values) { all.sum(row, values); });
  expected.fill([&](Position at) {
    double value = -1;
    for (const Profile& profile : profiles) {
      if (profile.shape_at(at) != 0) value = profile.amplitude;
    }
    return value;
  });
  by_rows([](const ProfileRows& all, const CellRow& row, double* values) {
    std::fill_n(values, row.count, -1.0);
    all.paint(row, values);
  });
}

TEST(HeatProfile, RowsOfFewAndOfManyBodiesAreTheirCells) {
  for (const int count : {1, 2, 5, 300}) {
    SCOPED_TRACE(count);
    expect_rows_are_cells<ijk>(bodies(count));
    expect_rows_are_cells<kij>(bodies(count));
  }
}

Profile mode(Real3 waves, std::array<bool, 3> is_cosine) {
  Profile profile;
  profile.shape = Shape::mode;
  profile.waves = waves;
  profile.is_cosine = is_cosine;
  return profile;
}

template <class Layout>
std::vector<double> initial(const Profile& profile) {
  Runtime runtime;
  Grid grid(runtime, unit_cube(cells));
  Field<double, 1, Layout> field(grid, "field");
  fill_with_sum(field, {profile, Profile{.shape = Shape::gaussian, .radius = 0.2}}, 3);
  return field.copy_out();
}

TEST(HeatProfile, RowsOfModesAndGaussiansAreTheirCells) {
  for (const Real3& waves : {Real3{0.5, 1, 2}, Real3{0, 1.5, 0}, Real3{0, 0, 0}}) {
    const Profile wave = mode(waves, {true, false, true});
    Runtime runtime;
    Grid grid(runtime, unit_cube(cells));
    Field<double> expected(grid, "expected");
    const Profile bump{.shape = Shape::gaussian, .radius = 0.2};
    expected.fill([&](Position at) { return (wave.shape_at(at) + bump.shape_at(at)) * 3; });
    EXPECT_EQ(initial<ijk>(wave), expected.copy_out());
    EXPECT_EQ(initial<kij>(wave), expected.copy_out());
  }
}

TEST(HeatProfile, ModesAreSinesOrCosinesOfAnyNumberOfPeriods) {
  const Profile wave = mode({0.5, 2, 0}, {true, false, false});
  EXPECT_DOUBLE_EQ(wave.shape_at({0.2, 0.3, 0.9}), std::cos(pi * 0.2) * std::sin(4 * pi * 0.3));
}

TEST(HeatProfile, HalfAPeriodOfACosineDecaysBetweenMirrors) {
  constexpr Index n = 32;
  constexpr double dt = 1e-4;
  constexpr Index steps = 200;
  Model model;
  model.boundary = mirror;
  model.initial = {mode({0.5, 0, 0}, {true, false, false})};
  const auto after =
      temperature_after<double>(steps, model, dt, unit_cube({n, 1, 1}, model.boundary));
  const double h = 1.0 / n;
  const double growth = 1 - dt * 4 / (h * h) * std::pow(std::sin(pi * h / 2), 2);
  for (Index i = 0; i < n; ++i) {
    const double start = std::cos(pi * (static_cast<double>(i) + 0.5) * h);
    EXPECT_NEAR(after[static_cast<std::size_t>(i)], start * std::pow(growth, steps), 1e-12);
  }
}

TEST(HeatProfile, ImagesAreMultipliedByTheirHeight) {
  Array numbers(ElementType::float32, cells);
  const auto values = numbers.as<float>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 31);
  Profile image;
  image.shape = Shape::image;
  image.amplitude = 2;
  image.image = image_in_memory(numbers);
  Runtime runtime(Settings{.patches = {1, 2, 2}});
  Grid grid(runtime, unit_cube(cells));
  Field<double> field(grid, "field");
  fill_with_sum(field, {image, Profile{.amplitude = 5}});
  const auto filled = field.copy_out();
  for (std::size_t i = 0; i < filled.size(); ++i) {
    ASSERT_EQ(filled[i], 2.0 * static_cast<double>(i % 31) + 5);
  }
}

}  // namespace
}  // namespace goban::heat::heat_profile_test
