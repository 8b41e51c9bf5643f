// A run that saves again and again takes no more memory, files or disk than one that has saved a
// few times.

#include "goban/io/file/file.hpp"
#include "tests/long.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::many_saves_test {
namespace {

class ManySaves : public SmallRuns, public ::testing::WithParamInterface<bool> {
 protected:
  static Index resident_bytes() {
    Index pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
  }
  static Index open_files() {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  }
  Index entries_left() const { return std::ssize(entries_below(root_)); }
};

/// What 24 hours of saves every 10 s would show.
TEST_P(ManySaves, LeaveNothingBehind) {
  const Index saves = test::in_short_or_long(300, 9000);
  SmallRunOptions options{
      .steps = 2 * saves, .directory = root_ / "run", .outputs = false, .checkpoints = every(4)};
  options.policy.background = GetParam();
  options.policy.nodes = {.folder = root_ / "nodes", .local = every(2)};
  SmallRun run(options);
  Index memory = 0, files = 0, left = 0;
  run.simulation().on(at_steps({saves / 2}), [&](const Clock&) {
    memory = resident_bytes();
    files = open_files();
    left = entries_left();
  });
  Index last_memory = 0, last_files = 0, last_left = 0;
  run.simulation().on(at_steps({2 * saves - 2}), [&](const Clock&) {
    last_memory = resident_bytes();
    last_files = open_files();
    last_left = entries_left();
  });
  EXPECT_EQ(run.simulation().run(), RunStatus::finished);
  EXPECT_EQ(summary_of(root_ / "run")["checkpoints"]["saved"]["local"], saves);
  EXPECT_LT(last_memory, memory + memory / 100 + 65536);
  // Some are open, and one state more is there, while a thread saves.
  EXPECT_LE(last_files, files + (GetParam() ? 6 : 0));
  EXPECT_LE(last_left, left + (GetParam() ? 24 : 0));
}

INSTANTIATE_TEST_SUITE_P(Runs, ManySaves, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "ThatGoOn" : "ThatWait"; });

}  // namespace
}  // namespace goban::many_saves_test
