#include "goban/base/lead.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "tests/ranks/any_ranks.hpp"

namespace goban {
namespace {

using Ranks = std::shared_ptr<Communicator>;

class Leading : public test::AnyRanks {};

/// Sum of what every rank gives, as a part of work that the first one leads.
std::uint64_t together(Communicator& ranks, std::uint64_t given) {
  ranks.sum({&given, 1});
  return given;
}

TEST_P(Leading, OthersFollowEveryCallInItsOrder) {
  run([](const Ranks& ranks) {
    std::vector<std::int64_t> followed;
    std::vector<std::uint64_t> sums;
    lead_ranks(
        *ranks,
        [&](const Announce& announce) {
          for (const std::int64_t what : {7, 0, -3}) {
            announce(what);
            sums.push_back(together(*ranks, 1));
          }
        },
        [&](std::int64_t what) {
          followed.push_back(what);
          together(*ranks, 10);
        });
    if (ranks->rank() == 0) {
      const auto expected = static_cast<std::uint64_t>(1 + 10 * (ranks->size() - 1));
      EXPECT_EQ(sums, std::vector<std::uint64_t>(3, expected));
      EXPECT_TRUE(followed.empty());
    } else {
      EXPECT_EQ(followed, (std::vector<std::int64_t>{7, 0, -3}));
    }
  });
}

TEST_P(Leading, AnErrorOfTheFirstIsThrownOnAllAndNobodyWaits) {
  run([](const Ranks& ranks) {
    const auto lead = [&](const Announce& announce) {
      announce(1);
      together(*ranks, 1);
      throw Error(ExitCode::files, "the disk is full");
    };
    try {
      lead_ranks(*ranks, lead, [&](std::int64_t) { together(*ranks, 1); });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::files);
      EXPECT_STREQ(error.what(), "the disk is full");
    }
    ranks->barrier();
  });
}

/// Not only what goban throws itself.
TEST_P(Leading, AnyExceptionOfTheFirstIsThrownOnAll) {
  run([](const Ranks& ranks) {
    const auto lead = [&](const Announce& announce) {
      announce(1);
      together(*ranks, 1);
      throw std::runtime_error("as a library says it");
    };
    try {
      lead_ranks(*ranks, lead, [&](std::int64_t) { together(*ranks, 1); });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::exception& error) {
      EXPECT_STREQ(error.what(), "as a library says it");
    }
    ranks->barrier();
  });
}

TEST_P(Leading, AnyExceptionOfOneIsThrownOnAllWhoAgree) {
  run([](const Ranks& ranks) {
    try {
      agree(*ranks, [&] {
        if (ranks->rank() == ranks->size() - 1) throw std::bad_alloc();
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::resources);
    } catch (const std::bad_alloc&) {
      EXPECT_EQ(ranks->size(), 1);
    }
    ranks->barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(On, Leading, testing::ValuesIn(test::rank_counts()));

}  // namespace
}  // namespace goban
