#include "tests/thread_ranks/slow_links.hpp"

#include <chrono>

#include "tests/ranks/any_ranks.hpp"

namespace goban::slow_links_test {
namespace {

using test::AnyRanks;
using Ranks = std::shared_ptr<Communicator>;
using Clock = std::chrono::steady_clock;

class SlowLinks : public AnyRanks {};

/// Seconds until all messages of the rank before this one, around a ring, have come.
double time_of_messages(Communicator& ranks, int messages, std::size_t bytes) {
  const int n = ranks.size(), r = ranks.rank();
  const auto outbox = ranks.open_outbox((r + 1) % n, 0, bytes);
  const auto inbox = ranks.open_inbox((r + n - 1) % n, 0, bytes);
  const auto start = Clock::now();
  ranks.barrier();
  for (int i = 0; i < messages; ++i) {
    *outbox->next() = static_cast<std::byte>(i);
    outbox->send(bytes);
    const auto message = inbox->next();
    EXPECT_EQ(message.size(), bytes);
    EXPECT_EQ(message[0], static_cast<std::byte>(i));
    inbox->release();
  }
  return std::chrono::duration<double>(Clock::now() - start).count();
}

TEST_P(SlowLinks, EveryMessageTakesItsTime) {
  run([](const Ranks& ranks) {
    if (ranks->size() == 1) return;
    const auto slow = with_slow_links(ranks, {.latency = 0.005, .bytes_per_second = 1e6});
    EXPECT_GE(time_of_messages(*slow, 4, 2000), 4 * (0.005 + 0.002));
    EXPECT_GE(time_of_messages(*slow->duplicate(), 2, 3), 0.005);
  });
}

TEST_P(SlowLinks, MessagesOfOneLinkFollowEachOther) {
  run([](const Ranks& ranks) {
    if (ranks->size() == 1) return;
    const auto slow = with_slow_links(ranks, {.latency = 0, .bytes_per_second = 1e6});
    const int n = ranks->size(), r = ranks->rank();
    const auto one = slow->open_outbox((r + 1) % n, 1, 5000);
    const auto other = slow->open_outbox((r + 1) % n, 2, 5000);
    const auto start = Clock::now();
    ranks->barrier();
    one->send(5000);
    other->send(5000);
    const auto last = slow->open_inbox((r + n - 1) % n, 2, 5000);
    EXPECT_EQ(last->next().size(), 5000u);
    EXPECT_GE(std::chrono::duration<double>(Clock::now() - start).count(), 0.010);
    const auto first = slow->open_inbox((r + n - 1) % n, 1, 5000);
    EXPECT_EQ(first->next().size(), 5000u);
  });
}

TEST_P(SlowLinks, CollectiveCallsAreThoseOfTheRanks) {
  run([](const Ranks& ranks) {
    const auto slow = with_slow_links(ranks, {.latency = 1});
    std::uint64_t one = 1;
    slow->sum({&one, 1});
    EXPECT_EQ(one, static_cast<std::uint64_t>(ranks->size()));
    EXPECT_EQ(slow->nodes(), ranks->nodes());
  });
}

INSTANTIATE_TEST_SUITE_P(On, SlowLinks, testing::ValuesIn(test::rank_counts()));

}  // namespace
}  // namespace goban::slow_links_test
