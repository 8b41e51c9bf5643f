#include "cli/command_line.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <goban_interface.hpp>
#include <ostream>

#include "cli/context.hpp"
#include "cli/examples.hpp"
#include "goban/base/agreement.hpp"
#include "goban/base/build_info.hpp"
#include "goban/base/error.hpp"
#include "goban/base/modules.hpp"
#include "goban/base/printable.hpp"
#include "goban/base/process/standard_streams.hpp"
#include "goban/domain/ranks/failure.hpp"
#include "goban/domain/ranks/mpi_loader.hpp"
#include "goban/io/case/names.hpp"

namespace goban::cli {
namespace {

constexpr ExitCode internal_error{1};

constexpr const char* exit_codes = R"(

Exit codes:
  0 done   2 wrong usage or case file   3 not enough memory or no such device   4 files
  5 the solution blew up   6 a peer was lost   7 no usable checkpoint
  8 memory or a processor has erred
  75 stopped early with a good checkpoint: run it again with --restart
  130 quit at once by a second Ctrl-C)";

std::string main_footer(const Context& context) {
  return examples(context, {{"GOBAN run CASE", "run a case; output goes to OUT"},
                            {"GOBAN run CASE time.steps=100", "... with one key changed"},
                            {"GOBAN describe APP", "the keys of its cases, units, defaults"},
                            {"GOBAN view OUT", "look at the result in the terminal"},
                            {"GOBAN new wave", "start an application of your own"},
                            {"mpirun -n 4 GOBAN doctor", "machines, cores, links; what to fix"},
                            {"GOBAN run --help", "more about one command"}}) +
         exit_codes;
}

std::string version_text() {
  const BuildInfo& info = build_info();
  std::string features;
  for (const auto feature : info.features) features += " " + std::string(feature);
  return version_line() + "\ncompiler         " + std::string(info.compiler) +
         "\nbuild            " + std::string(info.build_type) + "\nbuilt in         cpu" + features;
}

std::vector<std::string> command_names(const CLI::App& root) {
  std::vector<std::string> names;
  for (const CLI::App* command : root.get_subcommands(nullptr))
    names.push_back(command->get_name());
  return names;
}

/// A word that is no command where one is expected: CLI11 would report it without a suggestion.
void check_command(const CLI::App& root, const std::string& path,
                   const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = command_names(root);
  if (names.empty() || arguments.empty() || arguments[0].starts_with('-')) return;
  const std::string& word = arguments[0];
  if (std::find(names.begin(), names.end(), word) != names.end()) {
    check_command(*root.get_subcommand(word), path + " " + word,
                  {arguments.begin() + 1, arguments.end()});
    return;
  }
  const bool is_case = word.ends_with(".toml");
  throw Error(ExitCode::usage, "unknown command " + word,
              is_case ? "it looks like a case file" : "the commands are " + joined(names),
              did_you_mean(is_case ? path + " run " + word : nearest_name(word, names)));
}

/// The first word a command did not understand.
void check_remaining(const CLI::App& root, const std::string& path) {
  for (const CLI::App* command : root.get_subcommands()) {
    const std::string full = path + " " + command->get_name();
    check_remaining(*command, full);
    if (command->remaining_size() == 0 || command->get_prefix_command()) continue;
    const std::string word = command->remaining().front();
    const std::string name = word.substr(0, word.find('='));
    if (!word.starts_with('-')) {
      throw Error(ExitCode::usage, full + " does not take " + word, "one argument too many",
                  "see " + full + " --help");
    }
    std::vector<std::string> options;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& known : option->get_lnames()) options.push_back("--" + known);
    }
    const std::string near = nearest_name(name, options);
    throw Error(ExitCode::usage, "unknown option " + name, full + " has no such option",
                near.empty() ? "see " + full + " --help" : did_you_mean(near));
  }
}

/// A variable of a script that is not set must not mean what is meant without the option.
void refuse_empty(const std::vector<std::string>& arguments) {
  for (std::size_t n = 0; n < arguments.size(); ++n) {
    const std::string& word = arguments[n];
    const bool is_last = n + 1 == arguments.size();
    const bool is_empty = word.ends_with('=') || (!is_last && arguments[n + 1].empty());
    require(!word.starts_with("--") || !is_empty, word.substr(0, word.find('=')) + " is refused",
            "its value is empty", "give it one or leave it out");
  }
}

