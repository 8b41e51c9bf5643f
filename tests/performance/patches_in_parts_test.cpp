// What patches in parts cost beside their cells: sectors, cells around them, launches, copies.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/performance/paper_heat.hpp"

namespace goban::patches_in_parts_test {
namespace {

using test::bytes;
using test::decimal_machine;
using test::Diffuse;
using test::Heat;
using test::on_paper;

/// Bytes of a row's cells as memory moves them, in sectors of 32 bytes.
double sectors(double begin, double end) {
  return 32 * (std::ceil(end / 8) - std::floor(begin / 8));
}

TEST(PatchesInParts, RowsOfWideHalosAreReadAndWrittenInWholeSectors) {
  MachineRates machine = decimal_machine(true);
  machine.devices_per_node = 1;
  const Heat heat({64, 64, 256}, BoundarySet{periodic});
  const double read = sectors(-1, 65), whole_row = sectors(0, 64);
  const double patch = (66 * 130 * read + 64 * 128 * whole_row) / (64 * 64 * 128);
  // One more cell on every side: its rows fill neither their first sector nor their last, which
  // are read before they are written.
  const double wide = 68 * 132 * sectors(-2, 66) + 66 * 130 * (sectors(-1, 65) + 2 * 32);
  const double cells = 64 * 64 * 128;
  const double seconds = bytes / 1e11 * (cells + wide / patch) / 2;
  const ScalingPoint two = heat.with(machine, 2, {.steps_per_exchange = 2});
  EXPECT_EQ(two.pieces, (Index3{1, 1, 2}));
  EXPECT_NEAR(two.step.busy.bytes / seconds, 1, 1e-9);
}

TEST(PatchesInParts, ThinSweepsReadWhatLiesAroundThem) {
  MachineRates machine = decimal_machine(true);
  const Heat heat({64, 64, 256}, BoundarySet{constant(0)});
  const double row = sectors(-1, 65), whole_row = sectors(0, 64);
  const auto moved = [&](double planes) {
    return 66 * (planes + 2) * row + 64 * planes * whole_row;
  };
  machine.devices_per_node = 2;
  const ScalingPoint two = heat.with(machine, 2, {.overlap = Overlap::one_kernel});
  const double seconds = bytes / 1e11 * 64 * 64 * 128 * (moved(127) + moved(1)) / moved(128);
  EXPECT_NEAR(two.step.busy.bytes / seconds, 1, 1e-9);
}

TEST(PatchesInParts, CopiesOfManyPiecesTakeSeveralLaunches) {
  test::NoStore context(on_paper());
  Grid grid(context, {.cells = {64, 64, 64}, .boundary = BoundarySet{periodic}});
  Field<float, 3> u(grid, "u"), next(grid, "next");
  Program step("step");
  step.apply(
      [](auto from, auto to) {
        unroll<3>([&](auto q) { to[q] = from[q](1, 1, 1) + from[q](-1, -1, -1); });
      },
      in(u), out(next));
  step.swap(u, next);
  const Engine engine(step);
  MachineRates machine = decimal_machine(true);
  const auto halo = [&] {
    return predict_strategies({engine.straight_runs(), machine}, 1).front().step.busy.halo;
  };
  machine.device.launch = 1e-6;
  const double before = halo();
  machine.device.launch = 1e-3;
  // Sides, edges and corners of three components: 78, of which the sweep stores 18.
  EXPECT_NEAR(halo() - before, 2 * (1e-3 - 1e-6), 1e-9);
}

TEST(PatchesInParts, CopiesAtTheEndsOfRowsTakeAsLongAsFills) {
  MachineRates machine = decimal_machine(true);
  machine.devices_per_node = 2;
  const Heat heat({64, 64, 256}, BoundarySet{periodic});
  const auto halo = [&](Overlap overlap) {
    return heat.with(machine, 2, {.overlap = overlap}).step.busy.halo;
  };
  const double sent = halo(Overlap::none), copied = halo(Overlap::one_kernel);
  machine.device.gather = 1e-6;
  machine.device.gather_row = 1;  // whole sectors are written
  EXPECT_NEAR(halo(Overlap::none), sent, 1e-9) << "by the sweep, which has them at hand";
  EXPECT_NEAR(halo(Overlap::one_kernel) - copied, 1e-6 * 2 * 64 * 128, 1e-9);
}

TEST(PatchesInParts, LargeSweepsOfABundleAreLaunchedAlone) {
  MachineRates machine = decimal_machine(true);
  machine.device.launch = 1e-3;
  const auto launches = [&](Index edge) {
    Heat heat({edge, edge, 64});
    Program step("halves");
    step.apply(Diffuse{}, in(heat.u), out(heat.next)).over({{0, 0, 0}, {edge, edge, 32}});
    step.apply(Diffuse{}, in(heat.u), out(heat.next)).over({{0, 0, 32}, {edge, edge, 64}});
    const Engine engine(step);
    const auto points = predict_strategies({engine.straight_runs(), machine}, 1);
    return points.front().step.busy.launch / machine.device.launch;
  };
  EXPECT_NEAR(launches(64), 1, 1e-9);
  EXPECT_NEAR(launches(128), 2, 1e-9);
}

TEST(PatchesInParts, WhatIsUpdatedInPlaceIsOneStream) {
  test::NoStore context(on_paper());
  Grid grid(context, {.cells = {64, 64, 64}, .boundary = BoundarySet{constant(0)}});
  Field<float, 3> u(grid, "u");
  Field<float> by(grid, "by");
  Program step("step");
  step.apply(
      [](auto factor, auto all) { unroll<3>([&](auto q) { all[q] = all[q]() * factor(); }); },
      in(by), inout(u));
  const Engine engine(step);
  MachineRates machine = decimal_machine(true);
  machine.device.levels = {{.capacity = 1, .bandwidth = 1e11}, {.bandwidth = 1e11}};
  const auto seconds = [&] {
    return predict_strategies({engine.straight_runs(), machine}, 1).front().step.busy.bytes;
  };
  const double before = seconds();
  machine.device.streams = 1e10;
  EXPECT_NEAR((seconds() - before) / (64 * 64 * 64 * (3 + 1 - 2) / 1e10), 1, 1e-9);
}

}  // namespace
}  // namespace goban::patches_in_parts_test
