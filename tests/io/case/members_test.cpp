// Keys that are members of a struct.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "goban/io/case/place.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/case/types.hpp"
#include "goban/simulation/application/common_keys.hpp"
#include "tests/error_text.hpp"

namespace goban::members_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

enum class Colour { red, green };
constexpr Named<Colour> colours[] = {{"red", Colour::red}, {"green", Colour::green}};

struct Paint {
  double layer = 1.5;
  int coats = 2;
  bool is_wet = true;
  std::string name = "primer";
  Colour colour = Colour::green;
  Real3 place{1, 2, 3};
  Index3 cells{4, 5, 6};
  std::vector<double> times{};
  std::optional<double> limit{};
  double interval = 60;
  int threads = 0;
  TimeValue flow = 3;
};

CaseSchema paint_keys() {
  CaseSchema schema;
  schema.key("layer", &Paint::layer).unit("m").positive();
  schema.key("coats", &Paint::coats).between(1, 9);
  schema.key("is_wet", &Paint::is_wet);
  schema.key("name", &Paint::name);
  schema.key("colour", &Paint::colour, colours);
  schema.key("place", &Paint::place).unit("m");
  schema.key("cells", &Paint::cells);
  schema.key("times", &Paint::times);
  schema.key("limit", &Paint::limit);
  schema.key("interval", &Paint::interval).or_word("never", 1e300);
  schema.key("threads", &Paint::threads).at_least(1).or_auto();
  schema.key("flow", &Paint::flow).unit("m/s");
  return schema;
}

Paint painted(const std::string& text) {
  return parse_case(paint_keys(), text, "paint.toml").read<Paint>();
}

TEST(CaseMembers, HaveTheTypesAndDefaultsOfTheStruct) {
  const CaseSchema schema = paint_keys();
  EXPECT_EQ(schema.find("layer")->fallback(), CaseValue(1.5));
  EXPECT_EQ(schema.find("coats")->type(), KeyType::integer);
  EXPECT_EQ(schema.find("colour")->fallback(), CaseValue("green"));
  EXPECT_THAT(schema.find("colour")->choices(), ElementsAre("red", "green"));
  EXPECT_EQ(schema.find("place")->shortest(), 3u);
  EXPECT_FALSE(schema.find("limit")->is_required());
  EXPECT_EQ(schema.find("threads")->fallback(), CaseValue("auto"));
  const Paint paint = painted("");
  EXPECT_EQ(paint.layer, 1.5);
  EXPECT_EQ(paint.threads, 0);
  EXPECT_FALSE(paint.limit);
}

TEST(CaseMembers, AreReadWhereTheyAreGiven) {
  const Paint paint = painted(
      "layer = \"2 mm\"\ncoats = 3\nis_wet = false\nname = \"\"\ncolour = \"red\"\n"
      "place = [0, 0, \"1 cm\"]\ncells = [1, 2, 3]\ntimes = [1.5]\nlimit = 7\n"
      "interval = \"never\"\nthreads = 4\nflow = \"2 m/s * t\"\n");
  EXPECT_EQ(paint.layer, 2e-3);
  EXPECT_EQ(paint.coats, 3);
  EXPECT_FALSE(paint.is_wet);
  EXPECT_EQ(paint.name, "");
  EXPECT_EQ(paint.colour, Colour::red);
  EXPECT_EQ(paint.place, (Real3{0, 0, 0.01}));
  EXPECT_EQ(paint.cells, (Index3{1, 2, 3}));
  EXPECT_THAT(paint.times, ElementsAre(1.5));
  EXPECT_EQ(paint.limit, 7);
  EXPECT_EQ(paint.interval, 1e300);
  EXPECT_EQ(paint.threads, 4);
  EXPECT_EQ(paint.flow.at(3), 6);
}

TEST(CaseMembers, AreCheckedLikeOtherKeys) {
  EXPECT_THAT(test::error_of([] { painted("layer = -1"); }), HasSubstr("it must be positive"));
  EXPECT_THAT(test::error_of([] { painted("colour = \"blue\""); }),
              HasSubstr("the choices are red, green"));
  EXPECT_THAT(test::error_of([] { painted("place = [1, 2]"); }), HasSubstr("a list of 3 numbers"));
  EXPECT_THAT(test::error_of([] { painted("threads = 4294967297"); }),
              HasSubstr("paint.toml:1:11: threads is out of range (the number is too large)"));
  EXPECT_EQ(painted("threads = 2147483647").threads, 2147483647);
}

TEST(CaseMembers, OfOtherStructsAndOtherTablesAreLeftAlone) {
  struct Brush {
    double width = 1;
  };
  CaseSchema schema = paint_keys();
  schema.key("width", &Brush::width);
  CaseSchema& row = schema.tables("brush", "one of several");
  row.key("width", &Brush::width).required();
  row.key("tint", &Paint::colour, std::span(colours).first(1));
  const Case values = parse_case(
      schema,
      "width = 2\n[[brush]]\nwidth = 3\ntint = \"red\"\n[[brush]]\nwidth = 4\ntint = \"red\"\n",
      "p.toml");
  EXPECT_EQ(values.read<Brush>().width, 2);
  const auto brushes = values.read_all<Brush>("brush");
  ASSERT_EQ(brushes.size(), 2u);
  EXPECT_EQ(brushes[1].width, 4);
  EXPECT_EQ(values.list("brush")[1].read(Paint{.coats = 8}).coats, 8);
  EXPECT_TRUE(row.find("tint")->is_required()) << "the default is no choice there";
}

Case grid_case(const std::string& text) {
  CaseSchema schema;
  declare_common(schema, {.precisions = {"float32", "float64"}});
  return parse_case(schema, "app = \"a\"\ngrid.cells = [4, 2, 1]\ngrid.spacing = 0.5\n" + text,
                    "c.toml");
}

TEST(CaseParts, PlacesAreThoseOfTheGrid) {
  const GridPlace place(grid_case("grid.origin = [1, 0, 0]\n"));
  EXPECT_EQ(place.upper, (Real3{3, 1, 0.5}));
  EXPECT_EQ(place.middle(), (Real3{2, 0.5, 0.25}));
  EXPECT_TRUE(place.contains({3, 1, 0.5}));
  EXPECT_FALSE(place.contains({0.9, 0, 0}));
}

TEST(CaseParts, TypesAreThoseOfTheCase) {
  const Case values = grid_case("run.precision = \"float64\"\nrun.layout = \"kij\"\n");
  const auto size = [&] {
    return with_precision<float, double>(values, []<class T>() { return sizeof(T); });
  };
  EXPECT_EQ(size(), 8u);
  EXPECT_EQ((with_layout<ijk, kij>(values, []<class L>() { return L::order[0]; })), 2);
  EXPECT_THROW((with_precision<float>(values, []<class T>() { return sizeof(T); })),
               std::logic_error);
}

}  // namespace
}  // namespace goban::members_test
