#include "goban/io/case/read.hpp"
#include "goban/io/case/toml.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/error_text.hpp"
#include "tests/io/case/example.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::read_test {
namespace {

using test::example_schema;
using test::smallest_case;

Case parsed(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_case(example_schema(), text, "case.toml", overrides);
}

class CaseFiles : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    return folder_.store(name, text);
  }
  const test::ScratchFolder folder_;
};

TEST(CaseRead, EveryTypeIsRead) {
  const Case values = parsed(
      "app = \"life\"\n"
      "[grid]\ncells = [4, 5, 6]\nspacing = [1, 2.5, 3]\n"
      "[time]\nsteps = 1_000\nend = 2\n"
      "[physics]\nconductivity = 80.4\nscheme = 'implicit'\nsources = true\n"
      "[run]\nthreads = 2\npatches = [2, 1, 1]\n"
      "[output.snapshots]\nfields = [\"T\", \"q\"]\nat = [0, 0.5]\n"
      "[[obstacle]]\nradius = 1\ncenter = [1, 2, 3]\n"
      "[[obstacle]]\nname = \"ball\"\nradius = 2.5\ncenter = [4, 5, 6]\n");
  EXPECT_EQ(values.text("app"), "life");
  EXPECT_EQ(values.integer3("grid.cells"), (Index3{4, 5, 6}));
  EXPECT_EQ(values.real3("grid.spacing"), (Real3{1, 2.5, 3}));
  EXPECT_EQ(values.integer("time.steps"), 1000);
  EXPECT_EQ(values.real("time.end"), 2.0);
  EXPECT_EQ(values.real("physics.conductivity"), 80.4);
  EXPECT_EQ(values.choice("physics.scheme"), "implicit");
  EXPECT_TRUE(values.boolean("physics.sources"));
  EXPECT_EQ(values.integer("run.threads"), 2);
  EXPECT_EQ(values.word("run.threads"), "");
  EXPECT_EQ(values.integer3("run.patches"), (Index3{2, 1, 1}));
  EXPECT_EQ(values.texts("output.snapshots.fields"), (std::vector<std::string>{"T", "q"}));
  EXPECT_EQ(values.reals("output.snapshots.at"), (std::vector<double>{0, 0.5}));
  ASSERT_EQ(values.list("obstacle").size(), 2u);
  EXPECT_EQ(values.list("obstacle")[0].text("name"), "body");
  EXPECT_EQ(values.list("obstacle")[1].text("name"), "ball");
  EXPECT_EQ(values.list("obstacle")[1].real("radius"), 2.5);
  EXPECT_EQ(values.list("obstacle")[1].real3("center"), (Real3{4, 5, 6}));
}

TEST(CaseRead, DefaultsStandInForWhatIsNotGiven) {
  const Case values = parsed(smallest_case);
  EXPECT_EQ(values.integer("time.steps"), 100);
  EXPECT_EQ(values.word("run.threads"), "auto");
  EXPECT_EQ(values.real3("grid.spacing"), (Real3{1, 1, 1}));
  EXPECT_FALSE(values.has("time.end"));
  EXPECT_TRUE(values.has("time.steps"));
  EXPECT_FALSE(values.given("time.steps"));
  EXPECT_TRUE(values.given("grid.cells"));
  EXPECT_FALSE(values.has("obstacle"));
  EXPECT_TRUE(values.list("obstacle").empty());
}

TEST(CaseRead, NumbersConvertWhereNothingIsLost) {
  EXPECT_EQ(parsed("grid.cells = [4, 5e0, 6]\ntime.steps = 1e6\n").integer("time.steps"), 1000000);
  EXPECT_EQ(parsed(std::string(smallest_case) + "physics.conductivity = 3\n")
                .real("physics.conductivity"),
            3.0);
  EXPECT_EQ(
      parsed(std::string(smallest_case) + "run.memory = 9007199254740993\n").integer("run.memory"),
      9007199254740993);
}

TEST(CaseRead, UnitsConvertToTheUnitOfTheKey) {
  const Case values = parsed(
      "[grid]\ncells = [4, 5, 6]\nspacing = \"5 mm\"\n"
      "[time]\nend = \"10 min\"\n"
      "[run]\nmemory = \"2 GiB\"\n"
      "[[obstacle]]\nradius = \"2 cm\"\ncenter = [0, \"1 mm\", \"2 um\"]\n");
  EXPECT_EQ(values.real3("grid.spacing"), (Real3{5e-3, 5e-3, 5e-3}));
  EXPECT_EQ(values.real("time.end"), 600);
  EXPECT_EQ(values.integer("run.memory"), Index(2) << 30);
  EXPECT_EQ(values.list("obstacle")[0].real("radius"), 0.02);
  EXPECT_EQ(values.list("obstacle")[0].real3("center"), (Real3{0, 1e-3, 2e-6}));
}

