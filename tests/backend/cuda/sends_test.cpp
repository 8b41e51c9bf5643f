// Which halos the kernels of GPUs store themselves.

#include "goban/backend/cuda/launch/sends.hpp"

#include <gtest/gtest.h>

#include "goban/field/record.hpp"

namespace goban::cuda::sends_test {
namespace {

constexpr Index row = 24, plane = 24 * 12, component = 24 * 12 * 20;

/// A stage that writes `components` of a float field on 16 x 8 x 10 cells.
struct Writer {
  explicit Writer(int components) {
    stage = std::make_shared<Stage>();
    auto field = std::make_shared<FieldRecord>();
    field->components = components;
    StageArgument argument;
    argument.kind = StageArgument::Kind::field;
    argument.access = Access::out;
    argument.field = field;
    stage->arguments.push_back(argument);
    task.stage = stage;
    task.fields = {binding(mine, 0)};
    task.box = {{0, 0, 0}, {16, 8, 10}};
  }
  static FieldBinding binding(std::vector<float>& values, Index first) {
    FieldBinding b;
    b.write = reinterpret_cast<std::byte*>(values.data() + first);
    b.read = b.write;
    b.stride = {1, row, plane};
    b.component_stride = component;
    return b;
  }
  /// Cells of `box` of a component go `by` further in the other memory.
  void send(int c, const Box& box, Index3 by) {
    CopyTask copy;
    copy.source = binding(mine, c * component);
    copy.target = binding(theirs, c * component);
    copy.source_box = box;
    copy.target_box = shifted(box, by);
    task.sends.push_back(copy);
  }
  /// The two cells of a component's rows from there on go `by` further in the same memory.
  void wrap(int c, Index from, Index3 by) {
    CopyTask copy;
    copy.source = copy.target = binding(mine, c * component);
    copy.source_box = {{from, 0, 0}, {from + 2, 8, 10}};
    copy.target_box = shifted(copy.source_box, by);
    task.sends.push_back(copy);
  }

