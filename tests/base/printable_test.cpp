#include "goban/base/printable.hpp"

#include <gtest/gtest.h>

namespace goban::printable_test {
namespace {

TEST(Printable, TextStaysAsItIs) {
  for (const std::string text :
       {"", "u [m/s]", "temp\xc3\xa9rature \xe6\xa2\x8b \xf0\x9f\x98\x80"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ControlCharactersDoNotReachATerminal) {
  EXPECT_EQ(printable("\x1b[31mred\x07\x7f"), "?[31mred??");
  EXPECT_EQ(printable("a\tb\nc\rd"), "a b c?d");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "??31m")
      << "U+009B begins a sequence, too";
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");
}

TEST(Printable, BytesThatAreNoCharactersAreMarked) {
  for (const std::string broken : {"\xff", "\x80", "\xc0", "\xe2\x82", "\xc1\xbf",
                                   "\xf5\x80\x80\x80", "\xed\xa0\x80", "\xe0\x80\x80"}) {
    EXPECT_EQ(printable(broken), std::string(broken.size(), '?'));
  }
}

}  // namespace
}  // namespace goban::printable_test
