// Which sweeps are bundled, and why others are not.

#include "goban/lowering/bundles.hpp"

#include <gtest/gtest.h>

#include "tests/lowering/lowered.hpp"

namespace goban::bundles_test {
namespace {

using test::Add;
using test::Copy;
using test::Look;
using test::Paper;
using test::Value;
using Numbers = std::vector<int>;

struct Square {
  GOBAN_FUNCTION auto operator()(auto u) const { return u() * u(); }
};
struct Product {
  GOBAN_FUNCTION auto operator()(auto u, auto v) const { return u() * v(); }
};
struct First {
  GOBAN_FUNCTION auto operator()(auto w) const { return w[0](); }
};
struct Pair {
  GOBAN_FUNCTION auto operator()(auto w) const { return w[0]() + w[1](); }
};
struct AddStep {
  GOBAN_FUNCTION void operator()(auto u, auto site) const { u += convert<float>(site.step()); }
};
struct Behind {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = u(-1, 0, 0); }
};
struct Pull {
  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    next[0] = f[0]();
    next[1] = f[1]();
  }
};
struct Column {
  GOBAN_FUNCTION void forward(auto u, auto next, auto s) const {
    s[0] = u() + s[0].before();
    next = s[0]();
  }
};
struct Half {
  GOBAN_FUNCTION void operator()(auto fine, auto coarse) const { coarse = fine(); }
};

/// Away from the ends of the grid: nothing is fetched for what is read there.
const Box middle{{4, 0, 0}, {6, 4, 4}}, near{{6, 0, 0}, {8, 4, 4}}, far{{9, 0, 0}, {12, 4, 4}};

CommandList lowered(const Paper& paper, const std::vector<int>& executors, int steps = 1,
                    const std::string& cuts = "") {
  const Slots slots = paper.slots();
  const Schedule schedule = paper.schedule(paper.cut(cuts), {}, steps);
  return lower(schedule, slots, test::bindings_of(schedule, slots, executors));
}
/// Per command, how many after it are bundled with it.
Numbers bundled(const Paper& paper, const std::vector<int>& executors = {0}, int steps = 1,
                const std::string& cuts = "") {
  Numbers all;
  for (const Command& command : lowered(paper, executors, steps, cuts).commands) {
    all.push_back(command.bundled);
  }
  return all;
}
struct Line : Paper {
  Line() : Paper({12, 4, 4}, mirror) {}
};

TEST(Bundles, SweepsThatReadTheCellAtHandAlone) {
  Line line;
  line.step.apply(Copy{}, in(line.u), out(line.next));
  line.step.apply(Add{}, in(line.next), inout(line.v));
  line.step.apply(Copy{}, in(line.v), out(line.u));
  EXPECT_EQ(bundled(line), (Numbers{2, 0, 0}));
  EXPECT_EQ(bundled(line, {}), (Numbers{0, 0, 0})) << "they take the next from cache";
}

TEST(Bundles, NotThoseThatReadNeighborsOfWhatIsWritten) {
  const auto pair = [](const Box& written, bool writes_first) {
    Line line;
    if (writes_first) line.step.apply(Copy{}, in(line.u), out(line.next)).over(written);
    line.step.apply(Look<0>{}, in(line.next), out(line.v)).over(middle);
    if (!writes_first) line.step.apply(Copy{}, in(line.u), out(line.next)).over(written);
    return bundled(line).front();
  };
  for (const bool writes_first : {false, true}) {
    EXPECT_EQ(pair(near, writes_first), 0) << "cell 5 reads cell 6";
    EXPECT_EQ(pair(far, writes_first), 1) << "it writes none that is read";
  }
}

TEST(Bundles, NotWhatReadsWhatAnEarlierOneOfThemWrites) {
  Line line;
  line.step.apply(Copy{}, in(line.u), out(line.next)).over(near);
  line.step.apply(Copy{}, in(line.u), out(line.v)).over(near);
  line.step.apply(Look<0>{}, in(line.next), out(line.u)).over(middle);
  EXPECT_EQ(bundled(line), (Numbers{1, 0, 0}));
}