TEST(CaseRead, OverridesHaveTheLastWord) {
  const std::string text =
      "grid.cells = [4, 5, 6]\ntime.steps = 5\nphysics.scheme = \"implicit\"\n";
  EXPECT_EQ(parsed(text, {"time.steps=7"}).integer("time.steps"), 7);
  EXPECT_EQ(parsed(text, {"time.steps=7", "time.steps=8"}).integer("time.steps"), 8);
  EXPECT_EQ(parsed(text, {"physics.scheme=explicit"}).choice("physics.scheme"), "explicit");
  EXPECT_EQ(parsed(text, {"run.threads=4"}).integer("run.threads"), 4);
  EXPECT_EQ(parsed(text, {"run.threads=auto"}).word("run.threads"), "auto");
  EXPECT_TRUE(parsed(text, {"time.steps=7"}).given("time.steps"));
}

TEST(CaseRead, OverridesNeedNeitherQuotesNorBrackets) {
  const auto with = [](const std::string& text) { return parsed(smallest_case, {text}); };
  EXPECT_EQ(with("grid.cells=7,8,9").integer3("grid.cells"), (Index3{7, 8, 9}));
  EXPECT_EQ(with("grid.cells=[7, 8, 9]").integer3("grid.cells"), (Index3{7, 8, 9}));
  EXPECT_EQ(with("grid.spacing=5 mm").real3("grid.spacing"), (Real3{5e-3, 5e-3, 5e-3}));
  EXPECT_EQ(with("grid.spacing=1,2 mm,3").real3("grid.spacing"), (Real3{1, 2e-3, 3}));
  EXPECT_EQ(with("time.end=10 min").real("time.end"), 600);
  EXPECT_EQ(with("time.end=01:00:00").real("time.end"), 3600);
  EXPECT_EQ(with("output.snapshots.fields=T").texts("output.snapshots.fields"),
            (std::vector<std::string>{"T"}));
  EXPECT_EQ(with("output.snapshots.fields=T, q").texts("output.snapshots.fields"),
            (std::vector<std::string>{"T", "q"}));
  EXPECT_EQ(with("output.snapshots.fields=[]").texts("output.snapshots.fields"),
            (std::vector<std::string>{}));
  EXPECT_EQ(with("app=1979-05-27").text("app"), "1979-05-27");
  EXPECT_EQ(with("app=\"a b\"").text("app"), "a b");
  EXPECT_EQ(with("app=x=y").text("app"), "x=y");
  EXPECT_EQ(with("run.patches=auto").word("run.patches"), "auto");
  EXPECT_TRUE(with("physics.sources=true").boolean("physics.sources"));
}

TEST(CaseRead, OverridesReachIntoListsOfSections) {
  const std::string text =
      std::string(smallest_case) + "[[obstacle]]\nradius = 1\ncenter = [1, 2, 3]\n";
  const Case values =
      parsed(text, {"obstacle.0.radius=5 cm", "obstacle.1.radius=2", "obstacle.1.center=0,0,0"});
  ASSERT_EQ(values.list("obstacle").size(), 2u);
  EXPECT_EQ(values.list("obstacle")[0].real("radius"), 0.05);
  EXPECT_EQ(values.list("obstacle")[0].real3("center"), (Real3{1, 2, 3}));
  EXPECT_EQ(values.list("obstacle")[1].real("radius"), 2);
  EXPECT_TRUE(parsed(text, {"obstacle=[]"}).list("obstacle").empty());
}

TEST(CaseRead, WhatTheParserDoesNotSurviveIsRefused) {
  std::string key = "a";
  for (int part = 0; part < 200000; ++part) key += ".a";
  const auto refusal = [](const std::string& text) {
    return test::error_of([&] { parse_case(test::example_schema(), text, "case.toml"); });
  };
  EXPECT_EQ(refusal(key + " = 1\n"),
            "case.toml:1:2001: a key has too many parts (at most 1000 are read); keys are "
            "section.name");
  EXPECT_EQ(refusal(std::string(largest_case_file + 1, '#')),
            "case.toml:1:1: the case file is too large (1048577 bytes, at most 1 MiB is read); put "
            "data into files of their own and name them by a path");
  EXPECT_EQ(refusal("a = 1\n# \xFF\n"),
            "case.toml:2:2: the case file is not UTF-8 text (a byte does not belong to any "
            "character); save it as UTF-8");
}
TEST(CaseRead, ProvenanceIsIgnored) {
  EXPECT_NO_THROW(
      parsed(std::string(smallest_case) + "[provenance]\nversion = \"1.0\"\nseed = 3\n"));
}

TEST(CaseRead, UnusedKeysMayBeAllowed) {
  const Case values =
      parse_case(example_schema(), std::string(smallest_case) + "[weather]\nwind = 1\n",
                 "case.toml", {"zebra=3"}, {.allow_unused = true});
  EXPECT_EQ(values.warnings(),
            (std::vector<std::string>{"command line 'zebra=3': unknown key zebra is ignored",
                                      "case.toml:2:2: unknown section weather is ignored"}));
}

