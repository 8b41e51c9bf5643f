#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/context.hpp"
#include "cli/earlier_run.hpp"
#include "cli/examples.hpp"
#include "cli/text.hpp"
#include "goban/base/error.hpp"
#include "goban/checkpoint/inventory.hpp"
#include "goban/io/case_text.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

/// The checkpoints of a run's folder, of its chk folder, or the one checkpoint named.
std::vector<CheckpointEntry> checkpoints_in(const Context& context, const fs::path& given) {
  if (!fs::is_directory(given)) {
    throw Error(ExitCode::files, "cannot read " + given.string(), "no such folder",
                "name the folder of a run");
  }
  if (fs::exists(given / Manifest::file_name)) return {{0, given}};
  const bool is_run = fs::is_directory(given / "chk");
  if (const std::string death = death_of(given); !death.empty()) context.err << death << "\n";
  const auto found = list_checkpoints(is_run ? given / "chk" : given);
  if (found.empty()) {
    throw Error(ExitCode::no_checkpoint, "no checkpoints in " + given.string(), "",
                "give the case checkpoint.every or checkpoint.every_wall");
  }
  return found;
}

std::string description(const Manifest& manifest) {
  return "step " + std::to_string(manifest.state.step) + ", time " +
         plain_number(manifest.state.time) + ", " + bytes_text(manifest.bytes()) + ", " +
         manifest.program + ", saved " + manifest.saved;
}

int list(const Context& context, const std::string& folder) {
  for (const CheckpointEntry& entry : checkpoints_in(context, folder)) {
    std::string text;
    try {
      text = description(read_manifest(entry.path));
    } catch (const Error& error) {
      if (!fs::exists(entry.path)) continue;  // removed by the run that goes on
      text = std::string("unreadable: ") + error.what();
    }
    context.out << entry.path.string() << ": " << text << "\n";
  }
  return 0;
}

/// While a run goes on, checkpoints make room for newer ones: where that left none to judge, those
/// are looked at.
int verify(const Context& context, const std::string& folder) {
  constexpr int most_looks = 100;
  bool any_good = false, any_bad = false;
  for (int look = 0; look < most_looks && !any_good && !any_bad; ++look) {
    for (const CheckpointEntry& entry : checkpoints_in(context, folder)) {
      const CheckpointVerdict verdict = verify_checkpoint(entry.path);
      if (verdict.is_gone) continue;
      (verdict.good ? any_good : any_bad) = true;
      context.out << entry.path.string() << ": "
                  << (verdict.good ? "good, " + description(verdict.manifest)
                                   : "damaged, " + verdict.reason)
                  << "\n"
                  << std::flush;
    }
  }
  const ExitCode code = !any_good ? ExitCode::no_checkpoint
                        : any_bad ? ExitCode::files
                                  : ExitCode::done;
  return static_cast<int>(code);
}

using Action = int (*)(const Context&, const std::string&);

void add_action(CLI::App& command, Context& context, const std::string& name,
                const std::string& doc, Action action) {
  CLI::App* inner = command.add_subcommand(name, doc);
  auto folder = std::make_shared<std::string>();
  inner->add_option("folder", *folder, "Folder of a run, or of one checkpoint")
      ->type_name("DIR")
      ->required();
  inner->callback([&context, folder, action] {
    context.action = [&context, folder, action] { return action(context, *folder); };
  });
}

}  // namespace

void add_checkpoint(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand("checkpoint", "List or verify saved states");
  command->require_subcommand(1);
  add_action(*command, context, "list", "What there is, newest first", list);
  add_action(*command, context, "verify", "Read every byte and compare its hash", verify);
  command->footer(examples(context, {{"GOBAN checkpoint verify OUT"}}) +
                  "\n\nExit codes of verify: 0 all good, 4 some damaged, 7 none usable");
}

}  // namespace goban::cli
