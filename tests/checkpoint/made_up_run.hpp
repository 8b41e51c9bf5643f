#pragma once
// A run without a grid: arrays whose values follow from the step, in a directory of its own.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/checkpoint/directory_store.hpp"
#include "goban/checkpoint/inventory.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban {

namespace fs = std::filesystem;

/// One array in memory, x fastest, component slowest.
struct MadeUpArray {
  std::string name;
  ElementType type;
  Index3 extents;
  int components;
  std::vector<std::byte> bytes;

  MadeUpArray(std::string name_, ElementType type_, Index3 extents_, int components_)
      : name(std::move(name_)), type(type_), extents(extents_), components(components_) {
    bytes.resize(static_cast<std::size_t>(product(extents) * components) * size_of(type));
  }
  void fill(Index step) {
    std::uint64_t state = static_cast<std::uint64_t>(step) * 0x9e3779b97f4a7c15u + name.size();
    for (std::byte& byte : bytes) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      byte = static_cast<std::byte>(state >> 56);
    }
  }
  template <class Visit>
  void visit(const Box& box, Visit&& row) {
    const auto size = size_of(type);
    std::size_t at = 0;
    for (int c = 0; c < components; ++c) {
      for (Index z = box.lower[2]; z < box.upper[2]; ++z) {
        for (Index y = box.lower[1]; y < box.upper[1]; ++y) {
          const Index first = ((c * extents[2] + z) * extents[1] + y) * extents[0] + box.lower[0];
          const auto count = static_cast<std::size_t>(box.extent(0)) * size;
          row(bytes.data() + static_cast<std::size_t>(first) * size, at, count);
          at += count;
        }
      }
    }
  }
  CheckpointArray array() {
    CheckpointArray result{
        .name = name, .type = type, .extents = extents, .components = components};
    result.copy_out = [this](const Box& box, void* out) {
      visit(box, [&](std::byte* row, std::size_t at, std::size_t count) {
        std::memcpy(static_cast<std::byte*>(out) + at, row, count);
      });
    };
    result.copy_in = [this](const Box& box, const void* in) {
      visit(box, [&](std::byte* row, std::size_t at, std::size_t count) {
        std::memcpy(row, static_cast<const std::byte*>(in) + at, count);
      });
    };
    return result;
  }
};

struct MadeUpRun {
  std::vector<MadeUpArray> arrays;
  Index3 cells;

  explicit MadeUpRun(Index3 n = {13, 7, 5}) : cells(n) {
    arrays.emplace_back("u", ElementType::float32, n, 1);
    arrays.emplace_back("the velocity/2", ElementType::float64, n + Index3{1, 0, 0}, 3);
    arrays.emplace_back("solid", ElementType::uint8, n, 1);
  }
  void set(Index step) {
    for (MadeUpArray& array : arrays) array.fill(step);
  }
  bool holds(Index step) const {
    MadeUpRun expected(cells);
    expected.set(step);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i].bytes != expected.arrays[i].bytes) return false;
    }
    return true;
  }
  CheckpointSubject subject() {
    CheckpointSubject subject;
    subject.program = "made up";
    subject.cells = cells;
    subject.spacing = {0.1, 0.2, 1.0 / 3.0};
    subject.seed = 7;
    for (MadeUpArray& array : arrays) subject.arrays.push_back(array.array());
    return subject;
  }
  void save(DirectoryStore& store, Index step) {
    set(step);
    CheckpointState state;
    state.step = step;
    state.time = 0.1 * static_cast<double>(step);
    state.details = {{"residual", "inf"}, {"rows", step}};
    store.save(subject(), state);
  }
};

/// In memory, for fsync takes long.
class CheckpointDirectory : public ::testing::Test {
 protected:
  explicit CheckpointDirectory(test::ScratchPlace place = test::ScratchPlace::memory)
      : folder_(place) {}

  fs::path directory() const { return root_ / "chk"; }
  DirectoryStore store(DirectoryStoreOptions options = {.block_bytes = 1024}) const {
    return DirectoryStore(directory(), options);
  }
  /// The step restored, -1 if there is none; lines of the log are kept.
  Index restored(MadeUpRun& run, CheckpointChoice choice = {}) {
    log_.clear();
    auto from = store();
    const auto state = load_checkpoint({&from}, choice, run.subject(),
                                       [this](const std::string& line) { log_ += line + "\n"; });
    if (!state) return -1;
    EXPECT_TRUE(run.holds(state->step)) << "values of another step";
    EXPECT_EQ(state->time, 0.1 * static_cast<double>(state->step));
    EXPECT_EQ(state->details.at("rows"), state->step);
    return state->step;
  }
  /// The step of a large run that a store has, -1 if there is none.
  static Index restored_from(CheckpointStore& store) {
    MadeUpRun run({13, 7, 30});
    const auto state = load_checkpoint({&store}, {}, run.subject(), [](const std::string&) {});
    if (!state) return -1;
    EXPECT_TRUE(run.holds(state->step)) << "values of another step";
    return state->step;
  }
  ExitCode refusal(MadeUpRun& run, CheckpointChoice choice = {}) {
    return test::code_of([&] { restored(run, choice); });
  }
  std::vector<Index> steps_there() const {
    std::vector<Index> steps;
    for (const CheckpointEntry& entry : list_checkpoints(directory())) steps.push_back(entry.step);
    return steps;
  }

  static std::string content_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const fs::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  }

  const test::ScratchFolder folder_;
  const fs::path& root_ = folder_.path();
  std::string log_;
};

}  // namespace goban
