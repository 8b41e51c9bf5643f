// Predicted times of programs whose costs can be told by hand.

#include "goban/performance/model/step_prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "goban/performance/predict/growth.hpp"
#include "goban/performance/predict/scaling.hpp"
#include "tests/domain/decomposition/no_store.hpp"
#include "tests/performance/paper_heat.hpp"

namespace goban::step_prediction_test {
namespace {

using test::bytes;
using test::decimal_machine;
using test::Diffuse;
using test::flops;
using test::Heat;
using test::on_paper;

TEST(StepPredictions, OfOneDeviceAreTheRoofline) {
  MachineRates machine = decimal_machine(false);
  const double cells = 40 * 50 * 60;
  const Heat heat({40, 50, 60});
  const double seconds = cells * (flops / 1e12 + bytes / 1e11);
  EXPECT_NEAR(heat.with(machine, 1, {}).step.seconds / seconds, 1, 1e-9);
  machine.device.launch = 1e-3;
  EXPECT_NEAR(heat.with(machine, 1, {}).step.seconds / (seconds + 1e-3), 1, 1e-9);
  EXPECT_EQ(heat.with(machine, 1, {}).limit(), "launches");
  machine.device.launch = 0;
  machine.device.row = 40 * (flops / 1e12 + bytes / 1e11);  // as much again for every row
  EXPECT_NEAR(heat.with(machine, 1, {}).step.seconds / (2 * seconds), 1, 1e-9);
  EXPECT_EQ(heat.with(machine, 1, {}).limit(), "arithmetic");
  machine.device.row = 0;
  EXPECT_EQ(heat.with(machine, 1, {}).limit(), "memory");
  machine.device.operations = {1e9, 1e9, 1e9};
  EXPECT_EQ(heat.with(machine, 1, {}).limit(), "arithmetic");
}

TEST(StepPredictions, OperationsAndBytesMayTakeTimeAtOnce) {
  MachineRates machine = decimal_machine(false);
  machine.device.overlap_exponent = 2;
  const Heat heat({40, 50, 60});
  const double cells = 40 * 50 * 60;
  EXPECT_NEAR(
      heat.with(machine, 1, {}).step.seconds / (cells * std::hypot(flops / 1e12, bytes / 1e11)), 1,
      1e-9);
}

TEST(StepPredictions, ReadsAroundACellHaveARateOfTheirOwn) {
  MachineRates machine = decimal_machine(false);
  machine.device.reads[0] = 1e11;
  const Heat heat({40, 50, 60});
  const double cells = 40 * 50 * 60;
  EXPECT_NEAR(
      heat.with(machine, 1, {}).step.seconds / (cells * (flops / 1e12 + 8 / 1e11 + bytes / 1e11)),
      1, 1e-9);  // six, of which two straddle lines
}

TEST(StepPredictions, WhatIsAtHandAndManyFieldsHaveRatesOfTheirOwn) {
  Heat heat({40, 50, 60});
  const double cells = 40 * 50 * 60;
  MachineRates machine = decimal_machine(false);
  machine.device.blocking_efficiency = 1e-2;  // no passes
  const double before = heat.with(machine, 1, {}).step.seconds;
  machine.device.moves[0] = 1e11;
  EXPECT_NEAR((heat.with(machine, 1, {}).step.seconds - before) / (cells * 2 / 1e11), 1, 1e-9);
  machine.device.streams = 1e9;  // two fields are not more than two
  EXPECT_NEAR((heat.with(machine, 1, {}).step.seconds - before) / (cells * 2 / 1e11), 1, 1e-9);
  Field<float, 3> v(heat.grid, "v");
  Program step("three");
  step.apply(
      [](auto three, auto sum) {
        sum = three[std::integral_constant<int, 0>{}]() +
              three[std::integral_constant<int, 1>{}]() + three[std::integral_constant<int, 2>{}]();
      },
      in(v), out(heat.u));
  const auto seconds = [&] {
    return predict_strategies({Engine(step).straight_runs(), machine}, 1).front().step.seconds;
  };
  const double with_streams = seconds();
  machine.device.streams = 0;
  EXPECT_NEAR((with_streams - seconds()) / (cells * 2 / 1e9), 1, 1e-6);  // of four values
}

TEST(StepPredictions, ThreadsBeyondTheEndsOfRowsDoNothing) {
  DeviceRates device;
  EXPECT_EQ(device.lanes(640), 1);
  device.is_gpu = true;
  EXPECT_EQ(device.lanes(100), 1);
  EXPECT_EQ(device.lanes(512), 1);
  EXPECT_EQ(device.lanes(640), 0.625);
  EXPECT_EQ(device.lanes(1536), 1);
}

TEST(StepPredictions, SweepsOfDevicesSendTheirHalos) {
  const Heat heat({64, 64, 64}, BoundarySet{periodic});
  MachineRates machine = decimal_machine(true);
  const double before = heat.with(machine, 1, {}).step.seconds;
  machine.device.plane_sends = 1e-6;  // of rows and planes
  EXPECT_NEAR(heat.with(machine, 1, {}).step.seconds - before, 4 * 64 * 64 * 1e-6, 1e-9);
}

TEST(StepPredictions, PassesOfDevicesSendTheirHalos) {
  const Heat heat({64, 64, 64}, BoundarySet{periodic});
  const StepPlan plan{.steps_per_exchange = 4, .steps_per_pass = 4};
  MachineRates machine = decimal_machine(true);
  machine.device.launch = 1e-3;  // also of whatever copies
  const StepPrediction none = heat.with(machine, 1, plan).step;
  EXPECT_NEAR(none.busy.launch, 1e-3 / 4, 1e-9);
  EXPECT_NEAR(none.busy.halo, 1e-3 / 4, 1e-5) << "one launch copies what is no whole plane";
  machine.device.plane_sends = 1e-6;
  EXPECT_NEAR(heat.with(machine, 1, plan).step.busy.halo - none.busy.halo,
              (2 * 72 * 72 + 2 * 64 * 72) * 1e-6, 1e-9);
}

TEST(StepPredictions, PassesOfDevicesTakeTheirPlanes) {
  // Three tiles of rows, blocks of 16 planes, eight to begin with.
  EXPECT_EQ(planes_of_pass({64, 64, 64}, 4, 4, 132), 24);
  // Five by ten tiles of rows of 2 KiB, and blocks that end within one.
  EXPECT_EQ(planes_of_pass({512, 256, 100}, 4, 4, 100), 50 + 8);
  EXPECT_EQ(planes_of_pass({512, 256, 100}, 4, 4, 132), 38 + 16);
  const Heat heat({64, 64, 64});
  MachineRates machine = decimal_machine(true);
  machine.device.multiprocessors = 132;
  machine.device.pass_plane = 1e-3;
  const StepPlan plan{.steps_per_exchange = 4, .steps_per_pass = 4};
  EXPECT_NEAR(heat.with(machine, 1, plan).step.seconds, 24e-3, 1e-5);
}

TEST(StepPredictions, DataInCacheIsReadAtTheRateOfTheCache) {
  MachineRates machine = decimal_machine(false);
  const Heat heat({40, 50, 60});
  const double slow = heat.with(machine, 1, {}).step.busy.bytes;
  machine.device.levels.insert(machine.device.levels.begin(), {8.0 * 40 * 50 * 60, 1e12});
  EXPECT_NEAR(slow / heat.with(machine, 1, {}).step.busy.bytes, 10, 1e-9);
}

TEST(StepPredictions, WithoutCachesEveryReadComesFromMemory) {
  MachineRates machine = decimal_machine(true);
  machine.device.caches_planes = false;
  const Heat heat({64, 64, 64});
  const double cells = 64 * 64 * 64;
  EXPECT_NEAR(heat.with(machine, 1, {}).step.busy.bytes / (cells * 4 * (7 + 1) / 1e11), 1, 1e-9);
  for (const ScalingPoint& point : predict_strategies({heat.runs(), machine}, 1)) {
    EXPECT_EQ(point.plan.steps_per_pass, 1);  // nothing holds planes between steps
  }
}

TEST(StepPredictions, MessagesAreThoseOfTheMiddle) {
  const MachineRates machine = decimal_machine(false);  // a process a device
  const Heat heat({40, 50, 60});
  // Three pieces along z: the middle one sends two planes and waits for two.
  const ScalingPoint three = heat.with(machine, 3, {});
  EXPECT_EQ(three.pieces, (Index3{1, 1, 3}));
  const double plane = 4.0 * 40 * 50 / 1e9;
  EXPECT_NEAR(three.step.busy.message / (2 * plane), 1, 1e-9);
  const double computes = 40 * 50 * 20 * (flops / 1e12 + bytes / 1e11);
  EXPECT_NEAR(three.step.seconds, computes + 2 * plane, 0.1 * plane);
  // Two at a time are as many bytes, and latencies half as often.
  MachineRates far = machine;
  far.network.latency = 1e-2;
  EXPECT_NEAR(heat.with(far, 3, {}).step.seconds /
                  heat.with(far, 3, {.steps_per_exchange = 2}).step.seconds,
              2, 0.05);
  EXPECT_EQ(heat.best(far, 3).plan.steps_per_exchange, 16);  // of those that a patch has room for
  EXPECT_EQ(heat.best(far, 3).limit(), "halos");
}

TEST(StepPredictions, OverlapHidesMessagesBehindTheInside) {
  MachineRates machine = decimal_machine(true);  // queues
  machine.devices_per_node = 1;
  const Heat heat({200, 200, 200});
  const double threads = machine.device.lanes(4 * 200), plane = 4.0 * 200 * 200 / 1e9;
  // Two outer sweeps, of a layer each, read the two beside it again.
  const double again = 2 * 2 * 4.0 * 200 * 100;
  const double computes = 8e6 / 4 * (flops / threads / 1e12 + bytes / 1e11) + again / 1e11;
  machine.network.bytes_per_second = 4e9;  // two planes take less than the sweep
  const double in_turn = heat.with(machine, 4, {}).step.seconds;
  const double hidden = heat.with(machine, 4, {.overlap = Overlap::one_kernel}).step.seconds;
  EXPECT_GT(in_turn, computes + 0.2 * plane);
  EXPECT_NEAR(hidden / computes, 1, 0.06);  // what is packed is not hidden
  EXPECT_LT(hidden, in_turn);
  machine.network.bytes_per_second = 1e8;  // and now they take much more
  const ScalingPoint slow = heat.with(machine, 4, {.overlap = Overlap::one_kernel});
  EXPECT_GT(slow.step.seconds, 10 * plane);
  EXPECT_LT(slow.step.seconds, heat.with(machine, 4, {}).step.seconds);
}

TEST(StepPredictions, DevicesOfAProcessStoreIntoEachOther) {
  MachineRates machine = decimal_machine(true);
  machine.devices_per_node = 4;
  const Heat heat({64, 64, 256});
  const ScalingPoint one = heat.with(machine, 1, {}), four = heat.with(machine, 4, {});
  EXPECT_EQ(four.nodes, 1);
  EXPECT_EQ(four.step.busy.message, 0);
  const double stored = 2 * 4.0 * 64 * 64 / 1e9;  // by a device in the middle
  EXPECT_NEAR(four.step.seconds, one.step.seconds / 4 + stored, 0.15 * stored);
}

TEST(StepPredictions, HalosOfGpusOnSeveralNodesAreCopiedToTheHostAndBack) {
  MachineRates machine = decimal_machine(true);
  machine.devices_per_node = 1;
  machine.network = {1e-6, 1e9};
  machine.host_copy = {0, 1e10};
  machine.nccl = {};  // by way of the host
  const Heat heat({64, 64, 256});
  const CommandCost busy = heat.with(machine, 4, {}).step.busy;
  const double bytes = 2 * 4.0 * 64 * 64;  // of a device in the middle
  EXPECT_NEAR(busy.message, 2e-6 + bytes / 1e9, 1e-12);
  EXPECT_NEAR(busy.copy, 2 * bytes / 1e10, 1e-12);
}

TEST(StepPredictions, NoOverlapIsFasterThanItsSweeps) {
  const Heat heat({512, 512, 512});
  const MachineRates& machine = test::shipped_machine("h200");
  const double one = heat.with(machine, 1, {}).step.computes();
  for (const Overlap overlap : {Overlap::none, Overlap::one_kernel, Overlap::two_kernel}) {
    EXPECT_GT(2 * heat.with(machine, 2, {.overlap = overlap}).step.seconds, 0.99 * one);
  }
}

TEST(StepPredictions, WeakScalingKeepsWhatADeviceHas) {
  const MachineRates machine = test::shipped_machine("h200");
  const Heat heat({512, 512, 512});
  for (const Index devices : {1, 2, 8, 64, 1024}) {
    Index3 cells = growth(devices, {true, true, true});
    for (int a = 0; a < 3; ++a) cells[a] *= 512;
    const ScalingPoint point = Heat(cells).best(machine, devices);
    EXPECT_EQ(point.nodes, std::max<Index>(1, devices / 8));
    const double left = efficiency(point, heat.best(machine, 1));
    EXPECT_GT(left, 0.4) << devices;
    EXPECT_LE(left, 1.05) << devices;
  }
}

TEST(StepPredictions, StrongScalingEnds) {
  const MachineRates machine = test::shipped_machine("h200");
  const Heat heat({512, 512, 512});
  double before = std::numeric_limits<double>::infinity(), last = 0;
  for (const Index devices : {1, 8, 64, 512}) {
    const ScalingPoint point = heat.best(machine, devices);
    EXPECT_LT(efficiency(point, heat.best(machine, 1)), before);
    before = efficiency(point, heat.best(machine, 1));
    last = point.step.seconds;
  }
  EXPECT_LT(before, 0.5);
  EXPECT_GT(last, 0);
  EXPECT_THROW(Heat({4, 4, 4}).best(machine, 1000), Error);
}

TEST(StepPredictions, LoopsCountAsOftenAsTheyRun) {
  Heat heat({40, 40, 40});
  Program body("body");
  body.apply(Diffuse{}, in(heat.u), out(heat.next));
  body.swap(heat.u, heat.next);
  Program looped("looped");
  looped.repeat(5, body);
  const MachineRates machine = decimal_machine(false);
  const auto five = predict_strategies({Engine(looped).straight_runs(), machine}, 1).front();
  EXPECT_NEAR(five.step.seconds / (5 * heat.best(machine, 1).step.seconds), 1, 1e-6);
}

TEST(StepPredictions, FollowWhatWasMeasuredOfSweepsLikeTheirs) {
  const Heat heat({64, 64, 64});
  MachineRates machine = decimal_machine(true);
  const auto seconds = [&] { return heat.with(machine, 1, {}).step.seconds; };
  const double before = seconds();
  const double cells = 64 * 64 * 64;
  const double size = heat.u.record()->element_size();
  const double share = heat.with(machine, 1, {}).step.busy.share_of_operations();
  machine.device.deviations = {{{cells, 2 * size * cells, 6, 2, size, share, 1}, 3}};
  EXPECT_GT(seconds(), 1.5 * before);
  machine.device.deviations.front().of.value_bytes = 64;  // of another kind
  EXPECT_NEAR(seconds() / before, 1, 0.1);
}

TEST(StepPredictions, LoopsAndRunsOfStagesBegin) {
  const Heat heat({40, 40, 40});
  MachineRates machine = decimal_machine(true);
  machine.run = 1e-1;
  machine.loop = 1e-3;
  machine.reduction = 10;
  machine.loop_reduction = 1e-2;
  const auto seconds = [&](const Program& step) {
    return predict_strategies({Engine(step).straight_runs(), machine}, 1).front().step.seconds;
  };
  EXPECT_LT(seconds(heat.step), 1e-3);  // one run, step after step
  Parameter<double> total("total", 0);
  Program body("body"), looped("looped");
  body.apply(Diffuse{}, in(heat.u), out(heat.next));
  body.swap(heat.u, heat.next);
  looped.repeat(5, body);
  looped.apply(Diffuse{}, in(heat.u), out(heat.next));
  EXPECT_LT(seconds(looped), 1e-3);  // the device does all of it
  looped.compute([](double& n) { n += 1; }, inout(total));
  EXPECT_NEAR(seconds(looped), 2 * machine.run, 1e-3);  // the host has a part in it
  Program round("round"), until("until");
  round.apply(Diffuse{}, in(heat.u), out(heat.next));
  round.reduce([](auto u) { return u(); }, in(heat.u), sum, into(total));
  until.repeat(5, round);
  EXPECT_NEAR(seconds(until), 5 * machine.loop_reduction, 1e-3);
  until.compute([](double& n) { n += 1; }, inout(total));
  EXPECT_NEAR(seconds(until), machine.run + 5 * machine.loop_reduction, 1e-3);
}

TEST(StepPredictions, RoundsOfLoopsAndNumbersTakeTimeOfADeviceAlone) {
  const Heat heat({40, 40, 40});
  MachineRates machine = decimal_machine(true);
  Parameter<double> total("total", 0), other("other", 0);
  Program round("round"), until("until");
  round.apply(Diffuse{}, in(heat.u), out(heat.next));
  round.swap(heat.u, heat.next);
  round.reduce([](auto u) { return u(); }, in(heat.u), sum, into(total));
  round.compute([](auto& n) { n = n + 1; }, inout(other));
  until.until(total > 1, 1, 5, round, Program("nothing"));
  const auto seconds = [&](Index devices) {
    return predict_strategies({Engine(until).straight_runs(5), machine}, devices)
        .front()
        .step.seconds;
  };
  const double alone = seconds(1), together = seconds(2);
  machine.loop_round = 1e-3;
  EXPECT_NEAR(seconds(1) - alone, 5e-3, 1e-6);
  machine.scalar = 1e-2;
  EXPECT_NEAR(seconds(1) - alone, 5.5e-2, 1e-6);
  EXPECT_NEAR(seconds(2), together, 1e-6);  // the host computes numbers and begins rounds
  machine.run = 1e-1;
  EXPECT_NEAR(seconds(1) - alone, 5.5e-2, 1e-6);
  EXPECT_NEAR(seconds(2) - together, 5e-1, 1e-6);
}

TEST(StepPredictions, ADeviceThatComputesTheTimeStepTellsTheHost) {
  const Heat heat({40, 40, 40});
  MachineRates machine = decimal_machine(true);
  machine.clock = 1e-3;
  Parameter<double> dt("dt", 1);
  Program step("step");
  step.reduce([](auto u) { return u(); }, in(heat.u), sum, into(dt));
  step.apply(Diffuse{}, in(heat.u), out(heat.next));
  step.swap(heat.u, heat.next);
  Engine engine(step);
  StepClock clock;
  const auto seconds = [&] {
    return predict_strategies({engine.straight_runs(), machine}, 1).front().step.seconds;
  };
  const double fixed = seconds();
  clock.dt_parameter = dt.record();
  engine.prepare_run(clock);
  EXPECT_NEAR(seconds() - fixed, 1e-3, 1e-9);
}

TEST(StepPredictions, HalosAtTheEndsOfRowsTakeTimeByRowAndByValue) {
  const Index3 cells{40, 40, 40};
  const double rows = 2 * 40 * 40;
  const auto seconds = [&](const BoundaryCondition& condition, const MachineRates& machine) {
    BoundarySet boundary{constant(0)};
    for (const Side side : both_sides) boundary.at(Axis::x, side) = condition;
    return Heat(cells, boundary).with(machine, 1, {}).step.seconds;
  };
  MachineRates machine = decimal_machine(true);
  const double filled = seconds(mirror, machine), sent = seconds(periodic, machine);
  machine.device.gather = 1e-6;
  machine.device.gather_row = 2e-6;
  EXPECT_NEAR(seconds(mirror, machine) - filled, 3e-6 * rows, 1e-9);
  EXPECT_NEAR(seconds(periodic, machine), sent, 1e-9);
  machine.device.end_sends = 5e-6;
  machine.device.byte_sends = machine.device.double_sends = 1;  // of other values
  EXPECT_NEAR(seconds(periodic, machine) - sent, 5e-6 * rows, 1e-9);
  EXPECT_EQ(machine.device.send_at_end(1), 1);
  EXPECT_EQ(machine.device.send_at_end(2), 5e-6);
}

TEST(StepPredictions, ACpuBesideGpusIsBusyAsLongAsThey) {  // eq. 8 of Liu and Perumalla
  const Heat heat({64, 64, 400});
  MachineRates machine = decimal_machine(true);
  DeviceRates cpu = decimal_machine(false).device;
  for (double& rate : cpu.operations) rate /= 3;
  cpu.levels = {{.bandwidth = 1e11 / 3}};
  machine.device.blocking_efficiency = cpu.blocking_efficiency = 1e-2;  // no passes
  const ScalingQuestion question{heat.runs(), machine};
  const ScalingPoint alone = predict_strategies(question, 1).front();
  const BalancePrediction both = predict_balance(question, alone, cpu);
  EXPECT_EQ(both.planes, 100);  // a quarter of 400
  EXPECT_EQ(both.planes_of_node, 400);
  EXPECT_NEAR(both.faster(alone.step.seconds), 1.0 / 3, 1e-2);
  ScalingQuestion far = question;
  far.machine.host_copy = {1, 1e9};
  EXPECT_EQ(predict_balance(far, alone, cpu).planes, 0);
}

TEST(StepPredictions, StagesOnACoarserGridArePredicted) {
  test::NoStore context{Settings{}};
  Grid fine(context, {.cells = {64, 64, 64}, .boundary = BoundarySet{constant(0)}});
  Grid coarse = fine.coarsened({2, 2, 2});
  Field<float> u(coarse, "u"), next(coarse, "next");
  Program step("coarse");
  step.apply(Diffuse{}, in(u), out(next));
  step.swap(u, next);
  const MachineRates machine = decimal_machine(false);
  const double cells = 32 * 32 * 32;
  const auto point = predict_strategies({Engine(step).straight_runs(), machine}, 1).front();
  EXPECT_NEAR(point.step.seconds / (cells * (flops / 1e12 + bytes / 1e11)), 1, 1e-6);
}

}  // namespace
}  // namespace goban::step_prediction_test
