#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "tests/ranks/any_ranks.hpp"

namespace goban::messages_test {
namespace {

using test::AnyRanks;
using Ranks = std::shared_ptr<Communicator>;

class Messages : public AnyRanks {};

void send(Outbox& outbox, std::size_t bytes, int first) {
  std::byte* memory = outbox.next();
  for (std::size_t i = 0; i < bytes; ++i)
    memory[i] = static_cast<std::byte>(static_cast<std::size_t>(first) + i);
  outbox.send(bytes);
}

void expect(Inbox& inbox, std::size_t bytes, int first) {
  const auto message = inbox.next();
  ASSERT_EQ(message.size(), bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    ASSERT_EQ(message[i], static_cast<std::byte>(static_cast<std::size_t>(first) + i));
  inbox.release();
}

TEST_P(Messages, GoAroundARing) {
  run([](const Ranks& ranks) {
    const int n = ranks->size(), r = ranks->rank();
    if (n == 1) return;
    const auto outbox = ranks->open_outbox((r + 1) % n, 5, sizeof(std::uint64_t));
    const auto inbox = ranks->open_inbox((r + n - 1) % n, 5, sizeof(std::uint64_t));
    std::uint64_t value = r;
    const int rounds = 3000 / n * n;
    for (int round = 0; round < rounds; ++round) {
      ++value;
      std::memcpy(outbox->next(), &value, sizeof(value));
      outbox->send(sizeof(value));
      const auto message = inbox->next();
      ASSERT_EQ(message.size(), sizeof(value));
      std::memcpy(&value, message.data(), sizeof(value));
      inbox->release();
    }
    EXPECT_EQ(value, static_cast<std::uint64_t>(r + rounds));
  });
}

TEST_P(Messages, HaveEverySizeUpToTheLargest) {
  run([](const Ranks& ranks) {
    const int n = ranks->size(), r = ranks->rank();
    if (n == 1) return;
    const std::size_t most = 200000;
    const auto outbox = ranks->open_outbox((r + 1) % n, 0, most);
    const auto inbox = ranks->open_inbox((r + n - 1) % n, 0, most);
    int round = 0;
    for (const std::size_t bytes : {0, 1, 7, 64, 4095, 4096, 65536, 199999, 200000, 0, 3}) {
      send(*outbox, bytes, ++round);
      expect(*inbox, bytes, round);
    }
  });
}

TEST_P(Messages, LieInMemoryThatTheSenderGives) {
  run([](const Ranks& ranks) {
    const int n = ranks->size(), r = ranks->rank();
    if (n == 1) return;
    constexpr std::size_t bytes = 5000;
    std::vector<MessageMemory> given;
    const auto give = [&](std::size_t size) {
      return given.emplace_back(new std::byte[size], std::default_delete<std::byte[]>());
    };
    {
      const auto outbox = ranks->open_outbox((r + 1) % n, 4, bytes, give);
      const auto inbox = ranks->open_inbox((r + n - 1) % n, 4, bytes, give);
      for (int round = 0; round < 5; ++round) {
        const std::byte* const next = outbox->next();
        EXPECT_TRUE(std::any_of(given.begin(), given.end(),
                                [&](const MessageMemory& one) { return one.get() == next; }));
        send(*outbox, bytes, round);
        expect(*inbox, bytes, round);
      }
      ranks->barrier();
    }
    EXPECT_GE(given.size(), message_slots);
  });
}

TEST_P(Messages, BetweenAllPairsAndTagsKeepTheirOrder) {
  run([](const Ranks& ranks) {
    const int n = ranks->size(), r = ranks->rank();
    std::vector<std::unique_ptr<Outbox>> outboxes;
    std::vector<std::unique_ptr<Inbox>> inboxes;
    for (const int tag : {0, 1, 32767})
      for (int peer = 0; peer < n; ++peer) {
        if (peer == r) continue;
        inboxes.push_back(ranks->open_inbox(peer, tag, 5000));
        outboxes.push_back(ranks->open_outbox(peer, tag, 5000));
      }
    for (int round = 0; round < 50; ++round) {
      for (const auto& outbox : outboxes) send(*outbox, round * 100, round);
      for (auto inbox = inboxes.rbegin(); inbox != inboxes.rend(); ++inbox)
        expect(**inbox, round * 100, round);
    }
  });
}

TEST_P(Messages, TwoOfThemAreUnderWayBeforeTheOtherEndIsThere) {
  run([](const Ranks& ranks) {
    const int n = ranks->size(), r = ranks->rank();
    if (n == 1) return;
    for (const std::size_t bytes : {16, 1 << 20}) {
      const auto outbox = ranks->open_outbox((r + 1) % n, 1, bytes);
      send(*outbox, bytes, 1);
      send(*outbox, bytes, 2);
      ranks->barrier();
      const auto inbox = ranks->open_inbox((r + n - 1) % n, 1, bytes);
      expect(*inbox, bytes, 1);
      expect(*inbox, bytes, 2);
    }
  });
}

TEST_P(Messages, ASenderRunsAhead) {
  run([](const Ranks& ranks) {
    const int n = ranks->size(), r = ranks->rank();
    const int rounds = 2000;
    std::unique_ptr<Inbox> inbox;
    std::unique_ptr<Outbox> outbox;
    if (r > 0) inbox = ranks->open_inbox(r - 1, 3, 100);
    if (r + 1 < n) outbox = ranks->open_outbox(r + 1, 3, 100);
    for (int round = 0; round < rounds; ++round) {
      if (inbox && round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (inbox) expect(*inbox, round % 101, round);
      if (outbox) send(*outbox, round % 101, round);
    }
  });
}

TEST_P(Messages, OfClosedBoxesDoNotReachTheNext) {
  run([](const Ranks& ranks) {
    const int n = ranks->size(), r = ranks->rank();
    if (n == 1) return;
    for (int round = 0; round < 40; ++round) {
      const std::size_t bytes = round % 2 == 0 ? 100 : 100000;
      const auto outbox = ranks->open_outbox((r + 1) % n, 9, bytes);
      const auto inbox = ranks->open_inbox((r + n - 1) % n, 9, bytes);
      send(*outbox, bytes, round);
      expect(*inbox, bytes, round);
      if (round % 3 == 0) send(*outbox, 5, -1);
    }
  });
}

TEST_P(Messages, AndCollectivesDoNotMix) {
  run([](const Ranks& ranks) {
    const int n = ranks->size(), r = ranks->rank();
    if (n == 1) return;
    const auto outbox = ranks->open_outbox((r + 1) % n, 0, 1000);
    const auto inbox = ranks->open_inbox((r + n - 1) % n, 0, 1000);
    for (int round = 0; round < 50; ++round) {
      send(*outbox, 1000, round);
      const auto received = ranks->exchange({{(r + 1) % n, std::vector<std::byte>(round)}});
      ASSERT_EQ(received.size(), 1u);
      EXPECT_EQ(received[0].bytes.size(), static_cast<std::size_t>(round));
      std::vector<std::uint64_t> count = {1};
      ranks->sum(count);
      EXPECT_EQ(count[0], static_cast<std::uint64_t>(n));
      expect(*inbox, 1000, round);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(On, Messages, testing::ValuesIn(test::rank_counts()));

}  // namespace
}  // namespace goban::messages_test
