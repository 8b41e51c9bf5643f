#include "goban/checkpoint/directory_store.hpp"

#include <sys/mount.h>

#include <atomic>
#include <thread>

#include "goban/simulation/report/run_files.hpp"
#include "tests/checkpoint/made_up_run.hpp"
#include "tests/error_text.hpp"
#include "tests/long.hpp"

namespace goban::directory_store_test {
namespace {

using Steps = std::vector<Index>;

class DirectoryStores : public CheckpointDirectory {
 protected:
  /// Files of the checkpoint of a step, the manifest last.
  std::vector<fs::path> files_of(Index step) const {
    std::vector<fs::path> files;
    const fs::path there = directory() / checkpoint_name(step);
    for (const auto& entry : fs::directory_iterator(there)) {
      if (entry.path().filename() != "manifest.json") files.push_back(entry.path());
    }
    files.push_back(there / "manifest.json");
    return files;
  }
};

TEST_F(DirectoryStores, GiveBackWhatTheyGot) {
  MadeUpRun run;
  auto to = store();
  run.save(to, 100);
  run.set(0);
  EXPECT_EQ(restored(run), 100);
  EXPECT_TRUE(verify_checkpoint(directory() / "0000100").good);
}

TEST_F(DirectoryStores, HoldNothingBeforeTheFirstSave) {
  MadeUpRun run;
  EXPECT_EQ(restored(run), -1);
  fs::create_directories(directory());
  EXPECT_EQ(restored(run), -1);
  fs::create_directories(directory() / "0000100.partial");
  EXPECT_EQ(restored(run), -1) << "a checkpoint that was never committed does not count";
}

TEST_F(DirectoryStores, KeepTheNewestAndTheArchived) {
  MadeUpRun run;
  auto to = store({.keep = 2, .archive_every = 30, .block_bytes = 1024});
  for (const Index step : {10, 20, 30, 40, 50, 60, 70, 80}) run.save(to, step);
  EXPECT_EQ(steps_there(), (Steps{80, 70, 60, 30}));
  for (const auto& entry : list_checkpoints(directory())) {
    EXPECT_TRUE(verify_checkpoint(entry.path).good);
  }
}

TEST_F(DirectoryStores, RefuseFoldersThatChangedTheirNames) {
  MadeUpRun run;
  auto to = store();
  for (const Index step : {42, 49}) run.save(to, step);
  fs::rename(directory() / "0000042", directory() / "other");
  fs::rename(directory() / "0000049", directory() / "0000042");
  fs::rename(directory() / "other", directory() / "0000049");
  EXPECT_THROW(restored(run), Error);
  EXPECT_NE(log_.find("its manifest is that of step 42, not of step 49"), std::string::npos)
      << log_;
  EXPECT_FALSE(verify_checkpoint(directory() / "0000049").good);
}

TEST_F(DirectoryStores, LeaveConstantArraysAloneWhereTheRunIsAnotherCase) {
  MadeUpRun run;
  auto to = store();
  run.save(to, 10);
  run.set(20);
  MadeUpRun expected;
  expected.set(10);
  expected.arrays[2].fill(20);
  CheckpointSubject subject = run.subject();
  subject.arrays[2].constant = true;
  subject.accept = [](const CheckpointState& state) { return state.step != 10; };
  auto from = store();
  EXPECT_TRUE(load_checkpoint({&from}, {}, subject, [](const std::string&) {}));
  for (std::size_t i = 0; i < run.arrays.size(); ++i) {
    EXPECT_TRUE(run.arrays[i].bytes == expected.arrays[i].bytes) << i;
  }
}

TEST_F(DirectoryStores, WhatCannotBeLookedAtIsAnErrorOfFiles) {
  fs::create_directories(directory().parent_path());
  fs::create_symlink(directory().filename(), directory());
  MadeUpRun run;
  auto to = store();
  EXPECT_EQ(test::code_of([&] { run.save(to, 1); }), ExitCode::files) << "nothing was thrown";
}

TEST_F(DirectoryStores, ChooseByStep) {
  MadeUpRun run;
  auto to = store({.keep = 3, .block_bytes = 1024});
  for (const Index step : {1, 2, 3}) run.save(to, step);
  EXPECT_EQ(restored(run, {.step = 2}), 2);
  EXPECT_EQ(refusal(run, {.step = 4}), ExitCode::no_checkpoint);
}

TEST_F(DirectoryStores, FallBackToTheOlderOneAndSayWhy) {
  MadeUpRun run;
  auto to = store();
  run.save(to, 1);
  run.save(to, 2);
  const auto files = files_of(2);
  ASSERT_EQ(files.size(), 4u);
  for (const fs::path& file : files) {
    const std::string good = content_of(file);
    for (const std::size_t at : {std::size_t{0}, good.size() / 2, good.size() - 1}) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ 16);
      write(file, damaged);
      EXPECT_FALSE(verify_checkpoint(directory() / "0000002").good);
      EXPECT_EQ(restored(run), 1) << file << " at " << at;
      EXPECT_NE(log_.find("0000002"), std::string::npos);
      if (file.extension() == ".bin") {
        EXPECT_NE(log_.find(file.filename().string()), std::string::npos) << log_;
        EXPECT_NE(log_.find("block"), std::string::npos) << log_;
      }
    }
    write(file, good);
    EXPECT_EQ(restored(run), 2);
  }
}

