#pragma once
// Small vessels for tests.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "blood/step.hpp"
#include "goban/geometry/center_lines.hpp"
#include "goban/geometry/vector.hpp"
#include "goban/goban.hpp"

namespace goban::blood {

enum class Cells { active, all };

/// A grid of a vessel's cells alone, or of all of its box.
inline GridOptions grid_of(GridOptions options, const Vessel& vessel, Cells which) {
  if (which == Cells::all) return options;
  options.active = std::make_shared<const ActiveCells>(vessel.fluid);
  return options;
}

/// A vessel ready to run, in lattice units.
template <class T>
class SmallVessel {
 public:
  SmallVessel(const Model& model, const GridOptions& options, std::shared_ptr<const Vessel> vessel,
              const Settings& settings = {}, Cells which = Cells::all)
      : runtime_(settings),
        grid_(runtime_, grid_of(options, *vessel, which)),
        step(grid_, model, std::move(vessel)),
        engine_(step.program()),
        observation_(step.observation()),
        balance_(step.balance()) {}

  void run(Index steps) { engine_.run(steps, clock_); }
  void observe() { once(observation_); }
  void sum_up() { once(balance_); }

 private:
  void once(Engine& engine) {
    StepClock now;
    engine.run(1, now);
  }
  Runtime runtime_;
  Grid grid_;

 public:
  VesselStep<T> step;

 private:
  Engine engine_, observation_, balance_;
  StepClock clock_;
};

/// What lies where `distance` is negative in a periodic box, with its wall where it is 0; parts of
/// links by bisection.
inline std::shared_ptr<const Vessel> periodic_vessel(
    Index3 cells, const std::function<double(const Real3&)>& distance, bool half_way = false) {
  using namespace vectors;
  auto vessel = std::make_shared<Vessel>(Vessel{ActiveCells(cells), {}});
  const CellPlace place{{0, 0, 0}, 1, cells};
  Index3 cell;
  for (cell[2] = 0; cell[2] < cells[2]; ++cell[2]) {
    for (cell[1] = 0; cell[1] < cells[1]; ++cell[1]) {
      for (cell[0] = 0; cell[0] < cells[0]; ++cell[0]) {
        if (distance(place.center(cell)) < 0) vessel->fluid.add(cell);
      }
    }
  }
  vessel->fluid.sort();
  vessel->fluid.each([&](Index3 here, Index) {
    RimCell rim{here};
    bool is_inner = true;
    for (std::size_t q = 0; q < 18; ++q) {
      const Index3 link = face_and_edge_links[q];
      const Real3 along = {double(link[0]), double(link[1]), double(link[2])};
      if (distance(place.center(here) + along) < 0) continue;
      double low = 0, high = 1;
      for (int n = 0; n < 50; ++n) {
        const double middle = (low + high) / 2;
        (distance(place.center(here) + middle * along) < 0 ? low : high) = middle;
      }
      rim.parts[q] = half_way ? 0.5f : std::max(static_cast<float>(low), 1e-6f);
      is_inner = false;
    }
    if (is_inner) return;
    const double d = -distance(place.center(here)), e = 1e-4;
    for (std::size_t a = 0; a < 3; ++a) {
      Real3 ahead = place.center(here);
      ahead[a] += e;
      rim.to_wall[a] = d * (distance(ahead) + d) / e;
    }
    vessel->rim.push_back(rim);
  });
  return vessel;
}

}  // namespace goban::blood
