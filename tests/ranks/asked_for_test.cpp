// Tests that run when they are asked for, under mpirun with --gtest_filter=AskedFor/*.

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/ranks/any_ranks.hpp"

namespace goban::asked_for_test {
namespace {

using Ranks = std::shared_ptr<Communicator>;

std::vector<int> mpi_rank_counts() {
  return test::is_in_threads() ? std::vector<int>{} : test::rank_counts();
}

/// What the tests' main() makes of failures; see tests/CMakeLists.txt.
class Failures : public test::AnyRanks {};

TEST_P(Failures, OneRankFails) {
  run([](const Ranks& ranks) {
    EXPECT_NE(ranks->rank(), ranks->size() - 1) << "as intended";
    ranks->barrier();
  });
}
TEST_P(Failures, OneRankThrows) {
  run([](const Ranks& ranks) {
    if (ranks->rank() == ranks->size() - 1) throw std::runtime_error("as intended");
    ranks->barrier();
  });
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Failures);  // on threads
INSTANTIATE_TEST_SUITE_P(AskedFor, Failures, testing::ValuesIn(mpi_rank_counts()));

/// More bytes than an int counts. Takes several GiB.
class Large : public test::AnyRanks {};

TEST_P(Large, ParcelsArrive) {
  run([](const Ranks& ranks) {
    const std::size_t bytes = (std::size_t{2} << 30) + 12345;
    std::vector<Parcel> parcels;
    if (ranks->rank() == 0) parcels.push_back({ranks->size() - 1, std::vector<std::byte>(bytes)});
    if (ranks->rank() == 0) parcels[0].bytes.back() = std::byte{42};
    const auto received = ranks->exchange(std::move(parcels));
    ASSERT_EQ(received.size(), ranks->rank() == ranks->size() - 1 ? 1u : 0u);
    for (const Parcel& parcel : received) {
      EXPECT_EQ(parcel.bytes.size(), bytes);
      EXPECT_EQ(parcel.bytes.back(), std::byte{42});
    }
  });
}

TEST_P(Large, MessagesArrive) {
  run([](const Ranks& ranks) {
    const int n = ranks->size(), r = ranks->rank();
    const std::size_t most = (std::size_t{2} << 30) + 4321, bytes = most - 1000;
    if (r == 0 && n > 1) {
      const auto outbox = ranks->open_outbox(n - 1, 0, most);
      outbox->next()[bytes - 1] = std::byte{42};
      outbox->send(bytes);
      ranks->barrier();
    } else if (r > 0 && r == n - 1) {
      const auto inbox = ranks->open_inbox(0, 0, most);
      ASSERT_EQ(inbox->next().size(), bytes);
      EXPECT_EQ(inbox->next()[bytes - 1], std::byte{42});
      ranks->barrier();
    } else {
      ranks->barrier();
    }
  });
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Large);  // on threads
INSTANTIATE_TEST_SUITE_P(AskedFor, Large, testing::ValuesIn(mpi_rank_counts()));

}  // namespace
}  // namespace goban::asked_for_test
