#include "goban/io/snapshot.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "goban/base/error.hpp"

namespace goban {
namespace {

std::string refusal_of(const Snapshot& snapshot) {
  try {
    check_snapshot(snapshot);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return {};
}

TEST(Snapshot, BlocksOfUnevenCutsGatherToTheWholeField) {
  const Index3 extents = {5, 4, 3};
  std::vector<float> whole(60);
  std::iota(whole.begin(), whole.end(), 0.0f);
  const ArrayView view = dense_view(whole.data(), extents, "u");
  SnapshotField field(view);
  field.blocks.clear();
  for (const auto& [low, high] : {std::pair<Index3, Index3>{{0, 0, 0}, {2, 4, 3}},
                                  {{2, 0, 0}, {5, 1, 3}},
                                  {{2, 1, 0}, {5, 4, 1}},
                                  {{2, 1, 1}, {5, 4, 3}}})
    field.blocks.push_back({low, box_of(view, low, high - low)});
  check_snapshot({.extents = extents, .fields = {field}, .config = {}, .provenance = {}});
  std::vector<float> gathered(40, -1.0f);
  gather_planes(field, extents, 1, 2, reinterpret_cast<std::byte*>(gathered.data()));
  EXPECT_TRUE(std::equal(gathered.begin(), gathered.end(), whole.begin() + 20));
}

TEST(Snapshot, ComponentsBecomeInnermostAndHalfBecomesFloat) {
  const std::vector<half> values = {half(1), half(2), half(10), half(20)};
  const SnapshotField field(dense_view(ElementType::half, {2, 1, 1}, 2, values.data(), "v"));
  std::vector<float> gathered(4);
  gather_planes(field, {2, 1, 1}, 0, 1, reinterpret_cast<std::byte*>(gathered.data()));
  EXPECT_EQ(gathered, (std::vector<float>{1, 10, 2, 20}));
  EXPECT_EQ(stored_type(ElementType::half), ElementType::float32);
  EXPECT_EQ(stored_type(ElementType::uint8), ElementType::uint8);
}

TEST(Snapshot, NamesThatFilesCannotHoldAreRefused) {
  const std::vector<float> values(8);
  const auto named = [&](const std::string& name) {
    Snapshot snapshot{.extents = {2, 2, 2}, .fields = {}, .config = {}, .provenance = {}};
    snapshot.fields.push_back(SnapshotField(dense_view(values.data(), {2, 2, 2}, name)));
    return refusal_of(snapshot);
  };
  EXPECT_EQ(named("velocity x"), "");
  EXPECT_EQ(named("a/b"),
            "field name 'a/b' cannot be written (names in files are not empty and have no '/', "
            "'.', quotes or control characters) rename the field");
  for (const auto* name : {"", "a.b", "a\"b", "a\nb"}) EXPECT_NE(named(name), "") << name;
}

TEST(Snapshot, TwoFieldsOfOneNameAreRefused) {
  const std::vector<float> values(8);
  const SnapshotField field(dense_view(values.data(), {2, 2, 2}, "u"));
  EXPECT_EQ(
      refusal_of({.extents = {2, 2, 2}, .fields = {field, field}, .config = {}, .provenance = {}}),
      "two fields of one snapshot are named 'u' rename one of them");
}

TEST(Snapshot, BlocksMustFitAndCoverTheGrid) {
  const std::vector<float> values(8);
  const ArrayView view = dense_view(values.data(), {2, 2, 2}, "u");
  const auto with = [&](const std::vector<Block>& blocks) {
    SnapshotField field(view);
    field.blocks = blocks;
    return refusal_of({.extents = {2, 2, 3}, .fields = {field}, .config = {}, .provenance = {}});
  };
  EXPECT_EQ(with({{{0, 0, 0}, view}}), "the blocks of field 'u' have 8 cells, the grid 12");
  EXPECT_EQ(with({{{0, 0, 2}, view}}),
            "a block of field 'u' does not fit its grid of 2 x 2 x 3 cells");
  EXPECT_EQ(with({{{0, 0, -1}, view}}),
            "a block of field 'u' does not fit its grid of 2 x 2 x 3 cells");
  EXPECT_EQ(with({{{0, 0, 0}, view}, {{0, 0, 2}, plane_of(view, Axis::z, 0)}}), "");
}

TEST(Snapshot, PlanesOutsideAreRefused) {
  check_plane("u", {4, 3, 2}, Axis::y, 2);
  try {
    check_plane("u", {4, 3, 2}, Axis::y, 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "there is no plane 3 of field 'u' (the planes along that axis are 0 to 2)");
  }
}

}  // namespace
}  // namespace goban