TEST_F(DirectoryStores, FallBackAsFarAsTheyHaveTo) {
  MadeUpRun run;
  auto to = store({.keep = 4, .block_bytes = 1024});
  for (const Index step : {1, 2, 3, 4}) run.save(to, step);
  for (const Index step : {4, 3, 2}) {
    const fs::path file = files_of(step)[static_cast<std::size_t>(step) % 4];
    write(file, content_of(file).substr(7));
    EXPECT_EQ(restored(run), step - 1);
  }
  for (const char* refused : {"0000004 is refused", "0000003 is refused", "0000002 is refused"}) {
    EXPECT_NE(log_.find(refused), std::string::npos) << log_;
  }
}

TEST_F(DirectoryStores, RefuseFilesOfAnotherLength) {
  MadeUpRun run;
  auto to = store();
  run.save(to, 1);
  run.save(to, 2);
  for (const fs::path& file : files_of(2)) {
    const std::string good = content_of(file);
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, good.size() - 1}) {
      write(file, good.substr(0, length));
      EXPECT_EQ(restored(run), 1) << file << " of " << length;
    }
    write(file, good + "x");
    EXPECT_EQ(restored(run), 1) << file << " one longer";
    write(file, std::string(good.size(), '\0'));
    EXPECT_EQ(restored(run), 1) << file << " of zeros";
    write(file, good);
  }
}

TEST_F(DirectoryStores, RefuseWhatIsNoFile) {
  MadeUpRun run;
  auto to = store();
  run.save(to, 1);
  run.save(to, 2);
  for (const fs::path& file : files_of(2)) {
    const std::string good = content_of(file);
    fs::remove(file);
    EXPECT_EQ(restored(run), 1) << file << " missing";
    fs::create_directory(file);
    EXPECT_EQ(restored(run), 1) << file << " is a directory";
    fs::remove(file);
    fs::create_symlink(file, file);
    EXPECT_EQ(restored(run), 1) << file << " is a loop";
    fs::remove(file);
    write(file, good);
  }
  fs::create_directory(directory() / "0000003");
  EXPECT_EQ(restored(run), 2) << "an empty directory";
  write(directory() / "0000004", "no directory");
  EXPECT_EQ(restored(run), 2);
  fs::create_symlink(directory() / "0000005", directory() / "0000005");
  EXPECT_EQ(restored(run), 2);
}

TEST_F(DirectoryStores, RefuseExchangedFiles) {
  MadeUpRun run;
  auto to = store();
  run.save(to, 1);
  run.save(to, 2);
  const auto one = files_of(1), two = files_of(2);
  for (std::size_t i = 0; i < one.size(); ++i) {
    const std::string old = content_of(directory() / "0000001" / two[i].filename());
    const std::string good = content_of(two[i]);
    write(two[i], old);
    if (two[i].extension() == ".bin") {
      EXPECT_EQ(restored(run), 1) << two[i] << " of an older one";
    }
    write(two[i], good);
  }
}

TEST_F(DirectoryStores, NeverBeginAnewWhenAllAreBad) {
  MadeUpRun run;
  auto to = store();
  run.save(to, 1);
  run.save(to, 2);
  for (const Index step : {1, 2}) fs::remove(directory() / checkpoint_name(step) / "manifest.json");
  EXPECT_EQ(refusal(run), ExitCode::no_checkpoint);
}

TEST_F(DirectoryStores, RefuseAnotherGrid) {
  MadeUpRun run, other({13, 7, 6});
  auto to = store();
  run.save(to, 1);
  EXPECT_EQ(refusal(other), ExitCode::no_checkpoint);
  EXPECT_NE(log_.find("13 x 7 x 5 cells, this run has 13 x 7 x 6 cells"), std::string::npos)
      << log_;
}

TEST_F(DirectoryStores, ReadOtherBlockSizes) {
  MadeUpRun run;
  auto to = store({.block_bytes = 4096});
  run.save(to, 1);
  EXPECT_EQ(restored(run), 1);
}

TEST_F(DirectoryStores, SetAsideWhatALaterPastLeft) {
  MadeUpRun run;
  auto to = store({.keep = 3, .block_bytes = 1024});
  for (const Index step : {1, 2, 3}) run.save(to, step);
  to.set_aside_after(1);
  EXPECT_EQ(steps_there(), (Steps{1}));
  EXPECT_TRUE(fs::exists(directory() / "0000003.aside"));
  for (const Index step : {2, 3, 4, 5}) run.save(to, step);
  EXPECT_EQ(steps_there(), (Steps{5, 4, 3}));
  EXPECT_FALSE(fs::exists(directory() / "0000003.aside")) << "superseded";
  EXPECT_EQ(restored(run), 5);
}

