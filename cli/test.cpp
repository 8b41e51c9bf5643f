#include "cli/context.hpp"
#include "goban/base/error.hpp"

namespace goban::cli {

void add_test(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand("test", "Run the test suite (from the repository)");
  command->callback([&context] {
    context.action = []() -> int {
      throw Error(ExitCode::usage, "the tests are not part of this program",
                  "they are built from the sources",
                  "run ./goban test in the repository, or ctest in a build with -DGOBAN_TESTS=ON");
    };
  });
}

}  // namespace goban::cli
