// What docs/limits.md says of things that do not go together, row by row.

#include <algorithm>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"
#include "tests/limits_table.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::limits_test {
namespace {

using test::expect_refusals;
using test::LimitsOf;

struct Total {
  GOBAN_FUNCTION auto operator()(auto u) const { return u() * u(); }
};
struct Scaled {
  GOBAN_FUNCTION void operator()(auto factor, auto u) const { u = u() * factor(); }
};
struct Pull {
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    next[0] = f[1](1, 0, 0);
    next[1] = f[0](0, -1, 0);
  }
};
struct Copied {
  GOBAN_FUNCTION void operator()(auto u, auto v) const { v = u(); }
};
struct SumUp {
  GOBAN_FUNCTION void forward(auto u, auto v, auto s) const {
    s = u() + s.before();
    v = s();
  }
};
double wave(double time) { return 1 + time; }

/// A grid and a program, to which cases add what does not go together.
struct Draft {
  explicit Draft(const Settings& settings, const BoundarySet& boundary = {periodic})
      : runtime(settings), grid(runtime, {.cells = {24, 12, 12}, .boundary = boundary}) {
    u.fill(test::pattern);
  }
  void diffuse() {
    step.apply(test::Diffusion<float>{}, in(u), out(next));
    step.swap(u, next);
  }
  Engine& run(Index steps = 100) {
    engine = std::make_unique<Engine>(step);
    engine->run(steps, clock);
    return *engine;
  }

  Runtime runtime;
  Grid grid;
  Field<float> u{grid, "u"}, next{grid, "next"};
  Program step{"step"};
  StepClock clock;
  std::unique_ptr<Engine> engine;
};

Settings emulated(std::vector<int> devices) {
  Settings settings;
  settings.backend = Backend::emulated;
  settings.devices = std::move(devices);
  settings.steps_per_exchange = 1;
  return settings;
}

TEST(Limits, CyclesAreRecordedExceptAsTheTableSays) {
  const auto on_ranks = [](Transport transport) {
    std::string refusal;
    test::run_ranks(2, [&](const std::shared_ptr<Communicator>& communicator) {
      Settings settings = emulated({0});
      settings.transport = transport;
      settings.communicator = communicator;
      Draft draft(settings);
      draft.diffuse();
      const Engine& engine = draft.run();
      EXPECT_EQ(engine.cycles_replayed() > 0, engine.recording_refusal().empty());
      if (communicator->rank() == 0) refusal = engine.recording_refusal();
    });
    return refusal;
  };
  expect_refusals(
      "Recorded cycles", LimitsOf::all_devices,
      {{"halos travel by the host or by MPI", [&] { return on_ranks(Transport::host); }},
       {"halos travel by the host or by MPI", [&] { return on_ranks(Transport::mpi); }},
       {"the host takes results of reductions, and little is submitted in between",
        [] {
          Draft draft(emulated({0}));
          const Parameter<double> total("total");
          draft.diffuse();
          draft.step.reduce(Total{}, in(draft.u), sum, into(total));
          return draft.run().recording_refusal();
        }},
       {"cuts between devices are being balanced",
        [] {
          Draft draft(emulated({0, 1}));
          draft.diffuse();
          Engine engine(draft.step);
          engine.prepare();
          domain_of(*draft.grid.state()).keep_busy_times();
          return engine.recording_refusal();
        }},
       {"a timeline is drawn", [] {
          const test::ScratchFolder folder;
          Settings settings = emulated({0});
          settings.trace = folder.path() / "trace.json";
          Draft draft(settings);
          draft.diffuse();
          return draft.run().recording_refusal();
        }}});
  EXPECT_EQ(on_ranks(Transport::automatic), "");
  EXPECT_EQ(on_ranks(Transport::nccl), "");
}

/// With passes of two steps asked for.
template <class Add>
std::string refusal_of_passes(const Add& add, Settings settings = {},
                              const BoundarySet& boundary = periodic) {
  settings.temporal_blocking = 2;
  if (settings.steps_per_exchange == 0 || !settings.devices.empty())
    settings.steps_per_exchange = 2;
  Draft draft(settings, boundary);
  add(draft);
  Engine engine(draft.step);
  engine.prepare();
  EXPECT_EQ(engine.steps_per_pass() > 1, engine.pass_refusal().empty());
  return engine.pass_refusal();
}

void diffuse(Draft& draft) { draft.diffuse(); }

