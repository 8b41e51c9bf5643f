#include "goban/io/snapshot/snapshot_writer.hpp"

#include <cstring>

#include "goban/io/file/npy.hpp"
#include "tests/io/scratch.hpp"
#include "tests/io/snapshot/snapshot_example.hpp"

namespace goban::snapshot_writer_test {
namespace {

using SnapshotWriterTest = ScratchTest;

/// As XML writes it.
std::string escaped(std::string text) {
  for (const auto& [sign, name] : {std::pair{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}})
    for (auto at = text.find(sign); at != std::string::npos; at = text.find(sign, at + 1))
      text.replace(at, 1, name);
  return text;
}

TEST_F(SnapshotWriterTest, EveryStepLeavesItsFilesAndAnIndexThatNamesThem) {
  SnapshotSeries series(directory(), "case_all");
  for (const Index step : {0, 100}) {
    const SnapshotExample example(step);
    const WrittenSnapshot written = series.write(example.snapshot);
    Index bytes = 0;
    const std::string index = content("case_all.xdmf");
    for (const auto& file : written.files) {
      bytes += static_cast<Index>(std::filesystem::file_size(file));
      EXPECT_TRUE(file.filename().string().starts_with(step == 0 ? "case_all.0000000."
                                                                 : "case_all.0000100."));
      EXPECT_NE(index.find(escaped(file.filename().string())), std::string::npos) << file;
    }
    EXPECT_EQ(written.bytes, bytes);
    EXPECT_EQ(written.files.size(), have_hdf5() ? 1u : 6u);
    EXPECT_EQ(written.description, snapshot_format());
  }
  EXPECT_EQ(series.index(), path("case_all.xdmf"));
}

TEST_F(SnapshotWriterTest, AContinuedSeriesForgetsLaterStepsOnly) {
  {
    SnapshotSeries series(directory(), "s");
    for (const Index step : {0, 100, 200}) series.write(SnapshotExample(step).snapshot);
  }
  SnapshotSeries series(directory(), "s", 150);
  series.write(SnapshotExample(160).snapshot);
  const std::string index = content("s.xdmf");
  for (const auto* name : {"step 0\"", "step 100\"", "step 160\""})
    EXPECT_NE(index.find(name), std::string::npos) << name;
  EXPECT_EQ(index.find("step 200\""), std::string::npos);
}

TEST_F(SnapshotWriterTest, ParaViewsOwnListNamesTheSameFiles) {
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5";
  SnapshotSeries series(directory(), "s");
  series.write(SnapshotExample(0).snapshot);
  series.write(SnapshotExample(100).snapshot);
  const std::string list = content("s.vtkhdf.series");
  EXPECT_NE(list.find("\"file-series-version\": \"1.0\""), std::string::npos);
  EXPECT_NE(list.find("\"name\": \"s.0000000.vtkhdf\""), std::string::npos);
  EXPECT_NE(list.find("\"time\": 50.0"), std::string::npos);
}

TEST_F(SnapshotWriterTest, NumPyFilesAreSnapshotsOfOneField) {
  Array array(ElementType::int32, {4, 3, 2}, 1, "u");
  array.as<std::int32_t>()[4 + 2] = 7;
  write_npy(path("u.npy"), array.view());
  EXPECT_EQ(read_snapshot(path("u.npy")).fields.at(0).at(2, 1, 0), 7);
  const StoredSnapshot plane =
      read_snapshot(path("u.npy"), {.fields = {"u"}, .plane = std::pair{Axis::y, Index{1}}});
  EXPECT_EQ(plane.fields.at(0).extents, (Index3{4, 1, 2}));
  EXPECT_EQ(plane.fields.at(0).at(2, 0, 0), 7);
  EXPECT_EQ(refusal([&] { read_snapshot(path("u.npy"), {.fields = {"T"}, .plane = {}}); },
                    ExitCode::usage),
            "there is no field 'T' in the file (it holds u)");
  EXPECT_EQ(
      refusal(
          [&] {
            read_snapshot(path("u.npy"), {.fields = {}, .plane = std::pair{Axis::z, Index{2}}});
          },
          ExitCode::usage),
      "there is no plane 2 of field 'u' (the planes along that axis are 0 to 1)");
}

TEST_F(SnapshotWriterTest, WithoutHdf5ItIsSaidSo) {
  if (have_hdf5()) GTEST_SKIP() << "built with HDF5";
  store("s.vtkhdf", "x");
  EXPECT_EQ(refusal([&] { read_snapshot(path("s.vtkhdf")); }, ExitCode::files),
            "cannot read s.vtkhdf (this goban was built without HDF5); install libhdf5-dev and "
            "build again");
  EXPECT_EQ(snapshot_format(), "NumPy binary (built without HDF5)");
}

TEST_F(SnapshotWriterTest, TheBinaryIndexPointsAtTheFirstValue) {
  if (have_hdf5()) GTEST_SKIP() << "built with HDF5";
  SnapshotSeries series(directory(), "s");
  const SnapshotExample example(0);
  series.write(example.snapshot);
  const std::string index = content("s.xdmf");
  const auto at = index.find("Seek=\"") + 6;
  const auto offset = static_cast<std::size_t>(std::stol(index.substr(at)));
  const std::string file = content("s.0000000.temperature.npy");
  ASSERT_EQ(file.size(), offset + 60 * 4);
  float first = 0;
  std::memcpy(&first, file.data() + offset, 4);
  EXPECT_EQ(first, example.temperature[0]);
}

}  // namespace
}  // namespace goban::snapshot_writer_test
