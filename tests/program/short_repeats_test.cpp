// Which repeats need no loop.

#include "goban/program/short_repeats.hpp"

#include <gtest/gtest.h>

#include <string>

#include "goban/goban.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::short_repeats_test {
namespace {

struct Copy {
  GOBAN_FUNCTION void operator()(auto from, auto to) const { to = from(); }
};
struct Take {
  GOBAN_FUNCTION void operator()(auto fine, auto coarse) const { coarse = fine(0, 0, 0); }
};
struct AddStep {
  GOBAN_FUNCTION void operator()(auto u, auto site) const { u += convert<double>(site.step()); }
};
struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};

class ShortRepeats : public testing::Test {
 protected:
  ShortRepeats() {
    round_.apply(Copy{}, in(u_), out(next_));
    round_.swap(u_, next_);
    round_.apply(Take{}, in(u_), out(coarse_));
  }
  /// Names of the stages that so many rounds become.
  std::string rounds(Index count, std::size_t most = 100) const {
    Program program("program");
    program.repeat(count, round_);
    std::string names;
    for (const auto& stage : rounds_of_short_repeat(*program.stages().front(), most)) {
      names += stage->kind == Stage::Kind::permute           ? "s"
               : stage->arguments[1].field == next_.record() ? "c"
                                                             : "t";
    }
    return names;
  }

  Runtime runtime_{test::plainest()};
  Grid grid_{runtime_, {.cells = {4, 4, 4}, .boundary = mirror}};
  Grid coarser_ = grid_.coarsened({2, 2, 2});
  Field<double> u_{grid_, "u"}, next_{grid_, "next"}, coarse_{coarser_, "coarse"};
  Program round_{"round"};
};

TEST_F(ShortRepeats, FollowEachOther) {
  EXPECT_EQ(rounds(3), "cstcstcst");
  EXPECT_EQ(rounds(0), "");
  EXPECT_EQ(rounds(3, 9), "cstcstcst");
  EXPECT_EQ(rounds(3, 8), "");
}

TEST_F(ShortRepeats, HoldOthers) {
  Program inner("inner");
  inner.apply(Take{}, in(u_), out(coarse_));
  round_.repeat(2, inner);
  EXPECT_EQ(rounds(2), "cstttcsttt");
}

TEST_F(ShortRepeats, AreLoopsWhereRoundsDiffer) {
  round_.apply(AddStep{}, inout(u_), site);
  EXPECT_EQ(rounds(3), "");
}

TEST_F(ShortRepeats, AreLoopsWhereNumbersAreComputed) {
  Parameter<double> largest("largest");
  round_.reduce(Value{}, in(u_), maximum, into(largest));
  EXPECT_EQ(rounds(3), "");
}

TEST_F(ShortRepeats, AreLoopsWhereGhostsFollowTheTime) {
  u_.boundary(Axis::x, Side::low, wall_value([](double time) { return time; }));
  EXPECT_EQ(rounds(3), "");
}

TEST_F(ShortRepeats, AreLoopsOnOneGrid) {
  round_ = Program("round");
  round_.apply(Copy{}, in(u_), out(next_));
  round_.swap(u_, next_);
  EXPECT_EQ(rounds(3), "");
}

}  // namespace
}  // namespace goban::short_repeats_test
