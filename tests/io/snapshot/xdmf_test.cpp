#include "goban/io/snapshot/xdmf.hpp"

#include <fmt/format.h>

#include "tests/io/scratch.hpp"

namespace goban::xdmf_test {
namespace {

using XdmfTest = ScratchTest;

XdmfStep step_of(Index step, const std::string& file) {
  return {.step = step,
          .time = 0.5 * static_cast<double>(step),
          .extents = {4, 3, 2},
          .origin = {1, 2, 3},
          .spacing = {0.1, 0.2, 0.25},
          .fields = {{.name = "T <old> & \"new\"",
                      .type = ElementType::float32,
                      .components = 1,
                      .file = file,
                      .hdf5_dataset = "/VTKHDF/CellData/T",
                      .offset = 0},
                     {.name = "v",
                      .type = ElementType::float64,
                      .components = 3,
                      .file = "v.npy",
                      .hdf5_dataset = {},
                      .offset = 128}}};
}

std::vector<Index> steps_of(const XdmfSeries& series) {
  std::vector<Index> steps;
  for (const auto& entry : series.entries()) steps.push_back(entry.step);
  return steps;
}

TEST_F(XdmfTest, OneStepIsWrittenAsReadersExpectIt) {
  XdmfSeries series(path("s.xdmf"));
  series.add(step_of(100, "s.0000100.vtkhdf"));
  EXPECT_EQ(content("s.xdmf"), R"(<?xml version="1.0" ?>
<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>
<Xdmf Version="2.0">
  <Domain>
    <Grid Name="series" GridType="Collection" CollectionType="Temporal">
      <Grid Name="step 100" GridType="Uniform">
        <Time Value="50"/>
        <Topology TopologyType="3DCoRectMesh" Dimensions="3 4 5"/>
        <Geometry GeometryType="ORIGIN_DXDYDZ">
          <DataItem Dimensions="3" NumberType="Float" Precision="8" Format="XML">3 2 1</DataItem>
          <DataItem Dimensions="3" NumberType="Float" Precision="8" Format="XML">0.25 0.2 0.1</DataItem>
        </Geometry>
        <Attribute Name="T &lt;old&gt; &amp; &quot;new&quot;" AttributeType="Scalar" Center="Cell">
          <DataItem Format="HDF" NumberType="Float" Precision="4" Dimensions="2 3 4">s.0000100.vtkhdf:/VTKHDF/CellData/T</DataItem>
        </Attribute>
        <Attribute Name="v" AttributeType="Vector" Center="Cell">
          <DataItem Format="Binary" Endian="Little" Seek="128" NumberType="Float" Precision="8" Dimensions="2 3 4 3">v.npy</DataItem>
        </Attribute>
      </Grid>
    </Grid>
  </Domain>
</Xdmf>
)");
}

TEST_F(XdmfTest, NodesThatStandElsewhereAreInAFile) {
  XdmfSeries series(path("s.xdmf"));
  XdmfStep step = step_of(1, "s.vtkhdf");
  step.nodes = {.file = "s.nodes.npy", .offset = 128};
  series.add(step);
  const std::string text = content("s.xdmf");
  EXPECT_NE(text.find(R"(        <Topology TopologyType="3DSMesh" Dimensions="3 4 5"/>
        <Geometry GeometryType="XYZ">
          <DataItem Format="Binary" Endian="Little" Seek="128" NumberType="Float" Precision="4" Dimensions="3 4 5 3">s.nodes.npy</DataItem>
        </Geometry>
)"),
            std::string::npos)
      << text;
}

TEST_F(XdmfTest, TheIndexHoldsEveryStepAfterEachOne) {
  XdmfSeries series(path("s.xdmf"));
  std::vector<Index> expected;
  for (const Index step : {0, 10, 20}) {
    series.add(step_of(step, "f"));
    expected.push_back(step);
    EXPECT_EQ(steps_of(XdmfSeries(path("s.xdmf"), 1000)), expected);
    EXPECT_EQ(file_count(), 1u);
  }
}

TEST_F(XdmfTest, ContinuingDropsLaterStepsAndKeepsTheOthersAsTheyWere) {
  {
    XdmfSeries series(path("s.xdmf"));
    for (const Index step : {0, 10, 20, 30}) series.add(step_of(step, fmt::format("f{}", step)));
  }
  XdmfSeries series(path("s.xdmf"), 15);
  EXPECT_EQ(steps_of(series), (std::vector<Index>{0, 10}));
  EXPECT_EQ(series.entries()[1].file, "f10");
  EXPECT_EQ(series.entries()[1].time, 5);
  series.add(step_of(20, "again"));
  XdmfSeries anew(path("t.xdmf"));
  for (const auto& [step, file] : {std::pair{0, "f0"}, {10, "f10"}, {20, "again"}})
    anew.add(step_of(step, file));
  EXPECT_EQ(content("s.xdmf"), content("t.xdmf"));
}

TEST_F(XdmfTest, NamesOfFilesComeBackAsTheyWere) {
  const std::string file = "a&b<c>\"d\"&amp;.vtkhdf";
  XdmfSeries(path("s.xdmf")).add(step_of(0, file));
  EXPECT_EQ(XdmfSeries(path("s.xdmf"), 0).entries().at(0).file, file);
}

TEST_F(XdmfTest, StepsStandInTheirOrderWheneverTheyCome) {
  XdmfSeries series(path("s.xdmf"));
  for (const Index step : {10, 30, 20, 0}) series.add(step_of(step, "f"));
  EXPECT_EQ(steps_of(series), (std::vector<Index>{0, 10, 20, 30}));
}

TEST_F(XdmfTest, AStepWrittenTwiceIsThereOnce) {
  XdmfSeries series(path("s.xdmf"));
  series.add(step_of(0, "a"));
  series.add(step_of(10, "b"));
  series.add(step_of(10, "c"));
  EXPECT_EQ(steps_of(series), (std::vector<Index>{0, 10}));
  EXPECT_EQ(series.entries()[1].file, "c");
}

TEST_F(XdmfTest, ContinuingWhatIsNotThereOrEmptyStartsANewIndex) {
  EXPECT_TRUE(XdmfSeries(path("s.xdmf"), 10).entries().empty());
  {
    XdmfSeries series(path("s.xdmf"));
    series.add({});
  }
  EXPECT_TRUE(XdmfSeries(path("s.xdmf"), -1).entries().empty());
}

TEST_F(XdmfTest, AnIndexOfSomeoneElseIsNotContinued) {
  const std::string expected =
      "cannot continue s.xdmf (it is not an index written by goban, or it was edited); move it "
      "away";
  store("s.xdmf", "<Xdmf/>\n");
  EXPECT_EQ(refusal([&] { XdmfSeries(path("s.xdmf"), 10); }, ExitCode::files), expected);
  {
    XdmfSeries series(path("s.xdmf"));
    series.add(step_of(0, "f"));
  }
  const std::string whole = content("s.xdmf");
  for (const std::size_t size : {0ul, 40ul, 200ul, 700ul, whole.size() - 1}) {
    store("s.xdmf", whole.substr(0, size));
    EXPECT_EQ(refusal([&] { XdmfSeries(path("s.xdmf"), 10); }, ExitCode::files), expected) << size;
  }
}

}  // namespace
}  // namespace goban::xdmf_test
