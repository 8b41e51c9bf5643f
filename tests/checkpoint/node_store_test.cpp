// Checkpoints on nodes come back to the last bit on any number of ranks, whatever nodes are lost
// that copies or parity cover, and older ones where they do not.

#include "goban/checkpoint/nodes/store.hpp"

#include <sys/resource.h>

#include <cerrno>

#include "goban/domain/data/shared_boxes.hpp"
#include "tests/checkpoint/made_up_run.hpp"
#include "tests/error_text.hpp"
#include "tests/file_calls.hpp"
#include "tests/ranks.hpp"

namespace goban::node_store_test {
namespace {

/// A run of several ranks, each with slabs of all arrays and a folder of its own.
class NodeStores : public CheckpointDirectory {
 protected:
  static constexpr Index3 cells{13, 7, 30};

  NodeStoreOptions options(int lost = 1, bool compress = false) const {
    return {.folder = root_ / "node{rank}",
            .run = "run",
            .group = 16,
            .parity = lost,
            .parts = {.block_bytes = 1024, .compress = compress},
            .lineage = lineage_};
  }
  /// All steps, one after the other.
  void save(int ranks, const std::vector<std::pair<Index, Protection>>& steps, int lost = 1,
            bool compress = false) const {
    test::run_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
      NodeStore store(options(lost, compress), communicator);
      StateCopy copy;
      MadeUpRun run(cells);
      for (const auto& [step, protection] : steps) {
        run.set(step);
        CheckpointState state;
        state.step = step;
        state.details = {{"rows", step}};
        copy.take(run.subject(), state, communicator->size(), communicator->rank());
        store.save(copy, protection);
      }
    });
  }
  /// The step restored, the same on all ranks; -1: there is none.
  Index restored(int ranks) {
    Index step = -1;
    log_.clear();
    test::run_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
      NodeStore store(options(), communicator);
      MadeUpRun run(cells);
      CheckpointSubject subject = run.subject();
      for (std::size_t i = 0; i < subject.arrays.size(); ++i) {
        subject.arrays[i].copy_in = everywhere(communicator, subject.arrays[i]);
      }
      const bool is_first = communicator->rank() == 0;
      const auto state = load_checkpoint({&store}, {}, subject, [&](const std::string& line) {
        if (is_first) log_ += line + "\n";
      });
      if (!state) return;
      EXPECT_TRUE(run.holds(state->step)) << "values of another step";
      EXPECT_EQ(state->details.at("rows"), state->step);
      if (is_first) step = state->step;
    });
    return step;
  }
  ExitCode refusal(int ranks) {
    return test::code_of([&] { restored(ranks); });
  }
  fs::path node(int rank, Index step) const {
    return root_ / ("node" + std::to_string(rank)) / lineage_.folder_of("run") /
           checkpoint_name(step);
  }
  /// What is saved from now on is of a run that goes on from `step`; -1: of a new one.
  void begin_life(Index step) { lineage_.add(new_life_id(), step); }
  void lose(int rank) const { fs::remove_all(root_ / ("node" + std::to_string(rank))); }
  static void flip_a_bit(const fs::path& path) {
    std::string bytes = content_of(path);
    bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] ^ 4);
    write(path, bytes);
  }

  Lineage lineage_;

 private:
  /// Every rank has all cells: what one brings, all get.
  static std::function<void(const Box&, const void*)> everywhere(
      const std::shared_ptr<Communicator>& communicator, const CheckpointArray& array) {
    const Box whole{{0, 0, 0}, array.extents};
    const SharedBoxes all(
        *communicator, [whole](int) { return whole; }, array.components, size_of(array.type));
    return [all, own = array.copy_in](const Box& box, const void* values) {
      all.copy_in(box, values, own);
    };
  }
};

