#pragma once
// Heat conduction without a case file: models, settings and short runs for the tests.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "goban/goban.hpp"
#include "heat/step.hpp"

namespace goban::heat {

/// Patches of the acceptance list; the last are of different sizes.
inline std::vector<Settings> decompositions(Index3 cells) {
  const auto cut = [](Index n, Index pieces) {
    std::string text;
    for (Index i = 0; i + 1 < pieces; ++i) text += std::to_string(n / pieces - 1) + ",";
    return text + std::to_string(n - (pieces - 1) * (n / pieces - 1));
  };
  std::vector<Settings> all(4);
  all[0].patches = {1, 1, 1};
  all[1].patches = {2, 1, 1};
  all[2].patches = {1, 2, 2};
  all[3].cuts = {cut(cells[0], 3), cut(cells[1], 2), ""};
  for (auto& settings : all) settings.threads = 2;
  return all;
}

/// One period of a sine along every axis of the unit cube.
inline Model periodic_mode(Real3 waves = {1, 1, 1}) {
  Model model;
  Profile mode;
  mode.shape = Profile::Shape::mode;
  mode.waves = waves;
  model.initial = {mode};
  return model;
}

/// The unit cube.
inline GridOptions unit_cube(Index3 cells, const BoundarySet& boundary = periodic) {
  const auto n = [&](int a) {
    return 1.0 / static_cast<double>(cells[static_cast<std::size_t>(a)]);
  };
  return {.cells = cells, .spacing = {n(0), n(1), n(2)}, .boundary = boundary};
}

/// Temperature after some steps, x fastest.
template <class T, class Layout = ijk>
std::vector<T> temperature_after(Index steps, const Model& model, double dt,
                                 const GridOptions& options, const Settings& settings = {}) {
  Runtime runtime(settings);
  Grid grid(runtime, options);
  ExplicitStep<T, Layout> step(grid, model, dt);
  StepClock clock;
  Engine(step.program()).run(steps, clock);
  return step.u.copy_out();
}

}  // namespace goban::heat
