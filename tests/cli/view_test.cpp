// goban view of files that no run of the test wrote.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "goban/io/file/npy.hpp"
#include "tests/cli/command_result.hpp"
#include "tests/cli/counting_application.hpp"
#include "tests/png_file.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::cli::view_test {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class View : public ::testing::Test {
 protected:
  CommandResult view(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "view");
    return testing::goban(arguments, testing::counting());
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string csv(const std::string& text) const { return folder_.store("s.csv", text).string(); }

  const test::ScratchFolder folder_;
};

TEST_F(View, ASeriesHasAFrameForEachUnit) {
  const std::string series =
      csv("time [s],a [K],b [K],energy [J],count\n0,1,2,300,4\n1,2,3,500,5\n2,3,4,900,6\n");
  const CommandResult shown = view({series});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, StartsWith("s.csv\n[K]\n"));
  EXPECT_THAT(shown.out, HasSubstr("* a   o b\n"));
  EXPECT_THAT(shown.out, HasSubstr("\nenergy [J]\n"));
  EXPECT_THAT(shown.out, HasSubstr("\ncount\n"));
  const auto height = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {series, "--out", file("s.png")};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult written = view(words);
    EXPECT_EQ(written.code, 0) << written.err;
    return test::read_png(file("s.png")).height;
  };
  EXPECT_EQ(height({}), 3 * height({"--field", "a"}));
  EXPECT_EQ(view({series, "--range", "0,1"}).err,
            "goban: --range is refused (there are 3 frames, one for each unit); choose a column "
            "with --field\n");
}

TEST_F(View, NoEscapeSequenceOfAFileReachesTheTerminal) {
  const std::string series = csv("time [s],\x1b]0;mine\x07 [K],b [\x1b[31m]\n0,1,2\n1,2,3\n");
  const std::string odd = folder_.store("\x1b[31m.csv", "time [s],u\n0,1\n1,2\n").string();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{series}, {odd}, {series, "--field", "\x1b[5m"}, {"\x1b[5m.npy"}}) {
    const CommandResult shown = view(words);
    for (const char control : {'\x1b', '\x07'}) {
      EXPECT_EQ((shown.out + shown.err).find(control), std::string::npos) << words[0];
    }
    EXPECT_FALSE((shown.out + shown.err).empty());
  }
}

TEST_F(View, ComponentsAreCalledByTheirAxes) {
  const std::vector<double> values(3 * 4 * 4, 1.5);
  write_npy(file("v.npy"), dense_view(ElementType::float64, {4, 4, 1}, 3, values.data(), "v"));
  EXPECT_THAT(view({file("v.npy"), "--component", "2"}).out, HasSubstr("\nv z  "));
  EXPECT_THAT(view({file("v.npy"), "--magnitude"}).out, HasSubstr("\nv magnitude  "));
}

TEST_F(View, AProfileIsOfMeansOverPlanes) {
  const std::vector<double> values = {1, 3, 2, 6, 4, 8};
  write_npy(file("v.npy"), dense_view(values.data(), {2, 3, 1}, "v"));
  const CommandResult shown = view({file("v.npy"), "--profile", "y"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("means over planes"));
  EXPECT_THAT(view({file("v.npy"), "--profile", "y", "--range", "2,6", "--out", file("v.svg")}).out,
              StartsWith("wrote "));
  EXPECT_THAT(view({file("v.npy"), "--profile", "y", "--axis", "x"}).err,
              HasSubstr("--axis does not go with a profile"));
}

TEST_F(View, LinesAreDrawnOverAPlane) {
  std::vector<double> values(2 * 16 * 16);
  for (std::size_t n = 0; n < values.size(); ++n)
    values[n] = n < 256 ? 1 : static_cast<double>(n % 16);
  write_npy(file("v.npy"), dense_view(ElementType::float64, {16, 16, 1}, 2, values.data(), "v"));
  const auto size = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {file("v.npy"), "--component", "1", "--out", file("v.svg")});
    const CommandResult shown = view(more);
    EXPECT_EQ(shown.code, 0) << shown.err;
    return std::filesystem::file_size(file("v.svg"));
  };
  const auto plain = size({});
  EXPECT_GT(size({"--contours", "3.5,7.5"}), plain);
  EXPECT_GT(size({"--streamlines", "v"}), plain);
  EXPECT_THAT(view({file("v.npy"), "--contours", "1"}).err,
              HasSubstr("--contours does not go with a plane in the terminal"));
  EXPECT_THAT(view({file("v.npy"), "--streamlines", "v,v,v,v", "--out", file("v.svg")}).err,
              HasSubstr("these are 4 numbers, the cells have 2 axes"));
}

TEST_F(View, SurfacesAreSeenFromWhereOneStands) {
  std::vector<double> values(8 * 8 * 8);
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<double>(n % 8);
  write_npy(file("v.npy"), dense_view(values.data(), {8, 8, 8}, "v"));
  const auto drawn = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {file("v.npy"), "--isosurface", "3.5", "--out", file("v.png")});
    const CommandResult shown = view(more);
    EXPECT_EQ(shown.code, 0) << shown.err;
    return folder_.content("v.png");
  };
  const std::string usual = drawn({});
  EXPECT_EQ(drawn({"--from", "30,25"}), usual);
  EXPECT_NE(drawn({"--from", "60,25"}), usual);
  EXPECT_NE(drawn({"--vertical-exaggeration", "2"}), usual);
  EXPECT_THAT(view({file("v.npy"), "--isosurface", "3"}).err,
              HasSubstr("a terminal shows no surfaces"));
  EXPECT_THAT(view({file("v.npy"), "--isosurface", "3", "--axis", "x"}).err,
              HasSubstr("--axis does not go with a surface"));
  EXPECT_THAT(view({file("v.npy"), "--isosurface", "9", "--out", file("v.png")}).err,
              HasSubstr("values are between 0 and 7"));
}

TEST_F(View, WritesTheFormatThatTheNameSays) {
  const std::vector<double> values(4 * 4, 1.5);
  write_npy(file("v.npy"), dense_view(values.data(), {4, 4, 1}, "v"));
  for (const auto& [name, begin] :
       {std::pair{"v.svg", "<?xml"}, {"v.pdf", "%PDF"}, {"v.png", "\x89PNG"}}) {
    const CommandResult written =
        view({file("v.npy"), "--vertical-exaggeration", "2", "--out", file(name)});
    EXPECT_EQ(written.code, 0) << written.err;
    EXPECT_THAT(folder_.content(name), StartsWith(begin));
  }
  EXPECT_THAT(folder_.content("v.svg"), HasSubstr("</svg>"));
  EXPECT_EQ(view({file("v.npy"), "--vertical-exaggeration", "0", "--out", file("a.png")}).code, 2);
  EXPECT_THAT(view({file("v.npy"), "--vertical-exaggeration", "2"}).err,
              HasSubstr("--vertical-exaggeration does not go with a plane in the terminal"));
}

TEST_F(View, MaskedCellsShowNoValue) {
  const std::vector<float> values = {1, 2, 3, 4};
  write_npy(file("u.npy"), dense_view(values.data(), {4, 1, 1}, "u"));
  EXPECT_THAT(view({file("u.npy")}).out, Not(HasSubstr("?")));
  // A file of NumPy holds one field: itself masks all of its cells.
  EXPECT_THAT(view({file("u.npy"), "--mask", "u"}).out, HasSubstr("???"));
  EXPECT_THAT(view({file("u.npy"), "--mask", "w"}).err, HasSubstr("no field w"));
}

}  // namespace
}  // namespace goban::cli::view_test
