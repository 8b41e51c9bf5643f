// What `goban doctor` makes of ranks, measured ones made up.

#include "cli/doctor_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace goban::cli::doctor_ranks_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Two machines of two ranks, two cores each.
RankSurvey four_alike() {
  RankSurvey survey;
  for (int rank = 0; rank < 4; ++rank) {
    RankCard card;
    card.machine = rank / 2;
    card.host = rank < 2 ? "a" : "b";
    card.build = "goban 1.2.3 (abc)";
    card.communicator = "Some MPI 4, thread level serialized";
    card.cores = {2 * (rank % 2), 2 * (rank % 2) + 1};
    card.usable_cores = card.threads = 2;
    card.copy_bandwidth = 10e9;
    survey.ranks.push_back(card);
    if (rank > 0) survey.links.push_back({rank - 1, rank, rank == 2 ? 9e-6 : 1e-6, 5e9});
  }
  return survey;
}

TEST(DoctorRanks, FourAlike_NeedNoAdvice) { EXPECT_THAT(advice_on_ranks(four_alike()), IsEmpty()); }

TEST(DoctorRanks, PrintsTheMapAndTheLinks) {
  std::ostringstream out;
  print_ranks(out, four_alike());
  EXPECT_THAT(out.str(), AllOf(HasSubstr("4 on 2 machines, Some MPI 4, thread level serialized"),
                               HasSubstr("2, 3"), HasSubstr("all copy at once: 40.0 GB/s"),
                               HasSubstr("9.0 us   5.00 GB/s"), HasSubstr("host, between machines"),
                               Not(HasSubstr("GPU to GPU"))));
}

TEST(DoctorRanks, ManyRanks_AreNotAllPrinted) {
  RankSurvey survey = four_alike();
  for (int rank = 4; rank < 100; ++rank) survey.ranks.push_back(survey.ranks[0]);
  std::ostringstream out;
  print_ranks(out, survey);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("and 36 more"), HasSubstr("1000.0 GB/s")));
}

TEST(DoctorRanks, WaysOfGpus_AreNamed) {
  RankSurvey survey = four_alike();
  for (int rank = 0; rank < 4; ++rank) {
    survey.ranks[static_cast<std::size_t>(rank)].gpus = {"0000:0" + std::to_string(rank) +
                                                         ":00.0 H200"};
  }
  survey.ranks[0].reached = {1};
  std::ostringstream out;
  print_ranks(out, survey);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("0000:03:00.0 H200"), HasSubstr("GPU to GPU"),
                               HasSubstr("host, between machines"),
                               HasSubstr("host, as the GPUs do not reach each other")));
  EXPECT_THAT(advice_on_ranks(survey), IsEmpty());
  survey.ranks[0].no_nccl = "ranks 1 and 2 share a GPU";
  survey.ranks[1].reached_by_mpi = {2};
  std::ostringstream by_mpi;
  print_ranks(by_mpi, survey);
  EXPECT_THAT(by_mpi.str(), AllOf(HasSubstr("MPI, from memory of GPUs"),
                                  HasSubstr("none: ranks 1 and 2 share a GPU"),
                                  HasSubstr("takes no memory of GPUs")));
  for (RankCard& card : survey.ranks) card.nccl = "NCCL 2.28.9";
  std::ostringstream by_nccl;
  print_ranks(by_nccl, survey);
  EXPECT_THAT(by_nccl.str(),
              AllOf(HasSubstr("GPU to GPU"), HasSubstr("  NCCL\n"),
                    HasSubstr("NCCL             NCCL 2.28.9"), Not(HasSubstr("host"))));
}

TEST(DoctorRanks, MoreRanksThanCores_AreCounted) {
  RankSurvey survey = four_alike();
  survey.ranks[2].cores = survey.ranks[3].cores = {0};
  survey.ranks[2].usable_cores = survey.ranks[3].usable_cores = 1;
  EXPECT_THAT(advice_on_ranks(survey),
              ElementsAre(AllOf(HasSubstr("2 ranks of b share 1 core"), HasSubstr("--bind-to"))));
}

TEST(DoctorRanks, RanksBoundToOneCoreOfSeveral_AreNamed) {
  RankSurvey survey = four_alike();
  for (int rank = 4; rank < 6; ++rank) {
    survey.ranks.push_back(survey.ranks[0]);
    survey.ranks.back().cores = {7};
    survey.ranks.back().usable_cores = 1;
  }
  EXPECT_THAT(advice_on_ranks(survey),
              ElementsAre(HasSubstr("ranks 4, 5 of a are bound to the same core 7: ")));
}

TEST(DoctorRanks, CoresSharedInPart_AreNamed) {
  RankSurvey survey = four_alike();
  survey.ranks[3].cores = {1, 2};
  EXPECT_THAT(advice_on_ranks(survey), ElementsAre(HasSubstr("of each other's cores")));
}

TEST(DoctorRanks, OtherBuilds_AreNamed) {
  RankSurvey survey = four_alike();
  survey.ranks[1].build = survey.ranks[3].build = "goban 1.2.2 (def)";
  EXPECT_THAT(advice_on_ranks(survey),
              ElementsAre(AllOf(HasSubstr("goban 1.2.2 (def) on ranks 1, 3"),
                                HasSubstr("goban 1.2.3 (abc) on ranks 0, 2"))));
}

TEST(DoctorRanks, SharedGpu_IsNamedOnOneMachineAlone) {
  RankSurvey survey = four_alike();
  for (RankCard& card : survey.ranks) card.gpus = {"0000:1b:00.0 H200"};
  survey.ranks[3].gpus = {"0000:1c:00.0 H200"};
  EXPECT_THAT(advice_on_ranks(survey),
              ElementsAre(HasSubstr("ranks 0, 1 share the GPU 0000:1b:00.0 H200 of a")));
}

TEST(DoctorRanks, SlowLinks_AreComparedWithThoseOfTheirKind) {
  RankSurvey survey = four_alike();
  survey.links = {{0, 1, 1e-6, 5e9}, {0, 1, 1e-6, 5e9}, {2, 3, 1e-6, 1e9}, {1, 2, 50e-6, 0.5e9}};
  EXPECT_THAT(advice_on_ranks(survey), ElementsAre(HasSubstr("between ranks 2 and 3 take 1.0 us")));
}

TEST(DoctorRanks, NobodyWatching_IsSaid) {
  RankSurvey survey = four_alike();
  for (RankCard& card : survey.ranks) card.is_watched = false;
  EXPECT_THAT(advice_on_ranks(survey), ElementsAre(HasSubstr("GOBAN_WATCH")));
}

TEST(DoctorRanks, NumbersAreWrittenAsRanges) {
  EXPECT_EQ(numbers_text({}), "");
  EXPECT_EQ(numbers_text({5}), "5");
  EXPECT_EQ(numbers_text({0, 1, 2, 3, 8, 10, 11}), "0-3, 8, 10, 11");
}

}  // namespace
}  // namespace goban::cli::doctor_ranks_test
