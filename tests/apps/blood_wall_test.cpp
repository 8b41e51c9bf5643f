// Flows between walls that lie anywhere, known exactly.

#include "tests/apps/blood_run.hpp"

namespace goban::blood::blood_wall_test {
namespace {

using namespace vectors;

struct Errors {
  double velocity = 0;  ///< L2, relative
  double shear = 0;     ///< of the wall, L2, relative
  double worst_shear = 0;
};

/// A pipe along the diagonal of a periodic box, 2 to 1, driven by a force along itself.
Errors pipe_errors(double radius, double tau, double reynolds, Index steps, bool half_way = false) {
  const auto width = static_cast<Index>(2 * radius + 4);
  const auto length = 2 * static_cast<Index>(std::ceil((2 * radius + 4) / 0.894));
  const Index3 cells = {length, length / 2, width};
  const Real3 along = direction({2, 1, 0});
  const Real3 start = {0.3, 0.1, width / 2.0 + 0.2};
  const auto distance = [=](const Real3& p) {
    double least = 1e9;
    for (int image = -2; image <= 2; ++image) {
      const Real3 offset = p - start - Real3{0, image * length / 2.0, 0};
      const double y = dot(offset, along);
      least = std::min(least, std::sqrt(std::max(0.0, dot(offset, offset) - y * y)));
    }
    return least - radius;
  };
  Model model;
  model.density_unit = 1;
  model.tau = tau;
  const double nu = model.viscosity(), largest = reynolds * nu / radius;  // Re of mean and diameter
  const double gradient = 4 * nu * largest / (radius * radius);
  model.force = {gradient * along[0], gradient * along[1], 0.0};
  SmallVessel<double> vessel(model, {.cells = cells}, periodic_vessel(cells, distance, half_way));
  vessel.run(steps);
  vessel.observe();
  Errors errors;
  double square = 0, norm_square = 0, shear_square = 0;
  Index count = 0;
  const auto u = vessel.step.velocity.copy_out(), w = vessel.step.wall_shear_stress.copy_out();
  const auto normal = vessel.step.to_wall.copy_out();
  const std::size_t all = u.size() / 3;
  const CellPlace place{{0, 0, 0}, 1, cells};
  std::size_t n = 0;
  const double exact_shear = gradient * radius / 2;
  for (Index k = 0; k < cells[2]; ++k) {
    for (Index j = 0; j < cells[1]; ++j) {
      for (Index i = 0; i < cells[0]; ++i, ++n) {
        const double d = distance(place.center({i, j, k}));
        if (d >= 0) continue;
        const double r = d + radius, exact = largest * (1 - r * r / (radius * radius));
        const Real3 found = {u[n], u[all + n], u[2 * all + n]};
        const Real3 off = found - exact * along;
        square += dot(off, off);
        norm_square += exact * exact;
        if (normal[n] == 0 && normal[all + n] == 0 && normal[2 * all + n] == 0) continue;
        const Real3 shear = Real3{w[n], w[all + n], w[2 * all + n]} - exact_shear * along;
        shear_square += dot(shear, shear);
        errors.worst_shear = std::max(errors.worst_shear, norm(shear) / exact_shear);
        ++count;
      }
    }
  }
  errors.velocity = std::sqrt(square / norm_square);
  errors.shear = std::sqrt(shear_square / static_cast<double>(count)) / exact_shear;
  return errors;
}

Index settled(double radius, double tau) {
  return static_cast<Index>(7 * radius * radius / (5.78 * (tau - 0.5) / 3));
}

TEST(BloodWall, TiltedPipe_IsOfSecondOrder) {
  for (const double tau : {0.6, 1.0}) {
    const double coarse = pipe_errors(4, tau, 1, settled(4, tau)).velocity,
                 fine = pipe_errors(8, tau, 1, settled(8, tau)).velocity;
    EXPECT_LE(fine, 0.01) << tau;
    EXPECT_GE(std::log2(coarse / fine), 1.8) << tau;
  }
}

/// What a closed sphere gains of mass while a force makes its fluid slosh, over all of its mass.
double mass_gained(bool half_way) {
  const Index3 cells = {13, 13, 13};
  const auto distance = [](const Real3& at) { return norm(at - Real3{6.6, 6.4, 6.5}) - 5; };
  Model model;
  model.density_unit = 1;
  model.tau = 0.6;
  model.force = {1e-3, 5e-4, 0.0};
  const auto sphere = periodic_vessel(cells, distance, half_way);
  SmallVessel<double> vessel(model, {.cells = cells}, sphere);
  vessel.run(200);
  vessel.sum_up();
  return vessel.step.mass.value() / static_cast<double>(sphere->fluid.size());
}

TEST(BloodWall, ClosedVesselsKeepTheirMass) {
  EXPECT_NEAR(mass_gained(true), 0, 1e-16);
  EXPECT_NEAR(mass_gained(false), 0, 1e-3);
}

TEST(BloodWall, TiltedPipe_ShearsItsWall) {
  const Errors errors = pipe_errors(8, 1.0, 1, settled(8, 1.0));
  EXPECT_LE(errors.shear, 0.025);
  EXPECT_LE(errors.worst_shear, 0.05);
}

TEST(BloodWall, WallsHalfWay_AreOfFirstOrder) {
  EXPECT_GE(pipe_errors(8, 1.0, 1, settled(8, 1.0), true).velocity, 0.03);
}

}  // namespace
}  // namespace goban::blood::blood_wall_test
