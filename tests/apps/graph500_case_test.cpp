// Runs of the benchmark: files, refusals, stops and restarts, graphs of the user's own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "goban/checkpoint/inventory.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/common_keys.hpp"
#include "goban/simulation/run.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban {

const Application& graph500_application();

namespace graph500::graph500_case_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Graph500Case : public testing::Test {
 protected:
  Case read(const std::string& text) const {
    CaseSchema schema;
    graph500_application().declare(schema);
    return parse_case(schema, "app = \"graph500\"\n" + text, folder_ / "case.toml");
  }
  RunStatus run(const std::string& text, const RunRequest& request = {}) {
    const Case values = read(text);
    Runtime runtime(run_settings(values));
    const auto setup = graph500_application().setup(values, runtime);
    RunRequest with_folder = request;
    with_folder.directory = folder_ / "out";
    setup->run().set(with_folder);
    setup->run().check();
    return setup->run().execute();
  }
  std::string refusal(const std::string& text) {
    return test::error_of([&] { run(text); });
  }
  nlohmann::json summary() const {
    return nlohmann::json::parse(folder_.content("out/summary.json"));
  }
  std::vector<double> column(const std::string& name) const {
    const CsvTable table = read_csv(folder_ / "out/case_searches.csv");
    return table.values[table.column(name)];
  }
  test::ScratchFolder folder_;
};

TEST_F(Graph500Case, LeavesTheOfficialOutputTablesAndASummary) {
  EXPECT_EQ(run("graph.generator = \"reference\"\ngraph.scale = 10\nsearch.keys = 5\n"
                "search.paths = true\nrun.threads = 2\n"),
            RunStatus::finished);
  EXPECT_THAT(folder_.content("out/case_official.txt"),
              AllOf(HasSubstr("SCALE:                          10\n"),
                    HasSubstr("NBFS:                           5\n"),
                    HasSubstr("max_nedge:                      16383\n"),
                    HasSubstr("bfs  harmonic_mean_TEPS:     !  "),
                    HasSubstr("sssp harmonic_stddev_TEPS:      ")));
  EXPECT_EQ(column("root"), (std::vector<double>{458, 214, 220, 966, 395}));
  EXPECT_EQ(column("vertices"), std::vector<double>(5, 897));
  const auto results = summary().at("results");
  EXPECT_EQ(results.at("validated"), 5);
  EXPECT_EQ(results.at("input_edges"), 16384);
  EXPECT_GT(results.at("harmonic_mean_teps"), 0);
  for (const std::string name : summary().at("outputs")) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / ("out/" + name))) << name;
  }
  EXPECT_THAT(folder_.content("out/STATUS"), testing::StartsWith("finished"));
}

TEST_F(Graph500Case, ChecksumsAreThoseOfTheLevels) {
  const std::string text = "graph.scale = 10\nsearch.keys = 3\noutput.picture = false\n";
  const auto checksum = [&](const std::string& more) {
    run(text + more);
    const std::string sum = summary().at("checksum").at("levels");
    std::filesystem::remove_all(folder_ / "out");
    return sum;
  };
  const std::string one = checksum("run.threads = 1\n");
  EXPECT_EQ(checksum("run.threads = 3\nsearch.beta = 1e6\n"), one);
  EXPECT_NE(checksum("graph.seed = 2\n"), one);
}

