// Schedules of ranks fit together: what one sends another receives, whoever makes them and
// wherever.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "goban/backend/emulated.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/goban.hpp"
#include "goban/program/schedule.hpp"
#include "tests/domain/decomposition/no_store.hpp"
#include "tests/program/spread.hpp"

namespace goban::schedule_ranks_test {
namespace {

using test::Spread;

struct Blur {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.25f * (u(1, 1, 1) + u(-1, -1, -1) + u(1, -1, 1) + u(-2, 1, -1));
  }
};

/// A grid without data, programs over it and schedules of any of its ranks.
class RanksOfASchedule : public testing::Test, public test::NoStore {
 protected:
  RanksOfASchedule() : NoStore(Settings{}) {}

  struct Plan {
    Grid grid;
    Field<float> u, next;
    Program step{"step"};
    Slots slots;
    Cycle cycle;
  };

  template <class Functor>
  std::unique_ptr<Plan> plan(Index3 cells, const BoundarySet& boundary, int steps,
                             Functor functor) {
    Grid grid(*this, {.cells = cells, .boundary = boundary});
    auto made = std::unique_ptr<Plan>(new Plan{
        grid, Field<float>(grid, "u"), Field<float>(grid, "next"), Program("step"), {}, {}});
    made->step.apply(functor, in(made->u), out(made->next));
    made->step.swap(made->u, made->next);
    for (const Field<float>* field : {&made->u, &made->next}) {
      made->slots.add(field->record(), grid.state());
    }
    made->cycle = analyze(made->step.stages(), made->slots, {steps, steps > 1, {true, true}});
    return made;
  }

