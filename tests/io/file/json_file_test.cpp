#include "goban/io/file/json_file.hpp"

#include <nlohmann/json.hpp>

#include "tests/io/scratch.hpp"

namespace goban::json_file_test {
namespace {

using JsonFileTest = ScratchTest;

TEST_F(JsonFileTest, DocumentsReadBackEqual) {
  const nlohmann::json document = {{"a", {1, 2.5, nullptr}}, {"b", "\xc3\xa9"}, {"c", true}};
  write_json(path("f.json"), document);
  EXPECT_EQ(read_json(path("f.json")), document);
  EXPECT_TRUE(content("f.json").ends_with("}\n"));
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(JsonFileTest, TextThatIsNotUtf8IsWrittenWithReplacements) {
  write_json(path("f.json"), {{"name", "caf\xe9"}});
  EXPECT_EQ(read_json(path("f.json"))["name"], "caf\xef\xbf\xbd");
}

TEST_F(JsonFileTest, WhatIsNotJsonIsRefusedWithTheLine) {
  store("f.json", "{\n  \"a\": 1,\n  b: 2\n}\n");
  EXPECT_EQ(refusal([&] { read_json(path("f.json")); }, ExitCode::files),
            "cannot read f.json:3 (it is not JSON)");
  store("f.json", "{\"a\": 1");
  EXPECT_EQ(refusal([&] { read_json(path("f.json")); }, ExitCode::files),
            "cannot read f.json:1 (it is not JSON)");
  store("f.json", "[1e999]");
  EXPECT_EQ(refusal([&] { read_json(path("f.json")); }, ExitCode::files),
            "cannot read f.json (a number in it is out of range)");
}

TEST_F(JsonFileTest, ListsThatLieTooDeepAreRefused) {
  store("f.json", std::string(100000, '[') + std::string(100000, ']'));
  EXPECT_EQ(refusal([&] { read_json(path("f.json")); }, ExitCode::files),
            "cannot read f.json (its lists lie too deep within each other)");
  EXPECT_FALSE(
      is_too_deep("[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"]"))
      << "brackets in texts are no lists";
}

}  // namespace
}  // namespace goban::json_file_test
