// Tables of neighbours: what they say, what they take, kernels that read them.

#include "goban/domain/engine/list_table.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "goban/backend/cpu/kernel_shape.hpp"
#include "goban/backend/kernels/list_table.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "goban/grid/list_neighbors.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/sparse/lattice.hpp"
#include "tests/sparse/porous.hpp"

namespace goban::list_table_test {
namespace {

using device::list_group, device::list_runs;

bool is_anywhere(Index3) { return true; }

const ListOffsets& offsets_of_d3q19() {
  static const ListOffsets all = [] {
    ListOffsets offsets;
    for (int z = -1; z <= 1; ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          const int steps = std::abs(x) + std::abs(y) + std::abs(z);
          if (steps == 1 || steps == 2) offsets.push_back({x, y, z});
        }
      }
    }
    return offsets;
  }();
  return all;
}

/// A grid that is cut into patches, and its tables.
struct Tables {
  Tables(Index3 box, const BoundarySet& boundary, bool (*is_active)(Index3), Index patches,
         const ListOffsets& offsets)
      : runtime(settings(patches)),
        grid(runtime, {.cells = box, .boundary = boundary, .active = is_active}),
        field(grid, "u"),
        domain(domain_of(*grid.state())) {
    domain.list_ghosts(*grid.state(), list_reach(offsets));
    for (const auto& patch : domain.patches()) {
      tables.push_back(list_table(*grid.state(), *domain.patches().lists(0), patch, offsets,
                                  domain.executor(patch.patch)));
    }
  }
  static Settings settings(Index patches) {
    Settings all;
    all.patches = {patches, 1, 1};
    return all;
  }

  Runtime runtime;
  Grid grid;
  Field<float> field;
  Domain& domain;
  std::vector<std::vector<std::int32_t>> tables;
};

std::int32_t number_in(const std::vector<std::int32_t>& table, Index cell, std::size_t offset,
                       std::size_t offsets) {
  device::ListEntry entry;
  const auto* const group =
      table.data() + cell / list_group * device::list_stride(static_cast<int>(offsets));
  std::memcpy(entry.first, group + list_runs * offset, sizeof(entry.first));
  std::memcpy(entry.masks, group + list_runs * offsets + 2 * offset, sizeof(entry.masks));
  return neighbor_of(entry, table.data(), static_cast<int>(cell % list_group));
}

TEST(ListTable, SaysWhereNeighborsLie) {
  ListOffsets offsets = offsets_of_d3q19();
  offsets.push_back({3, -2, 0});
  for (bool (*const is_active)(Index3) : {is_anywhere, test::is_pore}) {
    for (const Index patches : {1, 3}) {
      Tables all({19, 18, 11}, {periodic, mirror, constant(1)}, is_active, patches, offsets);
      const GridState& grid = *all.grid.state();
      std::size_t at = 0;
      for (const auto& patch : all.domain.patches()) {
        const auto& table = all.tables[at++];
        for (Index n = patch.owned.lower[0]; n < patch.owned.upper[0]; ++n) {
          ListNeighbors neighbors(grid, grid.list->tile_of(n));
          for (std::size_t o = 0; o < offsets.size(); ++o) {
            const ListNeighbor there = neighbors.at((*grid.list)[n], offsets[o]);
            ASSERT_EQ(number_in(table, n - patch.owned.lower[0], o, offsets.size()),
                      there.number < 0
                          ? list_wall(there.face)
                          : all.domain.patches().lists(0)->local(patch.patch, there.number));
          }
        }
      }
    }
  }
}

TEST(ListTable, OfAWholeBoxTakesTwoFifthsOfWhatNumbersDo) {
  const Index3 box{48, 48, 48};
  const Tables all(box, periodic, is_anywhere, 1, offsets_of_d3q19());
  const auto bytes = static_cast<double>(all.tables[0].size() * sizeof(std::int32_t));
  EXPECT_LT(bytes / static_cast<double>(product(box)), 0.4 * 18 * 4);
}

/// Populations that stream along the axes and relax a little.
template <class T>
struct Stream {
  T rate;
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    next[0] = f[0]();
    for (int q = 1; q < 7; ++q) {
      const auto& c = test::D3Q19::c[q];
      const auto arrived = f[q](-c[0], -c[1], -c[2]);
      next[q] = arrived + rate * (f[0]() - arrived);
    }
  }
};

template <class Stored, class T>
std::vector<Stored> flow(const Settings& settings, bool (*is_active)(Index3)) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {19, 18, 11},
                      .boundary = {periodic, bounce_back, bounce_back},
                      .active = is_active});
  Field<Stored, 7> f(grid, "f"), next(grid, "next");
  f.inactive(bounce_back).fill([](Index3 i, int q) { return test::pattern(i) / (q + 1); });
  next.inactive(bounce_back);
  Program step("step");
  step.apply(Stream<T>{T(0.25)}, in(f), out(next));
  step.swap(f, next);
  Engine engine(step);
  StepClock clock;
  engine.run(3, clock);
  return f.active_values();
}

/// Kernels are compiled for one set of instructions again when this ends.
struct KeepsInstructions {
  std::string name = target_instructions().name;
  ~KeepsInstructions() { compile_for(name); }
};

TEST(ListTable, KernelsOfAllInstructionsReadIt) {
  const KeepsInstructions keeps;
  for (bool (*const is_active)(Index3) : {is_anywhere, test::is_pore}) {
    const auto results = [&](const Settings& settings) {
      return std::tuple(flow<float, float>(settings, is_active),
                        flow<half, float>(settings, is_active),
                        flow<double, double>(settings, is_active));
    };
    Settings settings;
    settings.backend = Backend::reference;
    const auto expected = results(settings);
    settings.backend = Backend::cpu;
    settings.kernels = KernelMode::evaluate;
    EXPECT_EQ(results(settings), expected);
    settings.kernels = KernelMode::wait;
    for (const char* const name : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
      compile_for(name);
      if (can_run(target_instructions())) {
        EXPECT_EQ(results(settings), expected) << name;
      }
    }
  }
}

}  // namespace
}  // namespace goban::list_table_test
