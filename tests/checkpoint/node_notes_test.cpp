// What is known of nodes beside their files: lives of a run, its note, who shares what, folders.

#include <algorithm>

#include "goban/checkpoint/nodes/folders.hpp"
#include "goban/checkpoint/nodes/layout.hpp"
#include "goban/checkpoint/nodes/record.hpp"
#include "tests/checkpoint/made_up_run.hpp"

namespace goban::node_notes_test {
namespace {

TEST(Lineages, TellAPastFromThoseTheRunHasLeft) {
  Lineage lineage;
  EXPECT_TRUE(lineage.has("x", 7)) << "without lives nothing is known";
  lineage.add("a", -1);
  lineage.add("b", 400);
  EXPECT_TRUE(lineage.has("a", 400));
  EXPECT_FALSE(lineage.has("a", 401));
  EXPECT_TRUE(lineage.has("b", 500));
  EXPECT_FALSE(lineage.has("c", 10));
  lineage.add("c", 200);
  EXPECT_FALSE(lineage.has("b", 500)) << "nothing of that life is left";
  EXPECT_FALSE(lineage.has("a", 300));
  EXPECT_EQ(lineage.lives().size(), 2u);
  Lineage older;
  older.add("d", 30);
  EXPECT_TRUE(older.has("", 30)) << "what was saved before there were ids";
  EXPECT_EQ(older.folder_of("run"), "run");
  EXPECT_EQ(lineage.folder_of("run"), "run-a");
}

TEST(NodeRecords, ComeBackAsTheyWere) {
  NodeRecord record{"/local/a b", "run", 40, {}};
  record.lineage.add("a", -1);
  record.lineage.add("b", 30);
  const auto read = parse_node_record(text_of(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(text_of(*read), text_of(record));
  const auto older = parse_node_record("/local\nrun\n");
  ASSERT_TRUE(older);
  EXPECT_EQ(older->folder_name(), "run");
  EXPECT_FALSE(older->saved);
  EXPECT_FALSE(parse_node_record(""));
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
}  // namespace goban::node_notes_test
