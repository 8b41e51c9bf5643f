#include "goban/io/snapshot/snapshot.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "goban/base/error.hpp"
#include "tests/error_text.hpp"

namespace goban::snapshot_test {
namespace {

std::string refusal_of(const Snapshot& snapshot) {
  return test::refusal(ExitCode::usage, [&] { check_snapshot(snapshot); });
}

TEST(Snapshot, ValuesInMemoryAreMadeBoxByBox) {
  const Index3 extents = {5, 4, 3};
  std::vector<float> whole(60);
  std::iota(whole.begin(), whole.end(), 0.0f);
  const SnapshotField field(dense_view(whole.data(), extents, "u"));
  std::vector<float> made(40, -1.0f);
  field.make_stored({{0, 0, 1}, {5, 4, 3}}, made.data());
  EXPECT_TRUE(std::equal(made.begin(), made.end(), whole.begin() + 20));
  field.make_stored({{3, 1, 2}, {5, 3, 3}}, made.data());
  made.resize(4);
  EXPECT_EQ(made, (std::vector<float>{48, 49, 53, 54}));
}

TEST(Snapshot, ComponentsBecomeInnermostAndHalfBecomesFloat) {
  const std::vector<half> values = {half(1), half(2), half(3), half(10), half(20), half(30)};
  const SnapshotField field(dense_view(ElementType::half, {3, 1, 1}, 2, values.data(), "v"));
  std::vector<float> made(6);
  field.make_stored({{0, 0, 0}, {3, 1, 1}}, made.data());
  EXPECT_EQ(made, (std::vector<float>{1, 10, 2, 20, 3, 30}));
  made.resize(4);
  field.make_stored({{1, 0, 0}, {3, 1, 1}}, made.data());
  EXPECT_EQ(made, (std::vector<float>{2, 20, 3, 30}));
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
            "'.', quotes or control characters); rename the field");
  for (const auto* name : {"", "a.b", "a\"b", "a\nb"}) EXPECT_NE(named(name), "") << name;
}

TEST(Snapshot, TwoFieldsOfOneNameAreRefused) {
  const std::vector<float> values(8);
  const SnapshotField field(dense_view(values.data(), {2, 2, 2}, "u"));
  EXPECT_EQ(
      refusal_of({.extents = {2, 2, 2}, .fields = {field, field}, .config = {}, .provenance = {}}),
      "two fields of one snapshot are named 'u'; rename one of them");
}

TEST(Snapshot, PlanesOutsideAreRefused) {
  check_plane("u", {4, 3, 2}, Axis::y, 2);
  EXPECT_EQ(test::error_of([&] {
              check_plane("u", {4, 3, 2}, Axis::y, 3);
            }),
            "there is no plane 3 of field 'u' (the planes along that axis are 0 to 2)");
}

}  // namespace
}  // namespace goban::snapshot_test