TEST_F(DirectoryStores, LeaveWhatOthersKeepThereAlone) {
  MadeUpRun run({5, 4, 3});
  auto to = store();
  run.save(to, 1);
  fs::create_directories(directory() / "thesis.partial");
  fs::create_directories(directory() / "0000002.partial");
  fs::create_directories(directory() / "0000000.trash");
  run.save(to, 3);
  EXPECT_TRUE(fs::exists(directory() / "thesis.partial"));
  EXPECT_FALSE(fs::exists(directory() / "0000002.partial"));
  EXPECT_FALSE(fs::exists(directory() / "0000000.trash"));
}

TEST_F(DirectoryStores, ReplaceACheckpointOfTheSameStep) {
  MadeUpRun run;
  auto to = store();
  run.save(to, 1);
  fs::remove(files_of(1).front());
  run.save(to, 1);
  EXPECT_EQ(steps_there(), (Steps{1}));
  EXPECT_EQ(restored(run), 1);
}

TEST_F(DirectoryStores, MakeRoomForANewRun) {
  MadeUpRun run;
  auto to = store();
  run.save(to, 1);
  EXPECT_EQ(to.set_aside_all(), directory().string() + ".old.1");
  EXPECT_EQ(restored(run), -1);
  run.save(to, 2);
  EXPECT_EQ(to.set_aside_all(), directory().string() + ".old.2");
  EXPECT_EQ(to.set_aside_all(), "");
  EXPECT_TRUE(fs::exists(directory().string() + ".old.1/0000001")) << "nobody removes it";
}

TEST_F(DirectoryStores, AreNotCalledDamagedWhileARunSaves) {
  MadeUpRun run;
  auto to = store();
  for (const Index step : {1, 2}) run.save(to, step);
  std::atomic<bool> goes_on = true;
  std::thread saves([&] {
    for (Index step = 3; goes_on; ++step) run.save(to, step);
  });
  int gone = 0;
  for (int look = 0; look < test::in_short_or_long(400, 10000); ++look) {
    for (const auto& entry : list_checkpoints(directory())) {
      const CheckpointVerdict verdict = verify_checkpoint(entry.path);
      EXPECT_TRUE(verdict.good || verdict.is_gone) << verdict.reason;
      gone += verdict.is_gone;
    }
  }
  goes_on = false;
  saves.join();
  RecordProperty("gone", gone);
  EXPECT_TRUE(verify_checkpoint(directory() / "0000000").is_gone);
}

/// A second Ctrl-C removes what is being written, on a thread of its own.
TEST_F(DirectoryStores, LoseNothingThatIsCommittedWhileOthersRemoveWhatIsNot) {
  MadeUpRun run;
  auto to = store();
  std::atomic<bool> goes_on = true;
  std::thread removes([&] {
    while (goes_on) remove_unfinished(root_);
  });
  int committed = 0;
  for (Index step = 0; step < test::in_short_or_long(400, 10000); ++step) {
    try {
      run.save(to, step);
      ++committed;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::files) << error.what();
    }
    for (const auto& entry : list_checkpoints(directory())) {
      ASSERT_TRUE(verify_checkpoint(entry.path).good) << entry.path;
    }
  }
  goes_on = false;
  removes.join();
  RecordProperty("committed", committed);
}

/// A file system of its own, so small that it fills up.
class SmallDisk {
 public:
  SmallDisk(const fs::path& where, const std::string& size) : where_(where) {
    fs::create_directories(where);
    mounted_ = ::mount("none", where.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(where_.c_str(), MNT_DETACH);
  }
  bool is_there() const { return mounted_; }

 private:
  fs::path where_;
  bool mounted_;
};

TEST_F(DirectoryStores, KeepTheOldOneWhenTheDiskIsFull) {
  const SmallDisk disk(directory(), "200k");
  if (!disk.is_there()) GTEST_SKIP() << "mounting a small tmpfs needs privileges";
  MadeUpRun run({31, 17, 5});  // 75 KiB: one fits, two beside a few KiB do not
  auto to = store();
  run.save(to, 1);
  const fs::path ballast = directory() / "ballast";
  for (int kib = 120; kib >= 4; kib -= 4) {
    write(ballast, std::string(static_cast<std::size_t>(kib) * 1024, 'x'));
    try {
      run.save(to, 2);
      EXPECT_EQ(restored(run), 2);
      break;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::files);
      EXPECT_EQ(restored(run), 1) << "with " << kib << " KiB taken";
    }
  }
  EXPECT_EQ(steps_there(), (Steps{2, 1})) << "there was never room";
  for (const auto& entry : fs::directory_iterator(directory())) {
    EXPECT_EQ(entry.path().string().find("partial"), std::string::npos);
  }
}

}  // namespace
}  // namespace goban::directory_store_test