TEST_F(Graph500Case, TooLargeGraphsAreRefusedWithTheLargestThatFits) {
  EXPECT_THAT(refusal("graph.scale = 32\n"), HasSubstr("it must be at least 1 and at most 31"));
  EXPECT_THAT(refusal("graph.scale = 31\n"),
              AllOf(HasSubstr("the graph does not fit into memory"), HasSubstr(" needed, "),
                    HasSubstr("is the largest that fits")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/STATUS"));
}

TEST_F(Graph500Case, WhatDoesNotFitTogetherIsRefused) {
  EXPECT_THAT(refusal("graph.seed = 3\n"), HasSubstr("graph.scale is missing"));
  EXPECT_THAT(refusal("graph.generator = \"file\"\n"), HasSubstr("graph.file names none"));
  EXPECT_THAT(refusal("graph.scale = 5\ngraph.file = \"a.el\"\n"),
              HasSubstr("graph.file is refused"));
  EXPECT_THAT(refusal("graph.scale = 5\nsearch.roots = [32]\n"),
              HasSubstr("there are 32 vertices"));
  EXPECT_THAT(refusal("graph.scale = 5\nrun.transport = \"nccl\"\n"),
              HasSubstr("threads exchange through memory of the host"));
  EXPECT_THAT(refusal("graph.scale = 5\npartition.rows = 2\n"),
              HasSubstr("1 ranks do not make as many rows"));
}

TEST_F(Graph500Case, StopsAndGoesOnWithTheSameKeys) {
  const std::string text =
      "graph.scale = 12\nsearch.keys = 600\noutput.picture = false\nrun.threads = 1\n";
  std::thread stop([&] {
    while (!std::filesystem::exists(folder_ / "out/STATUS")) std::this_thread::yield();
    std::raise(SIGTERM);
  });
  const RunStatus status = run(text);
  stop.join();
  ASSERT_EQ(status, RunStatus::stopped);
  EXPECT_THAT(folder_.content("out/STATUS"), HasSubstr("stopped: SIGTERM after "));
  const Index before = summary().at("results").at("searches");
  EXPECT_LT(before, 600);
  EXPECT_EQ(run(text, {.restart = restart_newest()}), RunStatus::finished);
  const std::vector<double> roots = column("root");
  ASSERT_EQ(roots.size(), 600u);
  EXPECT_THAT(folder_.content("out/run.toml"),
              HasSubstr("# restarted from step: " + std::to_string(before)));
  std::filesystem::remove_all(folder_ / "out");
  run(text);
  EXPECT_EQ(column("root"), roots);
}

/// Runs whose graph is in their checkpoints, with one search after the other saved.
class SavedGraphs : public Graph500Case {
 protected:
  /// A process runs until so many searches are saved, and is then killed.
  void run_and_kill(const std::string& text, Index searches) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(STDOUT_FILENO);
      run(text);
      ::_exit(1);  // it was to be killed before
    }
    const auto saved = [&] {
      const auto all = list_checkpoints(folder_ / "out/chk");
      return all.empty() ? -1 : all.front().step;
    };
    while (saved() < searches) std::this_thread::yield();
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it has ended by itself";
  }
  /// A restart may have another schedule.
  std::string said_by_restart(const std::string& text) {
    testing::internal::CaptureStdout();
    const RunStatus status = run(text, {.restart = restart_newest(), .allow_changes = true});
    const std::string said = testing::internal::GetCapturedStdout();
    EXPECT_EQ(status, RunStatus::finished);
    return said;
  }
  /// What one process says that was not disturbed.
  nlohmann::json checksum_of(const std::string& text) {
    std::filesystem::remove_all(folder_ / "out");
    run(text);
    return checksum();
  }
  nlohmann::json checksum() const { return summary().at("checksum"); }

  const std::string text_ =
      "graph.scale = 11\nsearch.keys = 200\noutput.picture = false\nrun.threads = 1\n"
      "search.paths = true\ncheckpoint.graph = true\n";
  const std::string often_ = text_ + "checkpoint.every_wall = 1e-9\n";
};

TEST_F(SavedGraphs, GoOnWhereARunWasKilled) {
  run_and_kill(often_, 3);
  EXPECT_THAT(said_by_restart(text_), HasSubstr("the graph read from "));
  EXPECT_EQ(column("root").size(), 200u);
  const nlohmann::json sum = checksum();
  EXPECT_EQ(checksum_of(text_), sum);
}

TEST_F(SavedGraphs, AreMadeAnewWhereTheyAreDamaged) {
  run_and_kill(often_, 2);
  const std::string file = "out/chk/" + checkpoint_name(0) + "/03_row_neighbours.bin";
  std::string bytes = folder_.content(file);
  bytes[bytes.size() / 2] ^= 1;
  folder_.store(file, bytes);
  EXPECT_THAT(said_by_restart(text_),
              AllOf(HasSubstr("block 0 is damaged"), HasSubstr("it is made anew"),
                    HasSubstr("kernel 1 in ")));
  const nlohmann::json sum = checksum();
  EXPECT_EQ(checksum_of(text_), sum);
}

TEST_F(SavedGraphs, AreMadeAnewForOtherKernels) {
  run_and_kill(often_, 1);
  std::string without_paths = text_;
  without_paths.replace(without_paths.find("search.paths = true"), 19, "search.paths = false");
  EXPECT_THAT(said_by_restart(without_paths),
              HasSubstr("the graph of the checkpoint has 1 parts in 1 rows and weights: it is made "
                        "anew"));
}

TEST_F(Graph500Case, ARestartOfAnotherCaseIsRefused) {
  run("graph.scale = 6\nsearch.keys = 3\n", {.max_time = 1e-9});
  EXPECT_THAT(test::error_of([&] {
                run("graph.scale = 6\nsearch.keys = 4\n", {.restart = restart_newest()});
              }),
              HasSubstr("the case, or the file it names, has changed"));
}

/// 0 - 1 - 2 - 3 and 5 - 6; 4 is isolated.
class OwnGraphs : public Graph500Case {
 protected:
  void expect_tree(const std::string& file) {
    run("graph.generator = \"file\"\ngraph.file = \"" + file +
        "\"\nsearch.roots = [0]\noutput.trees = true\n");
    const Array levels = read_npy(folder_ / "out/case_levels_0.npy");
    const Array parents = read_npy(folder_ / "out/case_parents_0.npy");
    const double expected_levels[] = {0, 1, 2, 3, -1, -1, -1};
    const double expected_parents[] = {0, 0, 1, 2, -1, -1, -1};
    ASSERT_EQ(levels.extents[0], 7);
    for (Index v = 0; v < 7; ++v) {
      EXPECT_EQ(levels.at(v, 0, 0), expected_levels[v]) << v;
      EXPECT_EQ(parents.at(v, 0, 0), expected_parents[v]) << v;
    }
    std::filesystem::remove_all(folder_ / "out");
  }
};

