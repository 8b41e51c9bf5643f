// Checkpoints that earlier versions have written are read by this one: golden/version1 is a
// directory of the first format, golden/version2 the nodes of a run of three ranks with parity.
// They hold step 3 of MadeUpRun({5, 4, 3}).

#include "goban/checkpoint/nodes/store.hpp"
#include "tests/checkpoint/made_up_run.hpp"

namespace goban::golden_test {
namespace {

const fs::path golden = fs::path(GOBAN_SOURCE_DIR) / "tests/checkpoint/golden";

Index step_in(CheckpointStore& store) {
  MadeUpRun run({5, 4, 3});
  const auto state = load_checkpoint({&store}, {}, run.subject(), [](const std::string&) {});
  if (!state) return -1;
  EXPECT_TRUE(run.holds(state->step));
  EXPECT_EQ(state->time, 0.375);
  EXPECT_EQ(state->details.at("rows"), 3);
  return state->step;
}

class GoldenCheckpoints : public CheckpointDirectory {};

TEST_F(GoldenCheckpoints, OfTheFirstFormatAreRead) {
  DirectoryStore store(golden / "version1");
  EXPECT_EQ(step_in(store), 3);
  EXPECT_TRUE(verify_checkpoint(golden / "version1/0000003").good);
}

TEST_F(GoldenCheckpoints, OfNodesAreReadAlsoWhereOneIsLost) {
  fs::copy(golden / "version2", root_ / "nodes", fs::copy_options::recursive);
  fs::remove_all(root_ / "nodes/1");
  NodeStore store({.folder = root_ / "nodes/{rank}", .run = "run"}, self_communicator());
  EXPECT_EQ(step_in(store), 3);
}

TEST_F(GoldenCheckpoints, AreWrittenToTheByteAsEver) {
  MadeUpRun run({5, 4, 3});
  run.set(3);
  CheckpointState state;
  state.step = 3;
  state.time = 0.375;
  state.details = {{"rows", 3}};
  auto to = store();
  to.save(run.subject(), state);
  for (const char* file : {"00_u.bin", "01_the_velocity_2.bin", "02_solid.bin"}) {
    EXPECT_EQ(content_of(directory() / "0000003" / file),
              content_of(golden / "version1/0000003" / file))
        << file;
  }
}

}  // namespace
}  // namespace goban::golden_test
