// Files that several ranks write are those of one.

#include <gtest/gtest.h>

#include <mutex>

#include "goban/io/file/file_ranks.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"
#include "tests/io/scratch.hpp"
#include "tests/ranks.hpp"

namespace goban::writers_test {
namespace {

using Ranks = std::shared_ptr<Communicator>;

/// Four ranks on three machines that share the memory of this one.
const std::vector<int> machines{0, 0, 1, 2};

class SeveralWriters : public ScratchTest {
 protected:
  SeveralWriters() : ScratchTest(test::ScratchPlace::memory) {}
};

constexpr Index3 extents{61, 53, 700};

/// What a cell has, whoever asks.
template <class T>
void fill(const Box& box, int components, void* out) {
  auto* to = static_cast<T*>(out);
  for (int c = 0; c < components; ++c) {
    for (Index z = box.lower[2]; z < box.upper[2]; ++z) {
      for (Index y = box.lower[1]; y < box.upper[1]; ++y) {
        for (Index x = box.lower[0]; x < box.upper[0]; ++x) {
          const double value = 0.25 * static_cast<double>((x * 7 + y * 3 + z + c * 11) % 199);
          *to++ = static_cast<T>(value);
        }
      }
    }
  }
}

/// Slabs of the grid: whose values are near whom.
Box slab_of(int rank) { return {{0, 0, rank * 175}, {61, 53, (rank + 1) * 175}}; }

Snapshot some_snapshot() {
  Snapshot snapshot{.extents = extents, .fields = {}, .config = "a = 1\n", .provenance = {}};
  snapshot.fields.emplace_back("u", "K", ElementType::float64, 1,
                               [](const Box& box, void* out) { fill<double>(box, 1, out); });
  snapshot.fields.emplace_back("v", "", ElementType::half, 3,
                               [](const Box& box, void* out) { fill<half>(box, 3, out); });
  return snapshot;
}

TEST_F(SeveralWriters, TakeThePiecesOfTheirMachinesAndEquallyMany) {
  FileRanks ranks;
  ranks.writer_of = {0, 0, 2, 3};
  EXPECT_EQ(ranks.writers(), (std::vector<int>{0, 2, 3}));
  ranks.owned_by = slab_of;
  const std::vector<Box> pieces = blocks_of(extents, 8, 1 << 16);
  const std::vector<int> chosen = writer_of_pieces(ranks, pieces);
  std::vector<Index> cells(4, 0);
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    cells[static_cast<std::size_t>(chosen[n])] += pieces[n].volume();
    // Rank 0's machine has half of the cells, of which the last ones go to the others.
    if (chosen[n] == 0) {
      EXPECT_LE(pieces[n].upper[2], 350);
    }
    if (pieces[n].lower[2] >= 525) {
      EXPECT_EQ(chosen[n], 3) << n;
    }
  }
  for (const int writer : {0, 2, 3}) {
    EXPECT_NEAR(static_cast<double>(cells[static_cast<std::size_t>(writer)]),
                static_cast<double>(product(extents)) / 3, 2e4);
  }
}

TEST_F(SeveralWriters, LeaveTheFilesOfOne) {
  std::filesystem::create_directories(path("one"));
  std::filesystem::create_directories(path("all"));
  SnapshotSeries(path("one"), "s").write(some_snapshot());
  const auto values = [](const Box& box, void* out) { fill<float>(box, 1, out); };
  write_npy(path("one/u.npy"), ElementType::float32, extents, 1, values);
  std::mutex mutex;
  std::vector<bool> made(4, false);
  test::run_ranks(
      4,
      [&](const Ranks& communicator) {
        FileRanks ranks = writers_of_machines(communicator, path("all"));
        EXPECT_EQ(ranks.writer_of, (std::vector<int>{0, 0, 2, 3}));
        ranks.owned_by = slab_of;
        Snapshot snapshot = some_snapshot();
        const BoxSource plain = snapshot.fields[0].values;
        snapshot.fields[0].values = [&](const Box& box, void* out) {
          plain(box, out);
          const std::lock_guard lock(mutex);
          if (!box.empty()) made[static_cast<std::size_t>(communicator->rank())] = true;
        };
        SnapshotSeries(path("all"), "s", {}, ranks).write(snapshot);
        write_npy(path("all/u.npy"), ElementType::float32, extents, 1, values, ranks);
      },
      machines);
  EXPECT_EQ(made, (std::vector<bool>{true, false, true, true}));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("one"))) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(content("one/" + name) == content("all/" + name)) << name;
    ++files;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("all")), {}), files);
}

TEST_F(SeveralWriters, AreOneWhereMachinesDoNotShareTheDirectory) {
  std::filesystem::create_directories(path("there"));
  std::filesystem::create_directories(path("here"));
  test::run_ranks(
      4,
      [&](const Ranks& communicator) {
        const bool is_apart = communicator->rank() == 3;
        const FileRanks ranks =
            writers_of_machines(communicator, path(is_apart ? "there" : "here"));
        EXPECT_EQ(ranks.writers(), (std::vector<int>{0}));
      },
      machines);
  EXPECT_TRUE(std::filesystem::is_empty(path("here")));
}

TEST_F(SeveralWriters, FailTogetherAndLeaveWhatWasThere) {
  SnapshotSeries(directory(), "s").write(some_snapshot());
  const std::string index = content("s.xdmf");
  const std::size_t files = file_count();
  test::run_ranks(
      4,
      [&](const Ranks& communicator) {
        FileRanks ranks = writers_of_machines(communicator, directory());
        ranks.owned_by = slab_of;
        Snapshot snapshot = some_snapshot();
        snapshot.step = 1;
        // One machine loses the directory in the middle of the run.
        SnapshotSeries series(communicator->rank() == 2 ? path("gone") : directory(), "s", 0,
                              ranks);
        const std::string said = refusal([&] { series.write(snapshot); }, ExitCode::files);
        EXPECT_TRUE(said.starts_with("cannot write gone/s.0000001.")) << said;
      },
      machines);
  EXPECT_EQ(content("s.xdmf"), index);
  EXPECT_EQ(file_count(), files);
}

TEST_F(SeveralWriters, EndAllAtTheFirstErrorOfOne) {
  test::run_ranks(
      4,
      [&](const Ranks& communicator) {
        FileRanks ranks = one_writer(communicator);
        ranks.writer_of = {0, 0, 2, 3};
        const std::vector<Box> pieces = blocks_of({8, 8, 8}, 4, 256);
        int calls = 0;
        const auto values = [&](const Box&, void*) { ++calls; };
        const auto write = [&](std::size_t, const std::byte*) {
          if (communicator->rank() == 2) throw Error(ExitCode::files, "disk of rank 2");
        };
        EXPECT_EQ(refusal([&] { write_pieces(ranks, pieces, 4, values, write); }, ExitCode::files),
                  "disk of rank 2");
        EXPECT_EQ(calls, 1);
      },
      machines);
}

}  // namespace
}  // namespace goban::writers_test