TEST_F(OwnGraphs, AreReadAsTextMatrixMarketAndBinary) {
  folder_.store("path.el", "# a remark\n0 1\n2 1\n\n2 3\n5 6\n");
  expect_tree("path.el");
  folder_.store("path.mtx",
                "%%MatrixMarket matrix coordinate real symmetric\n% a remark\n7 7 4\n"
                "1 2 0.5\n3 2 1\n3 4 2.5\n6 7 1\n");
  expect_tree("path.mtx");
  const std::uint64_t pairs[] = {0, 1, 2, 1, 2, 3, 5, 6};
  std::string bytes(sizeof(pairs), 0);
  std::memcpy(bytes.data(), pairs, sizeof(pairs));
  folder_.store("path.bin", bytes);
  expect_tree("path.bin");
}

TEST_F(OwnGraphs, ARestartSeesThatTheFileHasChanged) {
  const std::string text =
      "graph.generator = \"file\"\ngraph.file = \"path.el\"\n"
      "search.roots = [0, 1]\n";
  folder_.store("path.el", "0 1\n1 2\n");
  run(text, {.max_time = 1e-9});
  folder_.store("path.el", "0 1\n0 2\n");
  EXPECT_THAT(test::error_of([&] { run(text, {.restart = restart_newest()}); }),
              HasSubstr("the case, or the file it names, has changed"));
  folder_.store("path.el", "0 1\n1 2\n");
  run(text, {.restart = restart_newest()});
}

TEST_F(OwnGraphs, FaultsNameTheirLine) {
  const auto refused = [&](const std::string& name, const std::string& content) {
    folder_.store(name, content);
    return refusal("graph.generator = \"file\"\ngraph.file = \"" + name + "\"\n");
  };
  EXPECT_THAT(refused("a.el", "0 1\n2 x\n"), HasSubstr("line 2: a second vertex is expected"));
  EXPECT_THAT(refused("b.el", "0 1\n-2 1\n"), HasSubstr("line 2: there is no such vertex"));
  EXPECT_THAT(refused("c.el", "0 1 0.5\n1 2\n"), HasSubstr("line 2: a weight is expected"));
  EXPECT_THAT(refused("d.mtx", "7 7 4\n"), HasSubstr("does not begin with %%MatrixMarket"));
  EXPECT_THAT(refused("e.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n"),
              HasSubstr("do not agree with its size line"));
  EXPECT_THAT(refused("huge.mtx",
                      "%%MatrixMarket matrix coordinate pattern general\n"
                      "4611686018427387904 4611686018427387904 1\n1 2\n"),
              HasSubstr("line 2: there is no matrix of that size"));
  EXPECT_THAT(refused("f.bin", "12345"), HasSubstr("no multiple of two 64-bit numbers"));
  EXPECT_THAT(refused("g.csv", "0,1"), HasSubstr("the ending .csv is unknown"));
  EXPECT_THAT(refused("h.el", "# nothing\n"), HasSubstr("has no edges"));
}

TEST_F(OwnGraphs, NothingOfALineIsLeftUnread) {
  const auto refused = [&](const std::string& name, const std::string& content) {
    folder_.store(name, content);
    return refusal("graph.generator = \"file\"\ngraph.file = \"" + name + "\"\n");
  };
  EXPECT_THAT(refused("a.el", "0 1.9\n"), HasSubstr("a second vertex is expected, not '1.9'"));
  EXPECT_THAT(refused("b.el", "0 1 0,9\n"), HasSubstr("line 1: '9' is too much"));
  EXPECT_THAT(refused("c.el", "0 1 2 1\n"), HasSubstr("line 1: '1' is too much"));
  EXPECT_THAT(refused("d.el", "0 1 1E-400\n"), HasSubstr("a weight is expected, not '1E-400'"));
  EXPECT_THAT(refused("e.el", "0 1 heavy\n"), HasSubstr("a weight is expected, not 'heavy'"));
}

TEST_F(OwnGraphs, MayHaveAnyEntriesWhereWeightsAreNotAskedFor) {
  folder_.store("path.mtx",
                "%%MatrixMarket matrix coordinate real symmetric\n7 7 4\n"
                "1 2 -0.5\n3 2 1e30\n3 4 -2.5\n6 7 0\n");
  expect_tree("path.mtx");
  EXPECT_THAT(refusal("graph.generator = \"file\"\ngraph.file = \"path.mtx\"\n"
                      "search.paths = true\n"),
              HasSubstr("line 3: weights are at least 0 and at most 1e28"));
}

TEST_F(OwnGraphs, AnIsolatedRootIsRefused) {
  folder_.store("path.el", "0 1\n2 3\n5 6\n");
  EXPECT_THAT(refusal("graph.generator = \"file\"\ngraph.file = \"path.el\"\nsearch.roots = [4]\n"),
              HasSubstr("no edge leads from it"));
}

}  // namespace
}  // namespace graph500::graph500_case_test
}  // namespace goban
