#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "cli/context.hpp"
#include "goban/base/error.hpp"

namespace goban::cli {
namespace {

/// Benchmarks hold hand-written twins of the kernels; they are a program of their own that lies
/// beside this one.
int run_benchmarks(const Context& context, const std::vector<std::string>& arguments) {
  std::error_code unknown;
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path() / "goban-bench";
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  context.out << std::flush;
  ::execv(program.c_str(), words.data());
#ifndef __x86_64__
  throw Error(ExitCode::usage, "benchmarks are refused on this processor",
              "their hand-written twins are for x86-64", "take the rates that goban run prints");
#endif
  throw Error(ExitCode::usage, "cannot run " + program.string(),
              std::error_code(errno, std::generic_category()).message(),
              "benchmarks are built from the repository: ./goban bench");
}

}  // namespace

void add_bench(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand(
      "bench", "Measure kernels beside the memory's bandwidth and hand-written twins");
  command->prefix_command();
  command->footer(
      "\nWhat follows bench goes to the program goban-bench, which has a --help of its own.");
  command->callback([&context, command] {
    context.action = [&context, command] { return run_benchmarks(context, command->remaining()); };
  });
}

}  // namespace goban::cli