TEST_F(NodeStores, GiveBackWhatTheyGotOnAnyNumberOfRanks) {
  for (const bool compress : {false, true}) {
    save(4, {{10, Protection::none}}, 1, compress);
    for (const int ranks : {1, 2, 3, 4, 6}) EXPECT_EQ(restored(ranks), 10) << log_;
  }
}

TEST_F(NodeStores, HoldNothingBeforeTheFirstSave) {
  EXPECT_EQ(restored(2), -1);
  fs::create_directories(node(0, 10));
  EXPECT_EQ(restored(2), -1) << "what was never committed does not count";
}

TEST_F(NodeStores, CopiesOutlastTheLossOfAnyNode) {
  for (int lost = 0; lost < 3; ++lost) {
    save(3, {{10, Protection::copies}});
    lose(lost);
    EXPECT_EQ(restored(3), 10) << log_;
    save(3, {{10, Protection::copies}});
    lose(lost);
    EXPECT_EQ(restored(2), 10) << log_;
  }
}

TEST_F(NodeStores, ParityOutlastsTheLossOfAnyNodesItCovers) {
  constexpr int ranks = 5;
  for (int a = 0; a < ranks; ++a) {
    for (int b = 0; b < a; ++b) {
      save(ranks, {{10, Protection::parity}}, 2);
      lose(a);
      lose(b);
      EXPECT_EQ(restored(1 + (a + b) % ranks), 10) << log_;
      EXPECT_NE(log_.find("2 of 5 parts made again from parity"), std::string::npos) << log_;
    }
  }
}

TEST_F(NodeStores, ParityOfFourOutlastsTheLossOfFourOfTwelve) {
  save(12, {{10, Protection::parity}}, 4);
  for (const int lost : {0, 5, 6, 11}) lose(lost);
  EXPECT_EQ(restored(3), 10) << log_;
  EXPECT_NE(log_.find("4 of 12 parts made again from parity"), std::string::npos) << log_;
}

TEST_F(NodeStores, WhatIsMadeAgainStays) {
  save(4, {{10, Protection::parity}});
  lose(1);
  EXPECT_EQ(restored(4), 10);
  lose(2);
  EXPECT_EQ(restored(4), 10) << "one node after the other\n" << log_;
}

TEST_F(NodeStores, DamagedFilesCountAsLost) {
  save(4, {{10, Protection::parity}});
  flip_a_bit(node(2, 10) / "part-00002");
  EXPECT_EQ(restored(4), 10);
  EXPECT_NE(log_.find("part-00002: block"), std::string::npos) << log_;
  EXPECT_NE(log_.find("1 of 4 parts made again"), std::string::npos) << log_;
}

TEST_F(NodeStores, FallBackToTheOlderOneAndSayWhy) {
  save(3, {{10, Protection::none}, {20, Protection::none}});
  flip_a_bit(node(1, 20) / "part-00001");
  EXPECT_EQ(restored(3), 10);
  EXPECT_NE(log_.find("part-00001 is lost (nothing protects it)"), std::string::npos) << log_;
  lose(1);
  EXPECT_EQ(refusal(3), ExitCode::no_checkpoint) << "never from the beginning";
}

TEST_F(NodeStores, RefuseWhenMoreIsLostThanParityCovers) {
  save(4, {{10, Protection::parity}});
  lose(0);
  lose(3);
  EXPECT_EQ(refusal(2), ExitCode::no_checkpoint);
  EXPECT_NE(log_.find("more than 1 of 4 members of a group are lost"), std::string::npos) << log_;
}

TEST_F(NodeStores, OneManifestIsEnough) {
  save(3, {{10, Protection::none}});
  for (const int rank : {0, 2}) fs::remove(node(rank, 10) / "manifest.json");
  EXPECT_EQ(restored(3), 10) << "it was committed on one node, so all had all of it";
  for (const int rank : {0, 1, 2}) {
    EXPECT_TRUE(fs::remove(node(rank, 10) / "manifest.json")) << "all nodes have it again";
  }
  EXPECT_EQ(restored(3), -1);
}