  std::vector<float> mine = std::vector<float>(6 * component);
  std::vector<float> theirs = std::vector<float>(6 * component);
  std::shared_ptr<Stage> stage;
  SweepTask task;
};

const Box lowest{{0, 0, 0}, {16, 8, 1}}, highest{{0, 0, 9}, {16, 8, 10}};

TEST(Sends, WholePlanesAreStoredByTheKernel) {
  Writer w(3);
  for (const int c : {0, 2}) {
    w.send(c, lowest, {0, 0, 10});
    w.send(c, highest, {0, 0, -10});
  }
  const Sends sends = divide_sends(w.task, CanStore::all);
  EXPECT_TRUE(sends.by_copy.empty());
  ASSERT_EQ(sends.by_kernel.size(), 1u);
  const auto& [low, high] = sends.by_kernel[0].planes;
  EXPECT_EQ(low.first, 0);
  EXPECT_EQ(low.last, 1);
  EXPECT_EQ(low.components, 5u);
  EXPECT_EQ(high.first, 9);
  EXPECT_EQ(high.components, 5u);
  const auto* cell = reinterpret_cast<const std::byte*>(w.mine.data() + 3 + 2 * row);
  EXPECT_EQ(cell + low.shift,
            reinterpret_cast<const std::byte*>(w.theirs.data() + 3 + 2 * row + 10 * plane));
  EXPECT_EQ(low.component_stride, component);
}

TEST(Sends, WholeRowsOfEveryPlaneAreStoredByTheKernel) {
  Writer w(3);
  for (const int c : {0, 2}) {
    w.send(c, {{0, 0, 0}, {16, 1, 10}}, {0, 8, 0});
    w.send(c, {{0, 6, 0}, {16, 8, 10}}, {0, -8, 0});
  }
  w.send(1, lowest, {0, 0, 10});
  const Sends sends = divide_sends(w.task, CanStore::all);
  EXPECT_TRUE(sends.by_copy.empty());
  const auto& [low, high] = sends.by_kernel.at(0).rows;
  EXPECT_EQ(low.first, 0);
  EXPECT_EQ(low.last, 1);
  EXPECT_EQ(low.components, 5u);
  EXPECT_EQ(high.first, 6);
  EXPECT_EQ(high.last, 8);
  const auto* cell = reinterpret_cast<const std::byte*>(w.mine.data() + 3 + 2 * plane);
  EXPECT_EQ(cell + low.shift,
            reinterpret_cast<const std::byte*>(w.theirs.data() + 3 + 2 * plane + 8 * row));
  EXPECT_EQ(sends.by_kernel[0].planes[0].components, 2u);
}

TEST(Sends, EndsOfRowsAreStoredByTheKernel) {
  constexpr int most = most_components_with_ends;
  Writer w(most);
  w.mine.resize(most * component);
  w.task.fields = {Writer::binding(w.mine, 0)};
  w.wrap(3, 14, {-16, 0, 0});
  w.wrap(most - 1, 14, {-16, 0, 0});
  w.wrap(4, 0, {16, 0, 0});
  const Sends sends = divide_sends(w.task, CanStore::all);
  EXPECT_TRUE(sends.by_copy.empty());
  const auto& [low, high] = sends.by_kernel.at(0).ends;
  EXPECT_EQ(low.first, 14);
  EXPECT_EQ(low.last, 16);
  EXPECT_EQ(low.components, 1u << 3 | 1u << (most - 1));
  EXPECT_EQ(low.shift, -16 * static_cast<Index>(sizeof(float)));
  EXPECT_EQ(high.first, 0);
  EXPECT_EQ(high.shift, 16 * static_cast<Index>(sizeof(float)));

  Writer few(1);
  few.wrap(0, 14, {-16, 0, 0});
  EXPECT_EQ(divide_sends(few.task, CanStore::all).by_kernel.at(0).ends[0].first, 14);
  Writer rows(most_components_sent + 1);  // to another row
  rows.wrap(0, 14, {-16, 1, 0});
  EXPECT_EQ(divide_sends(rows.task, CanStore::all).by_copy.size(), 1u);
}

TEST(Sends, OfFieldsInPlaceTheKernelStoresEndsOfManyComponentsAlone) {
  const auto copied = [](int components, Access access, bool is_end) {
    Writer w(components);
    w.stage->arguments[0].field->in_place = true;
    w.stage->arguments[0].access = access;
    if (is_end) {
      w.wrap(0, 14, {-16, 0, 0});
    } else {
      w.send(0, lowest, {0, 0, 10});
    }
    return divide_sends(w.task, CanStore::all).by_copy.size();
  };
  EXPECT_EQ(copied(most_components_sent + 1, Access::out, true), 0u);
  EXPECT_EQ(copied(most_components_sent, Access::out, true), 1u);
  EXPECT_EQ(copied(most_components_sent + 1, Access::inout, true), 1u) << "another kernel";
  EXPECT_EQ(copied(1, Access::out, false), 1u);
}

TEST(Sends, BesideAFieldInPlaceEndsOfFewComponentsAreCopied) {
  for (const int components : {1, most_components_sent + 1}) {
    Writer w(components);
    StageArgument in_place = w.stage->arguments[0];
    in_place.field = std::make_shared<FieldRecord>();
    in_place.field->in_place = true;
    w.stage->arguments.push_back(in_place);
    w.task.fields.push_back({});
    w.wrap(0, 14, {-16, 0, 0});
    w.send(0, lowest, {0, 0, 10});
    const Sends sends = divide_sends(w.task, CanStore::all);
    ASSERT_EQ(sends.by_copy.size(), 1u);
    const bool is_plane = sends.by_copy[0].source_box == lowest;
    EXPECT_EQ(is_plane, components > most_components_sent) << components;
  }
}

TEST(Sends, WhatTheKernelCannotStoreIsCopied) {
  Writer rows(1);  // not of all planes
  rows.send(0, {{0, 0, 0}, {16, 1, 9}}, {0, 8, 0});
  EXPECT_EQ(divide_sends(rows.task, CanStore::all).by_copy.size(), 1u);
  EXPECT_TRUE(divide_sends(rows.task, CanStore::all).by_kernel.empty());

  Writer many(most_components_sent + 1);
  many.send(1, lowest, {0, 0, 10});
  EXPECT_EQ(divide_sends(many.task, CanStore::all).by_copy.size(), 1u);

  Writer other_rows(1);
  other_rows.send(0, lowest, {0, 0, 10});
  other_rows.task.sends[0].target.stride[1] = row + 8;
  EXPECT_EQ(divide_sends(other_rows.task, CanStore::all).by_copy.size(), 1u);

  Writer wide(1);  // both places are taken
  wide.send(0, lowest, {0, 0, 10});
  wide.send(0, highest, {0, 0, -10});
  wide.send(0, {{0, 0, 4}, {16, 8, 5}}, {0, 0, 10});
  EXPECT_EQ(divide_sends(wide.task, CanStore::all).by_copy.size(), 1u);
  EXPECT_EQ(divide_sends(wide.task, CanStore::nothing).by_copy.size(), 3u);
}

TEST(Sends, PassesStorePlanesAlone) {
  Writer w(1);
  w.send(0, {{0, 0, 0}, {16, 8, 4}}, {0, 0, 10});
  w.wrap(0, 14, {-16, 0, 0});
  const Sends sends = divide_sends(w.task, CanStore::planes);
  ASSERT_EQ(sends.by_kernel.size(), 1u);
  EXPECT_EQ(sends.by_kernel[0].planes[0].last, 4);
  EXPECT_EQ(sends.by_kernel[0].ends[0].components, 0u);
  EXPECT_EQ(sends.by_copy.size(), 1u);
}

}  // namespace
}  // namespace goban::cuda::sends_test
