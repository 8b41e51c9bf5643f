// States that an adjoint keeps: wherever they lie, and ways back that go on in another process.

#include <gmock/gmock.h>

#include <bit>
#include <filesystem>
#include <stdexcept>

#include "goban/adjoint/kept_states.hpp"
#include "tests/adjoint/functors.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::kept_states_test {
namespace {

namespace fs = std::filesystem;
using test::Fields;
using testing::HasSubstr;

struct Squares {
  GOBAN_FUNCTION auto operator()(auto u) const { return u() * u(); }
};

bool holds_nothing(const fs::path& folder) { return !fs::exists(folder) || fs::is_empty(folder); }

struct Problem {
  Runtime runtime;
  Grid grid;
  Fields fields;
  Parameter<double> wind{"wind"}, squares{"squares"};
  Program step{"step"}, objective{"objective"};
  int steps_until_end = 1 << 30;  ///< after so many the process "ends"

  explicit Problem(const Settings& settings = test::plain_schedule())
      : runtime(settings), grid(runtime, {.cells = {7, 6, 8}, .boundary = mirror}), fields(grid) {
    step.follow(wind, [this](double time) {
      if (steps_until_end-- == 0) throw std::runtime_error("the process ends");
      return 0.1 + 0.01 * time;
    });
    step.apply(test::Conduct{}, in(fields.u), in(fields.c), param(wind), out(fields.next));
    step.swap(fields.u, fields.next);
    objective.reduce(Squares{}, in(fields.u), sum, into(squares));
  }
  test::Results gradients(Index steps, const StateBudget& budget, Index* computed = nullptr) {
    Adjoint adjoint(step, objective, {fields.u, fields.c});
    test::Results results{{"value", std::bit_cast<std::uint64_t>(adjoint.evaluate(steps, budget))}};
    results["u"] = adjoint.gradient(fields.u).checksum();
    results["c"] = adjoint.gradient(fields.c).checksum();
    if (computed) *computed = adjoint.steps_computed();
    return results;
  }
};

Settings cut_in_four() {
  Settings settings = test::plain_schedule();
  settings.patches = {2, 1, 2};
  return settings;
}

TEST(KeptStates, AreRestoredFromWhereverTheyLie) {
  const test::ScratchFolder folder;
  Problem p(cut_in_four());
  const auto grid = p.grid.state();
  const std::vector<detail::FieldPointer> fields{p.fields.u.record(), p.fields.q.record()};
  detail::AdjointFields copies(grid, detail::DerivativeKind::adjoint);
  std::vector<std::unique_ptr<detail::KeptState>> states;
  states.push_back(detail::state_in_fields(copies, fields));
  states.push_back(detail::state_on_host(grid, fields));
  states.push_back(detail::state_in_file(grid, fields, folder.path() / "state"));
  const auto held = [&] { return std::pair(p.fields.u.checksum(), p.fields.q.checksum()); };
  const auto before = held();
  for (const auto& state : states) state->save();
  for (const auto& state : states) {
    p.fields.u.fill(0.5);
    p.fields.q.fill(1.5);
    EXPECT_NE(held(), before);
    state->restore();
    EXPECT_EQ(held(), before);
  }
  states.clear();
  EXPECT_TRUE(holds_nothing(folder.path()));
}

TEST(KeptStates, InFilesChangeNoBits) {
  const test::ScratchFolder folder;
  const auto in_memory = Problem().gradients(9, {});
  const double state = 7 * 6 * 8 * 8;
  // Room for one step's values and no state, one, two.
  for (const double states : {0.5, 2.5, 3.5}) {
    Problem p(cut_in_four());
    Index computed = 0;
    EXPECT_EQ(
        p.gradients(9, {.states = 4, .bytes = states * state, .folder = folder.path()}, &computed),
        in_memory);
    EXPECT_LE(computed, 9 * 3);  // as four states have it
    EXPECT_TRUE(holds_nothing(folder.path()));
  }
}

TEST(KeptStates, StayWithinTheirMemory) {
  const double state = 7 * 6 * 8 * 8;
  Problem p;
  Index many = 0, few = 0;
  const auto bits = p.gradients(12, {}, &many);
  EXPECT_EQ(many, 12);
  EXPECT_EQ(p.gradients(12, {.bytes = 3.5 * state}, &few), bits);
  EXPECT_GT(few, 12);
  EXPECT_THAT(test::error_of([&] { p.gradients(12, {.bytes = 0.5 * state}); }),
              HasSubstr("no room for a state of the gradient (it takes 2688 bytes of a process); "
                        "allow for more memory, or name a folder for states"));
}

TEST(KeptStates, OfAnEvaluationThatEndedLetTheNextGoOn) {
  const test::ScratchFolder folder;
  const StateBudget budget{.states = 3, .folder = folder.path(), .save_every = 0};
  Index whole = 0, rest = 0;
  const auto bits = Problem().gradients(20, {.states = 3}, &whole);
  {
    Problem p;
    p.steps_until_end = 45;
    EXPECT_THROW(p.gradients(20, budget), std::runtime_error);
  }
  EXPECT_FALSE(holds_nothing(folder.path()));
  EXPECT_EQ(Problem(cut_in_four()).gradients(20, budget, &rest), bits);
  EXPECT_LT(rest, whole);
  EXPECT_TRUE(holds_nothing(folder.path()));
}

TEST(KeptStates, OfAnEvaluationThatFailedStayWhereOthersHaveNoFolder) {
  const test::ScratchFolder folder;
  Problem p;
  Adjoint adjoint(p.step, p.objective, {p.fields.u, p.fields.c});
  p.steps_until_end = 45;
  EXPECT_THROW(adjoint.evaluate(20, {.states = 3, .folder = folder.path(), .save_every = 0}),
               std::runtime_error);
  p.steps_until_end = 1 << 30;
  adjoint.evaluate(20, {.states = 3});
  EXPECT_TRUE(fs::exists(folder / "way-back"));
}

TEST(KeptStates, OfAnotherStartAreNotTaken) {
  const test::ScratchFolder folder;
  const StateBudget budget{.states = 3, .folder = folder.path(), .save_every = 0};
  {
    Problem p;
    p.steps_until_end = 45;
    EXPECT_THROW(p.gradients(20, budget), std::runtime_error);
  }
  Problem other, alone;
  for (Problem* p : {&other, &alone}) p->fields.u.set({1, 1, 1}, 3.0);
  EXPECT_EQ(other.gradients(20, budget), alone.gradients(20, {.states = 3}));
}

}  // namespace
}  // namespace goban::kept_states_test
