// Ways between ranks that another engine replaces, and ranks that are gone when they are closed.

#include <gtest/gtest.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"

namespace goban::replaced_plans_test {
namespace {

using test::Results;

/// Reads both fields at neighbours.
struct Couple {
  GOBAN_FUNCTION void operator()(auto u, auto v, auto next_u, auto next_v) const {
    next_u = u() + 0.1f * (v(0, 0, 1) + v(0, 0, -1) - 2.0f * v());
    next_v = v() - 0.1f * (u(0, 0, 1) + u(0, 0, -1) - 2.0f * u());
  }
};

struct TwoFields {
  explicit TwoFields(const Settings& settings) : runtime(settings) {
    u.fill(test::pattern);
    v.fill(test::pattern);
    of_u.apply(test::Diffusion<float>{}, in(u), out(next_u));
    of_u.swap(u, next_u);
    of_v.apply(test::Diffusion<float>{}, in(v), out(next_v));
    of_v.swap(v, next_v);
    of_both.apply(Couple{}, in(u), in(v), out(next_u), out(next_v));
    of_both.swap(u, next_u);
    of_both.swap(v, next_v);
  }
  Results results() { return {{"u", u.checksum()}, {"v", v.checksum()}}; }

  Runtime runtime;
  Grid grid{runtime, {.cells = {12, 11, 26}, .boundary = periodic}};
  Field<float> u{grid, "u"}, next_u{grid, "next u"}, v{grid, "v"}, next_v{grid, "next v"};
  Program of_u{"u"}, of_v{"v"}, of_both{"both"};
};

/// Messages of both fields are first wanted when those of one are replayed as they were recorded.
Results by_turns(const Settings& settings) {
  TwoFields run(settings);
  Engine one(run.of_u), other(run.of_v);
  other.prepare();  // halos are wide enough for all
  StepClock clock;
  one.run(100, clock);
  one.synchronize();
  Engine both(run.of_both);
  both.prepare();
  both.schedule();
  one.run(100, clock);
  both.run(3, clock);
  one.run(100, clock);
  return run.results();
}

Settings on_two_ranks(Transport transport) {
  Settings settings = test::plain_schedule();
  settings.backend = Backend::emulated;
  settings.cuts = {"", "", "13,13"};
  settings.delay_microseconds = 0;
  settings.transport = transport;
  return settings;
}

TEST(ReplacedPlans, RecordedCyclesDoNotUseThoseThatAreGone) {
  const Results expected = by_turns(test::plainest());
  for (const Transport transport : {Transport::peer, Transport::nccl}) {
    for (const Results& found : test::results_of_ranks(2, by_turns, on_two_ranks(transport))) {
      EXPECT_EQ(found, expected) << name_of(transport);
    }
  }
}

TEST(ReplacedPlans, ARankThatIsGoneLeavesTheOtherNothingToWaitFor) {
  for (const Transport transport : {Transport::peer, Transport::nccl}) {
    const auto fails = [](const Settings& settings) {
      TwoFields run(settings);
      StepClock clock;
      Engine(run.of_u).run(20, clock);
      const Results results = run.results();
      if (settings.communicator->rank() == 1) throw Error(ExitCode::files, "as intended");
      return results;
    };
    const auto run = [&] { test::results_of_ranks(2, fails, on_two_ranks(transport)); };
    EXPECT_EQ(test::error_of(run), "as intended") << name_of(transport);
  }
}

}  // namespace
}  // namespace goban::replaced_plans_test