TEST_F(NodeStores, FilesOfAnotherSaveAreNotTaken) {
  save(3, {{10, Protection::none}, {20, Protection::none}});
  fs::copy_file(node(1, 10) / "part-00001", node(1, 20) / "part-00001",
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(restored(3), 10);
  EXPECT_NE(log_.find("it is not the one that the manifest names"), std::string::npos) << log_;
}

TEST_F(NodeStores, KeepThoseThatAreProtectedBestForLonger) {
  save(3, {{10, Protection::parity},
           {20, Protection::parity},
           {30, Protection::parity},
           {40, Protection::none},
           {50, Protection::none},
           {60, Protection::none}});
  std::vector<Index> there;
  for (const auto& entry : list_checkpoints(node(1, 0).parent_path())) there.push_back(entry.step);
  EXPECT_EQ(there, (std::vector<Index>{60, 50, 30, 20}));
}

TEST_F(NodeStores, RepairMakesPartsAndParityAgain) {
  save(4, {{10, Protection::parity}});
  lose(3);
  NodeStore store(options(), self_communicator());
  const auto entries = store.entries();
  ASSERT_EQ(entries.size(), 1u);
  const auto made = store.repair(entries[0], [](const std::string&) {});
  EXPECT_EQ(made, (std::vector<std::string>{"part-00003", "parity-00000-03"}));
  EXPECT_TRUE(store.inspect(entries[0]).problems.empty());
  lose(2);
  EXPECT_EQ(restored(3), 10) << log_;
}

TEST_F(NodeStores, LeaveAPastThatTheRunHasLeft) {
  begin_life(-1);
  save(3, {{10, Protection::none}, {20, Protection::none}});
  begin_life(10);
  EXPECT_EQ(restored(3), 10);
  const fs::path away = root_ / "away";
  fs::copy(root_ / "node2", away, fs::copy_options::recursive);
  save(3, {{15, Protection::copies}});
  fs::remove_all(root_ / "node2");
  fs::rename(away, root_ / "node2");
  EXPECT_EQ(restored(3), 15) << "a node that was away has step 20 of another past";
}

TEST_F(NodeStores, NeverMeetTheFilesOfAnEarlierRun) {
  begin_life(-1);
  save(3, {{90, Protection::none}});
  const Lineage first = lineage_;
  begin_life(-1);
  EXPECT_EQ(restored(3), -1);
  save(3, {{30, Protection::none}});
  EXPECT_EQ(restored(3), 30);
  lineage_ = first;
  EXPECT_EQ(restored(3), 90) << "it stays as it was";
}

TEST_F(NodeStores, KeepTheFolderOfTheLastEarlierRunAlone) {
  for (int run = 0; run < 4; ++run) {
    begin_life(-1);
    save(2, {{10, Protection::none}});
    test::run_ranks(2, [&](const std::shared_ptr<Communicator>& communicator) {
      NodeStore(options(), communicator).begin_life(lineage_);
    });
  }
  const auto count = std::distance(fs::directory_iterator(root_ / "node0"), {});
  EXPECT_EQ(count, 2) << "its own and that of the run before";
}

TEST_F(NodeStores, TakeTheRoomOfWhatWasNeverCommitted) {
  begin_life(-1);
  save(2, {{10, Protection::none}, {20, Protection::none}});
  const fs::path half = node(1, 30);
  fs::create_directories(half);
  write(half / "part-00001", "half of it");
  const test::FileCallPlan full{.under = node(0, 40) / "part", .at = 0, .error_number = ENOSPC};
  EXPECT_THROW(test::count_file_calls(full, [&] { save(2, {{40, Protection::none}}); }), Error);
  EXPECT_FALSE(fs::exists(half)) << "what comes next needs its room";
  EXPECT_EQ(restored(2), 20);
}

TEST_F(NodeStores, WhatOneNodeAloneCommittedIsNoLeftover) {
  begin_life(-1);
  save(3, {{10, Protection::none}});
  for (const int rank : {0, 2}) fs::remove(node(rank, 10) / "manifest.json");
  save(3, {{20, Protection::none}});
  EXPECT_TRUE(fs::exists(node(0, 10) / "part-00000"));
}

TEST_F(NodeStores, CleanFoldersThatHaveOtherNumbersNow) {
  save(4, {{10, Protection::none}, {20, Protection::none}});
  save(2, {{30, Protection::none}, {40, Protection::none}});
  EXPECT_FALSE(fs::exists(node(3, 10)));
  EXPECT_FALSE(fs::exists(node(3, 20)));
  EXPECT_EQ(restored(2), 40);
}

TEST_F(NodeStores, MakeFilesAgainOnNodesThatHaveNothingOfTheirGroup) {
  // Two machines with two ranks each, and a third one with one: their groups are uneven.
  for (const int lost : {0, 1, 2}) {
    fs::remove_all(root_ / "m0");
    const std::vector<int> nodes{0, 0, 1, 1, 2};
    const auto on_machines = [&](const test::RankFunction& work) {
      test::run_ranks(5, work, nodes);
    };
    NodeStoreOptions machines = options(1);
    machines.folder = root_ / "m{node}";
    on_machines([&](const std::shared_ptr<Communicator>& communicator) {
      NodeStore store(machines, communicator);
      MadeUpRun run(cells);
      run.set(10);
      CheckpointState state;
      state.step = 10;
      StateCopy copy;
      copy.take(run.subject(), state, 5, communicator->rank());
      store.save(copy, Protection::parity);
    });
    const auto machine = [&](int n) { return root_ / ("m" + std::to_string(n)); };
    fs::remove_all(machine(lost));
    on_machines([&](const std::shared_ptr<Communicator>& communicator) {
      NodeStore store(machines, communicator);
      store.repair(store.entries().at(0), [](const std::string&) {});
    });
    // Whatever is lost next is made again, too.
    for (const int next : {0, 1, 2}) {
      fs::rename(machine(next), root_ / "away");
      on_machines([&](const std::shared_ptr<Communicator>& communicator) {
        NodeStore store(machines, communicator);
        const auto entries = store.entries();
        ASSERT_EQ(entries.size(), 1u);
        EXPECT_TRUE(store.inspect(entries[0]).can_restore) << lost << ", then " << next;
      });
      fs::rename(root_ / "away", machine(next));
    }
    for (int n = 0; n < 3; ++n) fs::remove_all(machine(n));
  }
}

TEST_F(NodeStores, RepairFromOneProcessKeepsFilesOfAGroupApart) {
  save(4, {{10, Protection::parity}});
  lose(3);
  fs::create_directories(node(3, 10).parent_path());
  NodeStore store(options(), self_communicator());
  store.repair(store.entries().at(0), [](const std::string&) {});
  EXPECT_TRUE(fs::exists(node(3, 10) / "part-00003")) << "there is a node that has nothing of it";
  lose(3);
  std::string said;
  store.repair(store.entries().at(0), [&](const std::string& line) { said += line + "\n"; });
  EXPECT_NE(said.find("2 of its files find no node of their own"), std::string::npos) << said;
}

TEST_F(NodeStores, RepairMakesCopiesAgain) {
  save(3, {{10, Protection::copies}});
  lose(1);
  NodeStore store(options(), self_communicator());
  const CheckpointEntry entry = store.entries().at(0);
  NodeVerdict verdict = store.inspect(entry);
  EXPECT_EQ(verdict.problems.size(), 2u) << "its own part, and a copy, are at one place alone";
  EXPECT_TRUE(verdict.can_restore);
  EXPECT_EQ(store.repair(entry, [](const std::string&) {}).size(), 2u);
  EXPECT_TRUE(store.inspect(entry).problems.empty());
  lose(0);
  EXPECT_EQ(restored(3), 10) << log_;
}

TEST_F(NodeStores, AreReadByOneProcessHoweverManyTheirFiles) {
  save(24, {{10, Protection::none}});
  rlimit before{}, few{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  few = before;
  few.rlim_cur = 24;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const Index step = restored(1);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(step, 10) << log_;
}

TEST_F(NodeStores, RepairRemovesWhatIsDamaged) {
  for (const char* file : {"part-00002", "parity-00000-02"}) {
    save(4, {{10, Protection::parity}});
    flip_a_bit(node(2, 10) / file);
    NodeStore store(options(), self_communicator());
    const CheckpointEntry entry = store.entries().at(0);
    EXPECT_FALSE(store.inspect(entry).problems.empty()) << file;
    EXPECT_TRUE(store.inspect(entry).can_restore) << file;
    store.repair(entry, [](const std::string&) {});
    EXPECT_TRUE(store.inspect(entry).problems.empty()) << file;
  }
}

TEST_F(NodeStores, ReadGenerationsFromFullDisks) {
  save(2, {{10, Protection::none}});
  fs::remove(node(1, 10) / "manifest.json");
  // Nothing can be written there: the manifest that is missing least of all.
  fs::create_directories(node(1, 10) / "manifest.json.partial/x");
  EXPECT_EQ(restored(2), 10) << log_;
  EXPECT_NE(log_.find("manifest.json"), std::string::npos) << log_;
}

TEST_F(NodeStores, ADiskThatFailsIsOneThatIsLost) {
  save(3, {{10, Protection::copies}});
  const test::FileCallPlan failing{.under = root_ / "nowhere", .unreadable = root_ / "node1/run"};
  EXPECT_THROW(test::count_file_calls(failing, [&] { list_checkpoints(root_ / "node1/run"); }),
               Error);
  test::count_file_calls(failing, [&] { EXPECT_EQ(restored(3), 10) << log_; });
}

TEST_F(NodeStores, SayWhereAManifestIsDamaged) {
  save(3, {{10, Protection::none}});
  flip_a_bit(node(1, 10) / "manifest.json");
  EXPECT_EQ(restored(3), 10);
  EXPECT_NE(log_.find("node1/run/0000010: its manifest is damaged"), std::string::npos) << log_;
}

TEST_F(NodeStores, AreSavedWithWhatTheNodesCanHave) {
  save(2, {{10, Protection::parity}}, 2);
  lose(1);
  EXPECT_EQ(restored(1), 10) << "parity for the loss of one of two";
  NodeStoreOptions one_place = options();
  one_place.folder = root_ / "place";
  test::run_ranks(2, [&](const std::shared_ptr<Communicator>& communicator) {
    NodeStore store(one_place, communicator);
    for (const Protection wanted : {Protection::copies, Protection::parity}) {
      EXPECT_FALSE(store.has_nodes_for(wanted));
      EXPECT_THROW(store.require_nodes_for(wanted), Error);
    }
    NodeStore several(options(), communicator);
    EXPECT_NO_THROW(several.require_nodes_for(Protection::parity));
    EXPECT_NO_THROW(several.require_nodes_for(Protection::copies));
    EXPECT_THROW(NodeStore(options(2), communicator).require_nodes_for(Protection::parity), Error);
  });
}

TEST_F(NodeStores, WhatIsBeingRemovedIsNotCalledDamaged) {
  save(3, {{10, Protection::none}});
  NodeStore store(options(), self_communicator());
  const CheckpointEntry entry = store.entries().at(0);
  for (int rank = 0; rank < 3; ++rank) {
    fs::rename(node(rank, 10), node(rank, 10).string() + ".trash");
  }
  EXPECT_TRUE(store.inspect(entry).is_gone);
}

}  // namespace
}  // namespace goban::node_store_test
