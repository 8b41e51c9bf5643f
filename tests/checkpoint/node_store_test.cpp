// Checkpoints on nodes come back to the last bit on any number of ranks, whatever nodes are lost
// that copies or parity cover, and older ones where they do not.

#include "goban/checkpoint/nodes/store.hpp"

#include <algorithm>

#include "goban/checkpoint/nodes/folders.hpp"
#include "goban/domain/shared_boxes.hpp"
#include "tests/checkpoint/made_up_run.hpp"
#include "tests/ranks.hpp"

namespace goban {
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
            .parts = {.block_bytes = 1024, .compress = compress}};
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
    try {
      restored(ranks);
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode::done;
  }
  fs::path node(int rank, Index step) const {
    return root_ / ("node" + std::to_string(rank)) / "run" / checkpoint_name(step);
  }
  void lose(int rank) const { fs::remove_all(root_ / ("node" + std::to_string(rank))); }
  static void flip_a_bit(const fs::path& path) {
    std::string bytes = content_of(path);
    bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] ^ 4);
    write(path, bytes);
  }

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
  std::vector<std::string> lost;
  store.inspect(entries[0], lost);
  EXPECT_TRUE(lost.empty());
  lose(2);
  EXPECT_EQ(restored(3), 10) << log_;
}

TEST_F(NodeStores, LaterOnesAndThoseOfOtherRunsAreSetAside) {
  save(3, {{10, Protection::none}, {20, Protection::none}});
  test::run_ranks(3, [&](const std::shared_ptr<Communicator>& communicator) {
    NodeStore(options(), communicator).set_aside_after(10);
  });
  EXPECT_EQ(restored(3), 10);
  test::run_ranks(3, [&](const std::shared_ptr<Communicator>& communicator) {
    EXPECT_EQ(NodeStore(options(), communicator).set_aside_all(), root_ / "node{rank}/run.old");
  });
  EXPECT_EQ(restored(3), -1);
  EXPECT_TRUE(fs::exists(root_ / "node1/run.old/0000010/part-00001"));
}

TEST_F(NodeStores, RefuseProtectionThatTheNodesCannotGive) {
  NodeStoreOptions one_place = options();
  one_place.folder = root_ / "place";
  test::run_ranks(2, [&](const std::shared_ptr<Communicator>& communicator) {
    EXPECT_THROW(NodeStore(one_place, communicator, {Protection::copies}), Error);
    EXPECT_THROW(NodeStore(one_place, communicator, {Protection::parity}), Error);
    EXPECT_NO_THROW(NodeStore(options(), communicator, {Protection::parity, Protection::copies}));
    EXPECT_THROW(NodeStore(options(2), communicator, {Protection::parity}), Error);
  });
}

TEST(NodeLayouts, PutEveryPartIntoOneGroupOfDifferentNodes) {
  for (const int nodes : {2, 3, 8, 9, 17, 30}) {
    for (const int parity : {1, 2}) {
      if (nodes <= parity) continue;
      std::vector<int> node_of;
      for (int node = 0; node < nodes; ++node) {
        for (int n = 0; n <= node % 3; ++n) node_of.push_back(node);
      }
      const NodeLayout layout(node_of);
      std::vector<int> parts;
      for (const ParityGroup& group : parity_groups(layout, 8, parity)) {
        EXPECT_GT(group.size(), static_cast<std::size_t>(parity));
        std::vector<int> of_group;
        for (const GroupMember& member : group) {
          of_group.push_back(layout.node_of(member.keeper));
          if (member.part < 0) continue;
          EXPECT_EQ(member.part, member.keeper);
          parts.push_back(member.part);
        }
        std::sort(of_group.begin(), of_group.end());
        EXPECT_EQ(std::unique(of_group.begin(), of_group.end()), of_group.end());
      }
      std::sort(parts.begin(), parts.end());
      ASSERT_EQ(parts.size(), node_of.size());
      for (std::size_t n = 0; n < parts.size(); ++n) EXPECT_EQ(parts[n], static_cast<int>(n));
      for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
        const int partner = layout.partner_of(static_cast<int>(rank));
        EXPECT_NE(layout.node_of(partner), layout.node_of(static_cast<int>(rank)));
      }
    }
  }
}

TEST(NodeFolders, AreFoundWhateverTheirNumbers) {
  const test::ScratchFolder root;
  for (const char* name : {"a0/x", "a12/x", "a/x", "b3/x", "a7/y"}) {
    fs::create_directories(root / name);
  }
  const auto found = folders_there((root / "a{node}/x").string());
  EXPECT_EQ(found, (std::vector<fs::path>{root / "a0/x", root / "a12/x"}));
  EXPECT_EQ(folders_there((root / "b3").string()), (std::vector<fs::path>{root / "b3"}));
  EXPECT_TRUE(folders_there((root / "c").string()).empty());
}

}  // namespace
}  // namespace goban
