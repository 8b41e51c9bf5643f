#include "tests/thread_ranks/communicator.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/ranks.hpp"

namespace goban::thread_communicator_test {
namespace {

using test::run_ranks;
using Ranks = std::shared_ptr<Communicator>;

/// What a rank sees when rank 2 of 4 ends by an exception while it waits in f.
std::string seen_by_rank_0(const std::function<void(Communicator&)>& f) {
  std::string seen;
  try {
    run_ranks(4, [&](const Ranks& ranks) {
      if (ranks->rank() == 2) throw std::runtime_error("the reason");
      try {
        f(*ranks);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::peer_lost);
        if (ranks->rank() == 0) seen = error.what();
        throw;
      }
    });
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the reason");
  }
  return seen;
}

constexpr auto lost = "rank 2 is gone (it ended while others waited for it)";

TEST(ThreadRanks, AThrowingRankEndsTheWaitsOfAllOthers) {
  EXPECT_EQ(seen_by_rank_0([](Communicator& ranks) { ranks.barrier(); }), lost);
  EXPECT_EQ(seen_by_rank_0([](Communicator& ranks) { ranks.exchange({}); }), lost);
  EXPECT_EQ(seen_by_rank_0([](Communicator& ranks) { ranks.open_inbox(2, 0, 8)->next(); }), lost);
  EXPECT_EQ(seen_by_rank_0([](Communicator& ranks) { ranks.open_inbox(1, 0, 8)->next(); }), lost);
  EXPECT_EQ(seen_by_rank_0([](Communicator& ranks) {
              const auto outbox = ranks.open_outbox(3, 0, 8);
              for (int i = 0; i < 3; ++i) outbox->send(8);
            }),
            lost);
}

TEST(ThreadRanks, WhoWaitsForARankThatHasReturnedIsTold) {
  std::string seen;
  run_ranks(2, [&](const Ranks& ranks) {
    if (ranks->rank() == 0) return;
    try {
      ranks->barrier();
    } catch (const Error& error) {
      seen = error.what();
    }
  });
  EXPECT_EQ(seen, "rank 0 is gone (it ended while others waited for it)");
}

TEST(ThreadRanks, MessagesOfARankThatHasReturnedArrive) {
  run_ranks(2, [&](const Ranks& ranks) {
    if (ranks->rank() == 0) {
      const auto outbox = ranks->open_outbox(1, 0, 8);
      outbox->send(3);
      outbox->send(8);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const auto inbox = ranks->open_inbox(0, 0, 8);
      EXPECT_EQ(inbox->next().size(), 3u);
      inbox->release();
      EXPECT_EQ(inbox->next().size(), 8u);
      inbox->release();
      EXPECT_THROW(inbox->next(), Error);
    }
  });
}

TEST(ThreadRanks, AMessageStaysUntilReleased) {
  run_ranks(2, [&](const Ranks& ranks) {
    const auto outbox = ranks->open_outbox(1 - ranks->rank(), 0, 8);
    const auto inbox = ranks->open_inbox(1 - ranks->rank(), 0, 8);
    *outbox->next() = std::byte{1};
    outbox->send(1);
    *outbox->next() = std::byte{2};
    outbox->send(1);
    ranks->barrier();
    EXPECT_EQ(inbox->next()[0], std::byte{1});
    EXPECT_EQ(inbox->next()[0], std::byte{1});
    inbox->release();
    EXPECT_EQ(inbox->next()[0], std::byte{2});
  });
}

}  // namespace
}  // namespace goban::thread_communicator_test