TEST(CaseRead, ErrorsOfTheApplicationSayWhereTheValueStands) {
  const Case values =
      parsed(std::string(smallest_case) + "time.end = 2.0\n", {"physics.factor=0.25"});
  EXPECT_STREQ(values.error("time.end", "time.end is too short", "below dt").what(),
               "case.toml:2:12: time.end is too short (below dt)");
  EXPECT_STREQ(values.error("physics.factor", "too small").what(),
               "command line 'physics.factor=0.25': too small");
  EXPECT_STREQ(values.error("time.steps", "too few").what(), "case.toml: too few");
}

TEST(CaseRead, MistakesOfTheApplicationAreLogicErrors) {
  const Case values = parsed(smallest_case);
  EXPECT_THROW(values.real("physics.conductivty"), std::logic_error);
  EXPECT_THROW(values.real("time.steps"), std::logic_error);
  EXPECT_THROW(values.real("time.end"), std::logic_error);
  CaseSchema schema;
  schema.real("a.b");
  EXPECT_THROW(schema.integer("a.b"), std::logic_error);
  EXPECT_THROW(schema.choice("a.c", {"x", "y"}, "z"), std::logic_error);
}

TEST(CaseRead, MistakesOfTheApplicationAreNamedWithWhatToCallInstead) {
  const Case values = parsed(smallest_case);
  const auto mistake = [](const auto& read) {
    try {
      read();
    } catch (const std::logic_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(mistake([&] { values.text("time.steps"); }),
            "the application reads case key time.steps by text() (it is declared by integer()); "
            "read it by integer()");
  EXPECT_EQ(mistake([&] { values.real("obstacle"); }),
            "the application reads case key obstacle by real() (it is declared by tables()); read "
            "it by list()");
  EXPECT_EQ(mistake([&] { values.real("time.end"); }),
            "the application reads case key time.end by real() (it has no value); ask has() first");
  EXPECT_EQ(mistake([&] { values.integer("run.threads"); }),
            "the application reads case key run.threads by integer() (it is \"auto\"); ask word() "
            "first");
  EXPECT_EQ(values.text("physics.scheme"), "explicit");
  EXPECT_EQ(values.text("physics.image"), "");
}

TEST_F(CaseFiles, PathsAreRelativeToTheFileThatNamesThem) {
  const auto file =
      write("case.toml", std::string(smallest_case) + "physics.image = \"data/image.raw\"\n");
  EXPECT_EQ(read_case(example_schema(), file).path("physics.image"), folder_ / "data/image.raw");
  EXPECT_EQ(
      read_case(example_schema(), file, {"physics.image=data/image.raw"}).path("physics.image"),
      std::filesystem::current_path() / "data/image.raw");
  EXPECT_EQ(read_case(example_schema(), file, {"physics.image="}).path("physics.image"), "");
  EXPECT_EQ(read_case(example_schema(), file, {"physics.image=/a/../b.raw"}).path("physics.image"),
            "/b.raw");
}

TEST_F(CaseFiles, UnreadableFilesAreNamed) {
  write("hotspot.toml", smallest_case);
  const auto message = [&](const std::filesystem::path& file) {
    return test::refusal(ExitCode::files, [&] { read_case(example_schema(), file); });
  };
  EXPECT_EQ(message(folder_ / "hotspt.toml"),
            "cannot read case file " + (folder_ / "hotspt.toml").string() +
                " (no such file); did you mean " + (folder_ / "hotspot.toml").string() + "?");
  std::filesystem::create_directories(folder_ / "hotspo");
  for (const char* name : {"hotspot", "hotspo2"}) {
    EXPECT_NE(message(folder_ / name).find("did you mean " + (folder_ / "hotspot.toml").string()),
              std::string::npos)
        << name;
  }
  EXPECT_EQ(message(folder_.path()), "cannot read case file " + folder_.path().string() +
                                         " (it is a folder); name a .toml file in it");
  EXPECT_EQ(message(folder_ / "no/such.toml"),
            "cannot read case file " + (folder_ / "no/such.toml").string() + " (no such file)");
}

TEST_F(CaseFiles, ApplicationIsKnownBeforeItsKeysAre) {
  const auto file = write("case.toml", "app = \"heat\"\n[whatever]\nx = 1\n");
  EXPECT_EQ(application_of(file), "heat");
  EXPECT_EQ(application_of(file, {"whatever.x=2", "app=life"}), "life");
  const auto without = write("other.toml", "[whatever]\nx = 1\n");
  EXPECT_EQ(test::error_of([&] { application_of(without); }),
            without.string() +
                ": missing key app (the application that runs the case); add app = "
                "\"text\" at the top");
}

}  // namespace
}  // namespace goban::read_test