/// It reads ghosts alone, which the other makes with what it writes.
TEST(Bundles, NotWhatReadsWhatAnotherSends) {
  Paper paper({12, 4, 4});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  paper.step.apply(Behind{}, in(paper.next), out(paper.v)).over({{0, 0, 0}, {1, 4, 4}});
  const Slots slots = paper.slots();
  const Schedule schedule =
      paper.schedule(paper.cut(""), {Overlap::none, ScheduleOptions::Edges::sends, {}});
  const auto lists = test::lists_of(3, schedule, slots, test::bindings_of(schedule, slots, {0}));
  ASSERT_EQ(lists[2].commands.size(), 2u);
  EXPECT_EQ(lists[2].commands[0].bundled, 0);
}

TEST(Bundles, MasksAreReadAtTheCellAtHand) {
  Line line;
  const Field<std::uint8_t> mask(line.grid, "mask");
  Field<std::uint8_t> other(line.grid, "other");
  line.step.apply(Copy{}, in(other), out(mask));
  line.step.apply(Copy{}, in(line.u), out(line.v)).where(mask);
  EXPECT_EQ(bundled(line), (Numbers{1, 0}));
}

TEST(Bundles, OfOneStepOnePatchAndOneQueue) {
  Line line;
  line.step.apply(Copy{}, in(line.u), out(line.v));
  EXPECT_EQ(bundled(line, {0}, 2), (Numbers{0, 0})) << "two steps";
  EXPECT_EQ(bundled(line, {0, 0}, 1, "6,6"), (Numbers{0, 0})) << "two patches";
  line.step.apply(Copy{}, in(line.u), out(line.next));
  EXPECT_EQ(bundled(line, {0}, 2), (Numbers{1, 0, 1, 0}));
  Cycle cycle = line.cycle();
  const Slots slots = line.slots();
  auto commands = lowered(line, {0}).commands;
  const auto count = [&] {
    for (Command& command : commands) command.bundled = 0;
    bundle_sweeps(commands, cycle, slots, true);
    return commands.front().bundled;
  };
  EXPECT_EQ(count(), 1);
  commands[1].stream = Stream::halo;
  EXPECT_EQ(count(), 0);
  commands[1].stream = Stream::compute;
  commands[1].waits = {~0};
  EXPECT_EQ(count(), 0) << "it waits for something on the way";
}

TEST(Bundles, WhatChangesFromStepToStepIsBundledAsWell) {
  Line line;
  line.step.apply(Copy{}, in(line.u), out(line.v));
  line.step.apply(AddStep{}, inout(line.u), site);
  EXPECT_EQ(bundled(line), (Numbers{1, 0}));
}

TEST(Bundles, NotColumnsNorSweepsBetweenGrids) {
  Line columns;
  columns.step.apply(Copy{}, in(columns.u), out(columns.v));
  columns.step.columns(Axis::z, Column{}, in(columns.v), out(columns.next), scratch<float, 1>);
  EXPECT_EQ(bundled(columns), (Numbers{0, 0}));
  Line grids;
  Grid coarser = grids.grid.coarsened({2, 1, 1});
  const Field<float> c(coarser, "c"), d(coarser, "d");
  grids.step.apply(Half{}, in(grids.u), out(c));
  grids.step.apply(Half{}, in(grids.v), out(d));
  Patches patches(grids.cut(""), *grids.grid.state(), 0);
  patches.add(cut_evenly({6, 4, 4}, {1, 1, 1}), *coarser.state());
  const Slots slots = grids.slots();
  const CycleOptions cuts{1, false, {}, {grids.cut("").cuts, patches.decomposition(1).cuts}};
  const Schedule schedule = make_schedule(grids.cycle(cuts), slots, patches, {});
  const CommandList list = lower(schedule, slots, test::bindings_of(schedule, slots, {0, 0}));
  ASSERT_EQ(list.commands.size(), 2u);
  EXPECT_EQ(list.commands.front().bundled, 0);
}

TEST(Bundles, NotSweepsInPlace) {
  Line line;
  const Field<InPlace<float>, 2> f(line.grid, "f"), after(f, "after");
  line.step.apply(Pull{}, in(f), out(after));
  line.step.swap(f, after);
  line.step.apply(Copy{}, in(line.u), out(line.v));
  EXPECT_EQ(bundled(line), (Numbers{0, 0, 0})) << "after cells have moved";
}