void declare(CLI::App& root, Context& context) {
  root.description(
      "goban runs stencil computations at memory speed: heat, Life, lattice Boltzmann, yours.");
  root.set_version_flag("--version", version_text, "Version, compiler, what is built in");
  root.require_subcommand(0, 1);
  add_run(root, context);
  add_apps(root, context);
  add_describe(root, context);
  add_calibrate(root, context);
  add_predict(root, context);
  add_tune(root, context);
  add_model(root, context);
  add_precompile(root, context);
  add_view(root, context);
  add_new(root, context);
  add_bench(root, context);
  add_doctor(root, context);
  add_checkpoint(root, context);
  add_test(root, context);
  for (CLI::App* command : root.get_subcommands(nullptr)) {
    command->allow_extras();
    for (CLI::App* inner : command->get_subcommands(nullptr)) inner->allow_extras();
  }
  root.footer(main_footer(context));  // now: commands would inherit it
}

void report(const std::string& text, std::ostream& err) {
  for (std::size_t start = 0; start <= text.size();) {
    const auto end = std::min(text.find('\n', start), text.size());
    err << "goban: " + printable(text.substr(start, end - start)) +
               "\n";  // at once: ranks share a pipe
    start = end + 1;
  }
}

int parse_and_run(const std::vector<std::string>& arguments, Context& context) {
  CLI::App root("", context.program);
  declare(root, context);
  check_command(root, context.program, arguments);
  refuse_empty(arguments);
  try {
    root.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& done) {
    root.exit(done, context.out, context.err);
    return 0;
  } catch (const CLI::ParseError& wrong) {
    std::string command = context.program;
    for (const CLI::App* chosen : root.get_subcommands()) command += " " + chosen->get_name();
    throw Error(ExitCode::usage, wrong.what(), "", "see " + command + " --help");
  }
  check_remaining(root, context.program);
  if (!context.action) {
    context.out << root.help();
    return 0;
  }
  const int ranks = world_communicator()->size();
  require(context.is_for_ranks || ranks == 1,
          "an MPI has started goban " + std::to_string(ranks) + " times",
          "several processes have no part in it", "start it without mpirun");
  return context.action();
}

/// Programs of another goban may find this one's library, by LD_LIBRARY_PATH.
void require_own_library() {
  if (std::strcmp(GOBAN_INTERFACE, interface_hash()) == 0) return;
  throw Error(ExitCode::resources, "the library libgoban.so that was found cannot be used",
              "it was built with the headers of another goban", "see LD_LIBRARY_PATH");
}

}  // namespace

int command_line(const std::vector<std::string>& arguments,
                 const std::vector<KnownApplication>& applications, std::ostream& out,
                 std::ostream& err) {
  reserve_standard_streams();
  const std::string program =
      arguments.empty() ? "goban" : std::filesystem::path(arguments[0]).filename().string();
  const auto report_error = [&](const Error& error) {
    return report_failure(error, [&](const std::string& text) { report(text, err); });
  };
  std::ostream nowhere(nullptr);
  try {
    require_own_library();
    // Only the first of several ranks speaks.
    const bool is_first = world_communicator()->rank() == 0;
    const auto first = arguments.begin() + (arguments.empty() ? 0 : 1);
    Context context{program,
                    applications,
                    is_first ? out : nowhere,
                    is_first ? err : nowhere,
                    {first, arguments.end()},
                    {}};
    const int code = parse_and_run(context.arguments, context);
    if (code == 0 && is_first && !out.flush()) {
      throw Error(ExitCode::files, "cannot write to standard output", "it takes no more",
                  "is it open, and is there space where it goes to?");
    }
    return code;
  } catch (const Error& error) {
    return report_error(error);
  } catch (const std::exception&) {
    const Error error = as_error(std::current_exception());
    if (error.code() != internal_error) return report_error(error);
    return report_error(Error(internal_error, std::string("internal error: ") + error.what()));
  }
}

}  // namespace goban::cli
