#include "goban/simulation/application/application_module.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/error_text.hpp"

namespace goban::application_module_test {
namespace {

/// Where the build puts modules that no goban would load.
class ApplicationModules : public testing::Test {
 protected:
  void SetUp() override { setenv("GOBAN_MODULES", GOBAN_TEST_MODULES, 1); }
  void TearDown() override { unsetenv("GOBAN_MODULES"); }
};

TEST_F(ApplicationModules, OneThatIsNotBuilt_IsRefusedWithWhatBuildsIt) {
  EXPECT_EQ(test::error_of([] { load_application("absent"); }),
            "application absent is not built (there is no libgoban-app-absent.so in " +
                std::string(GOBAN_TEST_MODULES) +
                "); ./goban run in the repository builds what a case needs");
}

TEST_F(ApplicationModules, OneThatCannotBeBuilt_IsRefused) {
  setenv("GOBAN_BUILDER", "/bin/false", 1);
  EXPECT_EQ(test::error_of([] { load_application("absent"); }),
            "app_absent is not built (/bin/false could not); see what it said, or leave "
            "GOBAN_BUILDER empty to use what is built");
  unsetenv("GOBAN_BUILDER");
}

TEST_F(ApplicationModules, OneOfOtherHeaders_IsRefused) {
  EXPECT_EQ(test::error_of([] { load_application("older"); }),
            std::string(GOBAN_TEST_MODULES) +
                "/libgoban-app-older.so cannot be used (it was built with the headers of another "
                "goban); ./goban run in the repository builds what a case needs");
}

TEST_F(ApplicationModules, AFileThatIsNone_IsRefusedWithTheLoadersReason) {
  const std::string text = test::error_of([] { load_application("broken"); });
  EXPECT_NE(text.find("libgoban-app-broken.so cannot be loaded"), std::string::npos) << text;
}

}  // namespace
}  // namespace goban::application_module_test
