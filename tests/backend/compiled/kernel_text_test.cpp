#include "goban/backend/compiled/kernel_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace goban::kernel_text_test {
namespace {

constexpr std::array texts = {
    KernelText{"a.hpp", "#pragma once\n// a\nint a;\n"},
    KernelText{"b.hpp", "#pragma once\n#include \"a.hpp\"\nint b = a;\n"},
    KernelText{"folder/c.hpp", "#include \"b.hpp\"\n#include \"a.hpp\"\nint c;"}};

TEST(KernelText, HasEachTextItIncludesOnceAndBeforeItIsUsed) {
  EXPECT_EQ(with_includes("#include \"folder/c.hpp\"\n#include \"b.hpp\"\nint d;\n", texts),
            "// a\nint a;\nint b = a;\nint c;\nint d;\n");
}

TEST(KernelText, StaysAsItIsWithoutIncludes) {
  EXPECT_EQ(with_includes("int d;\n\n  // \"a.hpp\"\n", texts), "int d;\n\n  // \"a.hpp\"\n");
  EXPECT_EQ(with_includes("", texts), "");
}

TEST(KernelText, RefusesATextThatThereIsNot) {
  EXPECT_THROW(with_includes("#include \"c.hpp\"\n", texts), std::logic_error);
  const std::array lacking = {KernelText{"b.hpp", texts[1].text}};
  EXPECT_THROW(with_includes("#include \"b.hpp\"\n", lacking), std::logic_error);
}

}  // namespace
}  // namespace goban::kernel_text_test
