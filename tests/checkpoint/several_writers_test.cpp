// Checkpoints that several ranks save are those of one.

#include <gtest/gtest.h>

#include <map>

#include "goban/checkpoint/hash.hpp"
#include "tests/checkpoint/made_up_run.hpp"
#include "tests/ranks.hpp"

namespace goban::several_writers_test {
namespace {

class SeveralSavers : public CheckpointDirectory {};

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Blocks of a checkpoint and the hashes that its manifest has of them.
std::map<std::string, std::string> blocks_in(const fs::path& checkpoint) {
  std::map<std::string, std::string> files;
  for (const StoredArray& array : read_manifest(checkpoint).arrays) {
    files[array.file] = content_of(checkpoint / array.file);
    for (const std::uint64_t hash : array.block_hashes) files[array.name] += hex_of(hash);
  }
  return files;
}

void save(const fs::path& directory, const FileRanks& ranks, Index step) {
  MadeUpRun run({300, 170, 40});  // several pieces an array
  DirectoryStore store(directory, {.block_bytes = 1 << 16}, ranks);
  run.save(store, step);
}

TEST_F(SeveralSavers, LeaveTheCheckpointOfOne) {
  save(root_ / "one", {}, 3);
  test::run_ranks(3,
                  [&](const std::shared_ptr<Communicator>& communicator) {
                    FileRanks ranks = writers_of_machines(communicator, root_);
                    EXPECT_EQ(ranks.writers().size(), 3u);
                    save(directory(), ranks, 3);
                  },
                  {0, 1, 2});
  const auto one = blocks_in(root_ / "one/0000003"), several = blocks_in(directory() / "0000003");
  EXPECT_EQ(one.size(), 6u);
  EXPECT_TRUE(one == several);
  EXPECT_TRUE(verify_checkpoint(directory() / "0000003").good);
}

TEST_F(SeveralSavers, KeepTheOldOneWhereOneOfThemFails) {
  save(directory(), {}, 3);
  test::run_ranks(
      3,
      [&](const std::shared_ptr<Communicator>& communicator) {
        FileRanks ranks = writers_of_machines(communicator, root_);
        // One machine loses the directory in the middle of the run.
        const fs::path mine = communicator->rank() == 1 ? root_ / "gone" : directory();
        try {
          save(mine, ranks, 4);
          ADD_FAILURE() << "it was saved";
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ExitCode::files);
          EXPECT_NE(std::string(error.what()).find("gone/0000004.partial"), std::string::npos)
              << error.what();
        }
      },
      {0, 1, 2});
  EXPECT_TRUE(verify_checkpoint(directory() / "0000003").good);
  EXPECT_FALSE(fs::exists(directory() / "0000004"));
  EXPECT_FALSE(fs::exists(directory() / "0000004.partial"));
}

/// While a thread saves a copy, the cells of the run may go to other ranks.
TEST_F(SeveralSavers, DoNotAskTheRunWhoHasWhat) {
  test::run_ranks(
      2,
      [&](const std::shared_ptr<Communicator>& communicator) {
        FileRanks ranks = writers_of_machines(communicator, root_);
        ranks.owned_by = [](int) -> Box {
          ADD_FAILURE() << "the run was asked";
          return {};
        };
        MadeUpRun run({300, 170, 40});
        run.set(3);
        CheckpointState state;
        state.step = 3;
        StateCopy copy;
        copy.take(run.subject(), state, 2, communicator->rank());
        const CheckpointSubject subject = copy.subject(*communicator);
        for (const CheckpointArray& array : subject.arrays) {
          EXPECT_EQ(array.owned_by(1).upper, array.extents);
        }
        DirectoryStore(directory(), {.block_bytes = 1 << 16}, ranks).save(subject, state);
      },
      {0, 1});
  EXPECT_TRUE(verify_checkpoint(directory() / "0000003").good);
}

}  // namespace
}  // namespace goban::several_writers_test