  static Schedule schedule(const Plan& plan, const Decomposition& decomposition, int rank,
                           Overlap overlap) {
    return make_schedule(plan.cycle, plan.slots, Patches(decomposition, *plan.grid.state(), rank),
                         {overlap, {}});
  }
};

/// Receiving patch, axis, side.
using Way = std::tuple<int, int, Side>;
/// What each message makes valid and which cells it moves.
using Messages = std::vector<std::vector<std::tuple<int, int, Box, Box>>>;

std::map<Way, Messages> messages_of(const Schedule& schedule, Operation::Kind kind) {
  std::map<Way, Messages> all;
  for (const Operation& op : schedule.operations) {
    if (op.kind != kind) continue;
    const int receiver = kind == Operation::Kind::send ? op.other_patch : op.patch;
    auto& message = all[{receiver, op.axis, op.side}].emplace_back();
    for (const Piece& piece : op.pieces) {
      const auto& item = schedule.exchanges[static_cast<std::size_t>(op.exchange)]
                             .items[static_cast<std::size_t>(piece.item)];
      message.emplace_back(item.version, op.exchange, piece.source, piece.target);
    }
  }
  return all;
}

TEST_F(RanksOfASchedule, EveryMessageHasItsTwoEnds) {
  const std::array<BoundarySet, 2> boundaries{BoundarySet{periodic, mirror, periodic},
                                              BoundarySet{mirror, periodic, mirror}};
  Decomposition uneven = cut_explicitly({23, 19, 17}, {"7,9,7", "10,9", "5,6,6"});
  for (const auto& boundary : boundaries) {
    for (const Overlap overlap : {Overlap::none, Overlap::one_kernel, Overlap::two_kernel}) {
      for (const int steps : {1, 2}) {
        for (const bool has_corners : {false, true}) {
          const auto made = has_corners ? plan({23, 19, 17}, boundary, steps, Blur{})
                                        : plan({23, 19, 17}, boundary, steps, Spread{});
          for (const int ranks : {2, 3, 5, 6, 18}) {
            place_ranks(uneven, std::vector<int>(static_cast<std::size_t>(ranks), 0),
                        step_model_of(*made->grid.state()));
            std::map<Way, Messages> sent, received;
            for (int rank = 0; rank < ranks; ++rank) {
              const Schedule its = schedule(*made, uneven, rank, overlap);
              EXPECT_NO_THROW(check_schedule(its, made->slots));
              sent.merge(messages_of(its, Operation::Kind::send));
              received.merge(messages_of(its, Operation::Kind::receive));
            }
            EXPECT_FALSE(sent.empty());
            EXPECT_EQ(sent, received) << ranks << " ranks, " << steps << " steps";
          }
        }
      }
    }
  }
}

TEST_F(RanksOfASchedule, GhostsOfOwnCellsWaitBehindNoHaloInFlight) {
  const auto made = plan({16, 8, 8}, {periodic, periodic, mirror}, 1, Spread{});
  const Decomposition decomposition = cut_evenly({16, 8, 8}, {2, 1, 1});
  for (const Overlap overlap : {Overlap::one_kernel, Overlap::two_kernel}) {
    std::map<bool, std::set<Stream>> streams;  // of own ghosts, of others
    for (const Operation& op : schedule(*made, decomposition, 0, overlap).operations) {
      const bool is_copy = op.kind == Operation::Kind::copy;
      if (op.exchange < 0 || (!is_copy && op.kind != Operation::Kind::fill)) continue;
      streams[is_copy && op.patch != op.other_patch].insert(op.stream);
    }
    const bool is_late = overlap == Overlap::two_kernel;
    EXPECT_EQ(streams[false], std::set{is_late ? Stream::halo : Stream::compute});
    EXPECT_EQ(streams[true], std::set{Stream::halo});
  }
}

TEST_F(RanksOfASchedule, KnowNoMoreOfManyOthersThanOfFew) {
  const auto count = [&](Index3 ranks) {
    const Index3 cells{8 * ranks[0], 8 * ranks[1], 8 * ranks[2]};
    const auto made = plan(cells, periodic, 2, Blur{});
    Decomposition decomposition = cut_evenly(cells, ranks);
    decomposition.ranks = ranks;
    std::size_t operations = 0, pieces = 0, patches = 0;
    for (int rank = 0; rank < product(ranks); rank += static_cast<int>(product(ranks) / 25)) {
      const Schedule its = schedule(*made, decomposition, rank, Overlap::one_kernel);
      patches = std::max(patches, its.patches.size());
      operations = std::max(operations, its.operations.size());
      std::size_t mine = 0;
      for (const Operation& op : its.operations) mine += op.pieces.size();
      pieces = std::max(pieces, mine);
    }
    return std::array{patches, operations, pieces};
  };
  const auto few = count({3, 3, 3});
  EXPECT_EQ(few[0], 1u);
  EXPECT_EQ(count({20, 25, 20}), few);
  EXPECT_EQ(count({50, 50, 40}), few);
}

TEST_F(RanksOfASchedule, NeighborsAmongTenThousandFitTogether) {
  const Index3 ranks{25, 20, 20}, cells{203, 161, 167};
  const auto made = plan(cells, {periodic, mirror, periodic}, 2, Spread{});
  Decomposition decomposition = cut_evenly(cells, ranks);
  decomposition.ranks = ranks;
  for (const int rank : {0, 24, 499, 500, 5017, 9999}) {
    const Schedule mine = schedule(*made, decomposition, rank, Overlap::none);
    const auto received = messages_of(mine, Operation::Kind::receive);
    EXPECT_FALSE(received.empty());
    for (const auto& [way, messages] : received) {
      const auto [patch, axis, side] = way;
      const int neighbor =
          mine.patches[patch]
              .neighbor[static_cast<std::size_t>(axis)][static_cast<std::size_t>(index_of(side))];
      const Schedule theirs =
          schedule(*made, decomposition, decomposition.rank_of(neighbor), Overlap::none);
      EXPECT_EQ(messages_of(theirs, Operation::Kind::send).at(way), messages);
    }
  }
}

TEST_F(RanksOfASchedule, RefuseTheSameHalos) {
  const auto made = plan({20, 8, 8}, mirror, 4, Spread{});
  Decomposition thin = cut_explicitly({20, 8, 8}, {"10,7,3", "", ""});
  thin.ranks = {3, 1, 1};
  std::set<std::string> refusals;
  for (int rank = 0; rank < 4; ++rank) {  // the last has no patch
    try {
      schedule(*made, thin, rank, Overlap::none);
      ADD_FAILURE() << "rank " << rank;
    } catch (const Error& error) {
      refusals.insert(error.what());
    }
  }
  EXPECT_EQ(refusals.size(), 1u);
}

}  // namespace
}  // namespace goban::schedule_ranks_test