/// The ends of rows that a sweep makes would be read before they are there.
TEST(Bundles, NotSweepsThatMakeEndsOfRows) {
  Line line;
  line.step.apply(Look<0>{}, in(line.u), out(line.next));
  Parameter<double> total("total");
  line.step.reduce(Value{}, in(line.next), sum, into(total));
  line.step.swap(line.u, line.next);
  const Slots slots = line.slots();
  const auto last = [&](ScheduleOptions::Edges edges) {
    const Schedule schedule = line.schedule(line.cut(""), {Overlap::none, edges, {}});
    const CommandList list = lower(schedule, slots, test::bindings_of(schedule, slots));
    return list.commands[list.commands.size() - 3].bundled;
  };
  EXPECT_EQ(last(ScheduleOptions::Edges::none), 1);
  EXPECT_EQ(last(ScheduleOptions::Edges::rows), 0);
}

/// Counts the commands of a step that are bundled with the first; the step reduces after a sweep.
TEST(Bundles, ReductionsComeLastOverTheSameCells) {
  for (const std::vector<int>& executors : {Numbers{0}, Numbers{}}) {
    Line line;
    Parameter<float> one("one"), two("two");
    line.step.apply(Add{}, in(line.u), inout(line.v));
    line.step.reduce(Square{}, in(line.v), sum, into(one));
    line.step.reduce(Product{}, in(line.u), in(line.next), maximum, into(two));
    line.step.apply(Copy{}, in(line.u), out(line.next));
    EXPECT_EQ(bundled(line, executors), (Numbers{2, 0, 0, 0, 0, 0}));
    Line part;
    part.step.apply(Copy{}, in(part.u), out(part.v)).over(middle);
    part.step.reduce(Square{}, in(part.u), sum, into(one));
    part.step.reduce(Square{}, in(part.u), sum, into(two)).over(middle);
    EXPECT_EQ(bundled(part, executors), (Numbers{0, 0, 0, 0, 0})) << "over other cells";
  }
}

TEST(Bundles, NothingComesAfterAReduction) {
  Line line;
  Parameter<float> total("total");
  line.step.reduce(Square{}, in(line.u), sum, into(total));
  line.step.apply(Copy{}, in(line.u), out(line.v));
  auto commands = lowered(line, {0}).commands;
  std::erase_if(commands, [](const Command& command) {
    return std::holds_alternative<Reduce>(command.what);
  });
  bundle_sweeps(commands, line.cycle(), line.slots(), true);
  EXPECT_EQ(commands.front().bundled, 0);
}

TEST(Bundles, OfManyCellsReductionsHaveKernelsOfTheirOwnOnDevices) {
  for (const Index cells : {64, 128}) {
    Paper paper({cells, 64, 64});
    Parameter<float> total("total");
    paper.step.apply(Copy{}, in(paper.u), out(paper.v));
    paper.step.reduce(Square{}, in(paper.v), sum, into(total));
    EXPECT_EQ(bundled(paper, {0}).front(), cells == 64 ? 1 : 0);
    EXPECT_EQ(bundled(paper, {}).front(), 1);
  }
}

TEST(Bundles, WhatSweepsBeforeHaveReadOrWrittenReductionsFindAtHand) {
  Line line;
  const Field<float, 2> w(line.grid, "w");
  Parameter<double> first("first"), second("second"), third("third");
  line.step.apply(Copy{}, in(line.u), out(line.v));
  line.step.reduce(Product{}, in(line.u), in(line.v), sum, into(first));
  line.step.reduce(First{}, in(w), sum, into(second));
  line.step.reduce(Pair{}, in(w), sum, into(third));
  const CommandList list = lowered(line, {0});
  const double cells = 12 * 4 * 4;
  std::vector<Numbers> at_hand;
  std::vector<double> bytes;
  for (std::size_t i = 0; i < 4; ++i) {
    at_hand.push_back(std::get<Sweep>(list.commands[i].what).at_hand);
    bytes.push_back(list.commands[i].bytes / cells);
  }
  EXPECT_EQ(list.commands.front().bundled, 3);
  EXPECT_EQ(at_hand, (std::vector<Numbers>{{}, {0, 1, 1}, {0, 0}, {0, 1}}));
  EXPECT_EQ(bytes, (std::vector<double>{8, 0, 4, 4}));
}

}  // namespace
}  // namespace goban::bundles_test
