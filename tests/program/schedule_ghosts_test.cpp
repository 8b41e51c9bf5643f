// Ghosts beyond the ends of the grid: when they are made, and for which step.

#include <gtest/gtest.h>

#include "tests/error_text.hpp"
#include "tests/on_paper.hpp"

namespace goban::schedule_ghosts_test {
namespace {

using test::Copy;
using test::Diagonal;
using test::Lines;
using test::lines_of;
using test::Look;
using test::Paper;

Lines lines(const Paper& paper, int steps = 1) {
  return lines_of(paper.schedule(paper.cut(""), {}, steps), paper.slots());
}
const BoundaryCondition clock_on_x = wall_value([](double time) { return time; });

/// The steps that fills are made for.
std::vector<int> steps_of_fills(const Schedule& schedule) {
  std::vector<int> steps;
  for (const Operation& op : schedule.operations) {
    if (op.kind != Operation::Kind::fill) continue;
    steps.push_back(schedule.cycle.instances[static_cast<std::size_t>(op.instance)].step);
  }
  return steps;
}

TEST(ScheduleGhosts, OfWhatIsComputedAheadAreMadeAfterTheWrite) {
  Paper paper({8, 4, 4}, {mirror, periodic, periodic});
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
  paper.step.swap(paper.u, paper.next);
  const std::string all = "Look<0> 0 [0:8 x 0:4 x 0:4]";
  EXPECT_EQ(lines(paper, 2), (Lines{"exchange u", "fill 0 x- u", "fill 0 x+ u", "exchanged", all,
                                    "fill 0 x- next", "fill 0 x+ next", all}));
}

TEST(ScheduleGhosts, ThatFollowTheClockAreMadeForTheStepThatReadsThem) {
  const auto steps = [](const BoundaryCondition& end) {
    Paper paper({8, 4, 4}, {end, periodic, periodic});
    paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
    paper.step.swap(paper.u, paper.next);
    Schedule schedule = paper.schedule(paper.cut(""), {}, 2);
    std::erase_if(schedule.operations, [](const Operation& op) { return op.exchange >= 0; });
    return steps_of_fills(schedule);
  };
  EXPECT_EQ(steps(mirror), (std::vector<int>{0, 0})) << "the step that wrote";
  EXPECT_EQ(steps(clock_on_x), (std::vector<int>{1, 1})) << "the step that reads";
}

TEST(ScheduleGhosts, ThatFollowTheClockAreMadeAnewInEveryStep) {
  const auto steps = [](const BoundaryCondition& end) {
    Paper paper({8, 4, 4}, {end, periodic, periodic});
    paper.step.apply(Look<0>{}, in(paper.v), out(paper.u));
    paper.step.apply(Look<0>{}, in(paper.v), out(paper.next));
    return steps_of_fills(paper.schedule(paper.cut(""), {}, 2));
  };
  EXPECT_EQ(steps(clock_on_x), (std::vector<int>{0, 0, 1, 1}));
}

TEST(ScheduleGhosts, ThatFollowTheClockAreMadeAfterWhatComesBeforeTheirReader) {
  const auto first = [](const BoundaryCondition& end) {
    Paper paper({8, 4, 4}, {end, periodic, periodic});
    Parameter<float> by("by");
    paper.step.compute([](auto& b) { b = 2 * b; }, inout(by));
    paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
    return lines(paper).front();
  };
  EXPECT_EQ(first(mirror), "exchange u");
  EXPECT_EQ(first(clock_on_x), "compute");
}

TEST(ScheduleGhosts, InCornersAreMadeOfHalosThatAreThere) {
  const auto boxes = [](const BoundarySet& boundary, int steps) {
    Paper paper({8, 6, 4}, boundary);
    paper.step.apply(Diagonal{}, in(paper.u), out(paper.next));
    paper.step.swap(paper.u, paper.next);
    Lines all;
    for (const Operation& op : paper.schedule(paper.cut(""), {}, steps).operations) {
      const bool is_low = op.kind == Operation::Kind::fill && op.side == Side::low;
      if (is_low) all.push_back(to_string(op.box));
    }
    return all;
  };
  EXPECT_EQ(boxes({mirror, periodic, periodic}, 1), Lines{"[-1:0 x 0:6 x 0:4]"});
  EXPECT_EQ(boxes({periodic, mirror, periodic}, 1), Lines{"[-1:9 x -1:0 x 0:4]"});
  EXPECT_EQ(boxes({mirror, periodic, periodic}, 2),
            (Lines{"[-1:0 x 0:6 x 0:4]", "[-1:0 x -1:7 x 0:4]"}))
      << "along y the first step has computed them";
}

TEST(ScheduleGhosts, WallsBelongToTheValuesOfFaces) {
  const BoundarySet walls{wall_value(0), mirror, mirror};
  Paper paper({8, 4, 4}, mirror);
  Field<float> face(paper.grid, "face", {.location = Location::face_x, .boundary = &walls});
  paper.step.apply(Copy{}, in(face), out(paper.u));
  paper.step.apply(Copy{}, in(paper.u), out(face));
  paper.step.apply(Copy{}, in(face), out(paper.v));
  const Schedule schedule = paper.schedule(paper.cut("3,5"));
  Lines all;
  for (const Operation& op : schedule.operations) {
    if (op.kind != Operation::Kind::fill) continue;
    all.push_back(std::to_string(op.patch) + " " + to_string(op.box) + " " +
                  paper.slots().field(op.what.slot).name +
                  (op.exchange < 0 ? " after the write" : ""));
  }
  EXPECT_EQ(all, (Lines{"0 [0:1 x 0:4 x 0:4] face", "1 [5:6 x 0:4 x 0:4] face",
                        "1 [5:6 x 0:4 x 0:4] u", "0 [0:1 x 0:4 x 0:4] face after the write",
                        "1 [5:6 x 0:4 x 0:4] face after the write"}));
  EXPECT_TRUE(schedule.exchanges.front().corners) << "where walls meet";
}

TEST(ScheduleGhosts, WallsAroundARegionAreKept) {
  const BoundarySet walls{wall_value(0), mirror, mirror};
  Paper paper({8, 4, 4}, mirror);
  Field<float> face(paper.grid, "face", {.location = Location::face_x, .boundary = &walls});
  paper.step.apply(Copy{}, in(paper.u), out(face)).over({{3, 0, 0}, {5, 4, 4}});
  EXPECT_EQ(lines(paper).front(), "exchange face");
}

TEST(ScheduleGhosts, SamplesNeedWallsAlone) {
  const BoundarySet walls{wall_value(0), mirror, mirror};
  Paper paper({8, 4, 4}, mirror);
  Field<float> face(paper.grid, "face", {.location = Location::face_x, .boundary = &walls});
  const auto samples = std::make_shared<Samples>(paper.grid.state());
  samples->add(paper.u.record(), {{0, 0, 0}, {8, 1, 1}});
  paper.step.apply(Copy{}, in(paper.u), out(paper.next));
  paper.step.sample(samples);
  EXPECT_EQ(lines(paper), (Lines{"Copy 0 [0:8 x 0:4 x 0:4]", "sample"}));
  samples->add(face.record(), {{0, 0, 0}, {8, 1, 1}});
  paper.step = Program("step");
  paper.step.sample(samples);
  paper.step.apply(Look<0>{}, in(paper.u), out(paper.v));
  paper.step.apply(Look<0>{}, in(paper.v), out(paper.next));
  const Lines all = lines(paper);
  EXPECT_EQ(Lines(all.begin(), all.begin() + 5),
            (Lines{"exchange face", "fill 0 x- face", "fill 0 x+ face", "exchanged", "sample"}));
}

TEST(ScheduleGhosts, AreNoWiderThanThePatchThatTheyMirror) {
  const auto refusal = [](const BoundarySet& boundary, const std::string& cuts, int steps,
                          Index cells = 12) {
    Paper paper({cells, 4, 4}, boundary);
    paper.step.apply(Look<0>{}, in(paper.u), out(paper.next));
    paper.step.swap(paper.u, paper.next);
    return test::refusal(ExitCode::usage, [&] { paper.schedule(paper.cut(cuts), {}, steps); });
  };
  EXPECT_EQ(refusal(periodic, "9,3", 1), "");
  EXPECT_EQ(
      refusal(periodic, "9,3", 2),
      "halo of field 'u' does not fit (it is 4 cells wide, the smallest patch has 3 along x); "
      "use fewer patches or fewer steps per exchange");
  EXPECT_EQ(
      refusal({mirror, periodic, periodic}, "1,11", 1),
      "halo of field 'u' does not fit (it is 2 cells wide, the smallest patch has 1 along x); "
      "use fewer patches or fewer steps per exchange");
  EXPECT_EQ(refusal({mirror, periodic, periodic}, "", 1, 1),
            "boundary of field 'u' does not fit (it needs 2 cells, the patch has 1 along x); "
            "take 2 cells or more along x, or a stencil that reaches less far");
}

TEST(ScheduleGhosts, ThatDoNotFitAreToldByTheSideThatReachesFarther) {
  const auto refusal = [](const BoundarySet& boundary, const std::string& cuts) {
    Paper paper({12, 4, 4}, boundary);
    paper.step.apply([](auto u, auto next) { next = u(-3, 0, 0) + u(15, 0, 0); }, in(paper.u),
                     out(paper.next));
    return test::error_of([&] { paper.schedule(paper.cut(cuts), {}, 1); });
  };
  EXPECT_EQ(
      refusal(periodic, "6,2,4"),
      "halo of field 'u' does not fit (it is 15 cells wide, the smallest patch has 2 along x); use "
      "fewer patches or fewer steps per exchange");
  EXPECT_EQ(refusal({mirror, periodic, periodic}, ""),
            "boundary of field 'u' does not fit (it needs 15 cells, the patch has 12 along x); "
            "take 15 cells or more along x, or a stencil that reaches less far");
}

}  // namespace
}  // namespace goban::schedule_ghosts_test