TEST(Limits, StepsShareAPassExceptAsTheTableSays) {
  const Parameter<float> factor("factor");
  const auto scaled = [&](Draft& draft) {
    draft.diffuse();
    draft.step.reduce(Total{}, in(draft.u), maximum, into(factor));
    draft.step.apply(Scaled{}, param(factor), inout(draft.u));
  };
  expect_refusals("Several steps in one pass (temporal blocking)", LimitsOf::all_devices,
                  {{"a step is not one straight run of stages",
                    [] {
                      return refusal_of_passes([](Draft& draft) {
                        draft.diffuse();
                        draft.step.call([] {}, std::tie(), std::tie());
                        draft.diffuse();
                      });
                    }},
                   {"stages exchange halos in between",
                    [] {
                      Settings settings;
                      settings.steps_per_exchange = 1;
                      const auto twice = [](Draft& draft) {
                        draft.diffuse();
                        draft.diffuse();
                      };
                      return refusal_of_passes(twice, settings);
                    }},
                   {"a stage, or the time step, depends on a reduction of the same step",
                    [&] { return refusal_of_passes(scaled); }},
                   {"a stage, or the time step, depends on a reduction of the same step",
                    [&] {
                      Settings settings;
                      settings.temporal_blocking = settings.steps_per_exchange = 2;
                      Draft draft(settings);
                      draft.diffuse();
                      draft.step.reduce(Total{}, in(draft.u), maximum, into(factor));
                      draft.clock.dt_parameter = factor.record();
                      return draft.run(3).pass_refusal();
                    }},
                   {"a field is stored in place",
                    [] {
                      return refusal_of_passes([](Draft& draft) {
                        Field<InPlace<float>, 2> f(draft.grid, "f"), after(f, "after");
                        draft.step.apply(Pull{}, in(f), out(after));
                        draft.step.swap(f, after);
                      });
                    }},
                   {"a stage sweeps columns",
                    [] {
                      return refusal_of_passes(
                          [](Draft& draft) {
                            draft.step.columns(Axis::z, SumUp{}, in(draft.u), out(draft.next),
                                               scratch<float>);
                            draft.step.swap(draft.u, draft.next);
                          },
                          {}, {periodic, periodic, mirror});
                    }},
                   {"stages have different memory layouts",
                    [] {
                      return refusal_of_passes([](Draft& draft) {
                        Field<float, 1, kij> v(draft.grid, "v"), w(draft.grid, "w");
                        draft.diffuse();
                        draft.step.apply(Copied{}, in(v), out(w));
                      });
                    }},
                   {"a boundary condition is custom or varies with time",
                    [] {
                      return refusal_of_passes(diffuse, {}, {constant(wave), periodic, periodic});
                    }},
                   {"a boundary condition is custom or varies with time",
                    [] {
                      const auto rule = [](const GhostCell& g) { return g.inside(1); };
                      return refusal_of_passes(diffuse, {}, {custom(rule), periodic, periodic});
                    }},
                   {"CPUs compute beside devices", [] {
                      return refusal_of_passes(diffuse, emulated({0, cpu_device}));
                    }}});
  // What ran into refusals once.
  EXPECT_EQ(refusal_of_passes(diffuse), "");
  EXPECT_EQ(refusal_of_passes([&](Draft& draft) {
              draft.diffuse();
              draft.step.reduce(Total{}, in(draft.u), maximum, into(factor));
            }),
            "");
}

TEST(Limits, OthersAreAsTheTableSays) {
  expect_refusals("Others", LimitsOf::all_devices,
                  {{"CPUs beside devices and halos stored by sweeps",
                    [] {
                      Draft draft(emulated({0, cpu_device}));
                      draft.diffuse();
                      Engine engine(draft.step);
                      const auto& operations = engine.schedule().operations;
                      return std::all_of(operations.begin(), operations.end(),
                                         [](const Operation& op) { return op.edges.empty(); })
                                 ? "none"
                                 : "";
                    }},
                   {"halos rounded between ranks, and those that devices move", [] {
                      std::string refusal;
                      test::run_ranks(2, [&](const std::shared_ptr<Communicator>& communicator) {
                        Settings settings = emulated({0});
                        settings.halo_precision = HaloPrecision::half;
                        settings.transport = Transport::peer;
                        settings.communicator = communicator;
                        const std::string error =
                            test::error_of([&] { Runtime runtime(settings); });
                        if (communicator->rank() == 0) refusal = error;
                      });
                      return refusal;
                    }}});
}

}  // namespace
}  // namespace goban::limits_test
