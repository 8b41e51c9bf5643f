#include "goban/domain/ranks/mpi_loader.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace goban::mpi_loader_test {
namespace {

Launch launch(const std::map<std::string, std::string>& variables) {
  return find_launch([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

using Mpis = std::vector<std::string>;

TEST(MpiLoader, AProgramStartedByNoMpiIsOneRank) {
  EXPECT_EQ(launch({}).ranks, 1);
  EXPECT_EQ(launch({}).mpis, Mpis{});
  EXPECT_EQ(launch({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}).mpis, Mpis{});
}

TEST(MpiLoader, TheLauncherSaysWhichMpiAndHowManyRanks) {
  const auto open_mpi = launch({{"OMPI_COMM_WORLD_SIZE", "3"}, {"PMIX_RANK", "0"}});
  EXPECT_EQ(open_mpi.ranks, 3);
  EXPECT_EQ(open_mpi.mpis, Mpis{"openmpi"});
  const auto hydra = launch({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}});
  EXPECT_EQ(hydra.ranks, 4);
  EXPECT_EQ(hydra.mpis, (Mpis{"mpich", "openmpi"}));
  const auto slurm = launch({{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "6"}});
  EXPECT_EQ(slurm.ranks, 6);
  EXPECT_EQ(slurm.mpis, (Mpis{"openmpi", "mpich"}));
  EXPECT_EQ(launch({{"PMIX_RANK", "1"}}).ranks, 0);
}

TEST(MpiLoader, CopiesStartedWithoutAnyMpiAreNotTakenForPrograms) {
  EXPECT_EQ(launch({{"SLURM_STEP_NUM_TASKS", "6"}}).ranks, 6);
  EXPECT_FALSE(launch({{"SLURM_STEP_NUM_TASKS", "6"}}).mpis.empty());
  EXPECT_TRUE(launch({{"SLURM_STEP_NUM_TASKS", "1"}}).mpis.empty());
}

TEST(MpiLoader, TheUserChooses) {
  EXPECT_EQ(launch({{"PMIX_RANK", "1"}, {"GOBAN_MPI", "mpich"}}).mpis, Mpis{"mpich"});
  EXPECT_EQ(launch({{"PMIX_RANK", "1"}, {"GOBAN_MPI", "none"}}).mpis, Mpis{});
}

}  // namespace
}  // namespace goban::mpi_loader_test
