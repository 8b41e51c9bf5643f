// What the commands on checkpoints say of those on nodes, and how runs go on from them.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>

#include "goban/checkpoint/nodes/store.hpp"
#include "tests/checkpoint/made_up_run.hpp"
#include "tests/cli/command_result.hpp"
#include "tests/cli/counting_application.hpp"
#include "tests/ranks.hpp"

namespace goban::cli::checkpoint_test {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;

/// A folder of a run whose three nodes have checkpoints with parity for the loss of one.
class CheckpointCommand : public CheckpointDirectory {
 protected:
  void SetUp() override { fs::current_path(root_); }
  void TearDown() override { fs::current_path(before_); }

  static CommandResult goban(const std::vector<std::string>& arguments) {
    return testing::goban(arguments, testing::counting());
  }
  void save_on_nodes(Index step) {
    NodeRecord record{root_ / "nodes/{rank}", "run", step, {}};
    record.lineage.add("0123456789abcdef", -1);
    write_node_record(root_, record);
    test::run_ranks(3, [&](const std::shared_ptr<Communicator>& communicator) {
      NodeStore store({.folder = record.folder, .run = "run", .lineage = record.lineage},
                      communicator);
      MadeUpRun run;
      run.set(step);
      CheckpointState state;
      state.step = step;
      StateCopy copy;
      copy.take(run.subject(), state, 3, communicator->rank());
      store.save(copy, Protection::parity);
    });
  }
  fs::path node(int rank) const { return root_ / "nodes" / std::to_string(rank); }

  const fs::path before_ = fs::current_path();
};

TEST_F(CheckpointCommand, VerifyTellsWhatCanBeRepairedFromWhatCannot) {
  save_on_nodes(10);
  EXPECT_EQ(goban({"checkpoint", "verify", "."}).code, 0);
  fs::remove_all(node(1));
  const CommandResult damaged = goban({"checkpoint", "verify", "."});
  EXPECT_EQ(damaged.code, 4) << damaged.out;
  EXPECT_THAT(damaged.out, HasSubstr("0000010: damaged, can be repaired: 2 files lost or damaged"));
  const CommandResult repaired = goban({"checkpoint", "repair", "."});
  EXPECT_EQ(repaired.code, 0) << repaired.out;
  EXPECT_THAT(repaired.out, HasSubstr("made part-00001 again"));
  EXPECT_EQ(goban({"checkpoint", "verify", "."}).code, 0);
  fs::remove_all(node(0));
  fs::remove_all(node(2));
  const CommandResult lost = goban({"checkpoint", "verify", "."});
  EXPECT_EQ(lost.code, 7) << lost.out;
}

TEST_F(CheckpointCommand, ListShowsManifestsThatCannotBeRead) {
  save_on_nodes(10);
  for (int rank = 0; rank < 3; ++rank) {
    write(node(rank) / "run-0123456789abcdef/0000010/manifest.json", "{}");
  }
  EXPECT_THAT(goban({"checkpoint", "list", "."}).out, HasSubstr("0000010: unreadable: "));
}

TEST_F(CheckpointCommand, ConvertTakesTheNewestThatCanBeRead) {
  MadeUpRun run;
  auto shared = store({.keep = 9});
  run.save(shared, 10);
  run.save(shared, 30);
  fs::remove(directory() / "0000030/00_u.bin");
  save_on_nodes(20);
  const CommandResult result = goban({"checkpoint", "convert", ".", "target"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(verify_checkpoint("target/0000020").good) << result.err;
  EXPECT_THAT(result.err, HasSubstr("chk/0000030 is refused"));
}

TEST_F(CheckpointCommand, ConvertDoesNotMeddleWithRuns) {
  save_on_nodes(20);
  const int lock = ::open(".lock", O_CREAT | O_RDWR, 0666);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  const CommandResult refused = goban({"checkpoint", "convert", ".", "chk"});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("cannot write into chk (a run is saving there)"));
  ::close(lock);
  EXPECT_EQ(goban({"checkpoint", "convert", ".", "chk"}).code, 0);
}

TEST_F(CheckpointCommand, ARunNeverBeginsAnewWhereItsNodesAreGone) {
  write("count.toml",
        "app = \"counting\"\n[grid]\ncells = [8, 6, 4]\n[time]\nsteps = 10\n[checkpoint]\n"
        "at_end = false\n[checkpoint.local]\nfolder = \"nodes/{rank}\"\nevery = 4\n"
        "[output.series]\nevery = 1\n");
  ASSERT_EQ(goban({"run", "count.toml"}).code, 0);
  write("out/count/STATUS", "running\n");  // as if it had died
  const std::string series = content_of("out/count/count_series.csv");
  fs::rename("nodes", "away");
  const CommandResult refused = goban({"run", "count.toml", "--restart"});
  EXPECT_EQ(refused.code, 7);
  EXPECT_THAT(refused.err, HasSubstr("cannot go on in out/count (the nodes that have step 4 in "));
  EXPECT_EQ(content_of("out/count/count_series.csv"), series);
  EXPECT_FALSE(fs::exists("out/count.old.1"));
  fs::rename("away", "nodes");
  const CommandResult found = goban({"run", "count.toml", "--restart"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(content_of("out/count/count_series.csv"), series);
}

}  // namespace
}  // namespace goban::cli::checkpoint_test
