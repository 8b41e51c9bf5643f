#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/context.hpp"
#include "cli/earlier_run.hpp"
#include "cli/examples.hpp"
#include "cli/text.hpp"
#include "goban/base/error.hpp"
#include "goban/checkpoint/convert.hpp"
#include "goban/checkpoint/inventory.hpp"
#include "goban/checkpoint/nodes/store.hpp"
#include "goban/io/case/text.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

/// The checkpoints of the run on nodes; null: it has none.
std::unique_ptr<NodeStore> nodes_of_run(const fs::path& given) {
  const auto record = read_node_record(given);
  return record ? store_of(*record) : nullptr;
}

bool names_checkpoint(const fs::path& given) { return fs::exists(given / Manifest::file_name); }

fs::path chk_folder(const fs::path& given) {
  return fs::is_directory(given / "chk") ? given / "chk" : given;
}

/// The checkpoints of a run's folder, of its chk folder, or the one checkpoint named.
std::vector<CheckpointEntry> checkpoints_in(const Context& context, const fs::path& given) {
  if (!fs::is_directory(given)) {
    throw Error(ExitCode::files, "cannot read " + given.string(), "no such folder",
                "name the folder of a run");
  }
  if (names_checkpoint(given)) return {{0, given}};
  if (const std::string death = death_of(given); !death.empty()) context.err << death << "\n";
  const auto found = list_checkpoints(chk_folder(given));
  if (found.empty() && !nodes_of_run(given)) {
    throw Error(ExitCode::no_checkpoint, "no checkpoints in " + given.string(), "",
                "give the case checkpoint.every or checkpoint.every_wall");
  }
  return found;
}

std::string description(const Manifest& manifest) {
  std::string text = "step " + std::to_string(manifest.state.step) + ", time " +
                     plain_number(manifest.state.time) + ", " + bytes_text(manifest.bytes()) +
                     ", " + manifest.program + ", saved " + manifest.saved;
  if (!manifest.parts.empty()) text += ", " + std::to_string(manifest.parts.size()) + " parts";
  if (manifest.has_copies) text += ", copies on other nodes";
  if (manifest.parity > 0) {
    text += ", parity for " + std::to_string(manifest.parity) + " of each group";
  }
  return text;
}

std::string words_on(const NodeVerdict& verdict) {
  const std::vector<std::string>& lost = verdict.problems;
  std::string text = verdict.can_restore ? "damaged, can be repaired: " : "damaged for good: ";
  text += std::to_string(lost.size()) + " files lost or damaged";
  for (std::size_t n = 0; n < lost.size() && n < 3; ++n) text += (n == 0 ? ": " : "; ") + lost[n];
  return text;
}

int list(const Context& context, const std::string& folder) {
  const auto shared = checkpoints_in(context, folder);
  const auto nodes = nodes_of_run(folder);
  const auto show = [&](const CheckpointEntry& entry, const auto& manifest, const auto& is_there) {
    std::string text;
    try {
      text = description(manifest());
    } catch (const Error& error) {
      if (!is_there()) return;  // removed by the run that goes on
      text = std::string("unreadable: ") + error.what();
    }
    context.out << entry.path.string() << ": " << text << "\n";
  };
  for (const CheckpointEntry& entry : shared) {
    show(
        entry, [&] { return read_manifest(entry.path); }, [&] { return fs::exists(entry.path); });
  }
  if (!nodes) return 0;
  for (const CheckpointEntry& entry : nodes->entries()) {
    show(
        entry, [&] { return nodes->manifest_of(entry); },
        [&] {
          const auto now = nodes->entries();
          return std::any_of(now.begin(), now.end(),
                             [&](const auto& other) { return other.step == entry.step; });
        });
  }
  return 0;
}

struct Verdicts {
  bool any_good = false, any_bad = false;

  ExitCode code() const {
    return !any_good ? ExitCode::no_checkpoint : any_bad ? ExitCode::files : ExitCode::done;
  }
};

void verify_on_nodes(const Context& context, const std::string& folder, Verdicts& verdicts) {
  const auto nodes = nodes_of_run(folder);
  if (!nodes) return;
  for (const CheckpointEntry& entry : nodes->entries()) {
    std::string text;
    try {
      const NodeVerdict verdict = nodes->inspect(entry);
      if (verdict.is_gone) continue;
      const bool is_whole = verdict.problems.empty();
      verdicts.any_good |= verdict.can_restore;
      verdicts.any_bad |= !is_whole;
      text = is_whole ? "good, " + description(verdict.manifest) : words_on(verdict);
    } catch (const Error& error) {
      verdicts.any_bad = true;
      text = std::string("damaged, ") + error.what();
    }
    context.out << entry.path.string() << ": " << text << "\n" << std::flush;
  }
}

/// While a run goes on, checkpoints make room for newer ones: where that left none to judge, those
/// are looked at.
int verify(const Context& context, const std::string& folder) {
  constexpr int most_looks = 100;
  Verdicts verdicts;
  verify_on_nodes(context, folder, verdicts);
  for (int look = 0; look < most_looks; ++look) {
    const auto found = checkpoints_in(context, folder);
    for (const CheckpointEntry& entry : found) {
      const CheckpointVerdict verdict = verify_checkpoint(entry.path);
      if (verdict.is_gone) continue;
      (verdict.good ? verdicts.any_good : verdicts.any_bad) = true;
      context.out << entry.path.string() << ": "
                  << (verdict.good ? "good, " + description(verdict.manifest)
                                   : "damaged, " + verdict.reason)
                  << "\n"
                  << std::flush;
    }
    if (found.empty() || verdicts.any_good || verdicts.any_bad) break;
  }
  return static_cast<int>(verdicts.code());
}

int repair(const Context& context, const std::string& folder) {
  const auto nodes = nodes_of_run(folder);
  if (!nodes) {
    throw Error(ExitCode::usage, "nothing can be repaired in " + folder,
                "its run keeps no checkpoints on nodes", "name the folder of a run that does");
  }
  Verdicts verdicts;
  for (const CheckpointEntry& entry : nodes->entries()) {
    const auto say = [&](const std::string& text) {
      context.out << entry.path.string() << ": " << text << "\n" << std::flush;
    };
    try {
      const auto made = nodes->repair(entry, say);
      for (const std::string& file : made) say("made " + file + " again");
      if (made.empty()) say("good");
      verdicts.any_good = true;
    } catch (const Error& error) {
      say(std::string("cannot be repaired: ") + error.what());
      verdicts.any_bad = true;
    }
  }
  return static_cast<int>(verdicts.code());
}

/// A run saves there, and would take what is written for what an earlier one has left.
void require_nobody_saves(const fs::path& target) {
  const fs::path folder = fs::weakly_canonical(target);
  const bool is_of_run = folder.filename() == "chk" && is_held(folder.parent_path());
  if (!is_of_run) return;
  throw Error(ExitCode::files, "cannot write into " + target.string(), "a run is saving there",
              "choose another folder or wait for it to end");
}

int convert(const Context& context, const fs::path& given, const fs::path& target,
            const ConvertOptions& options) {
  require_nobody_saves(target);
  const auto nodes = nodes_of_run(given);
  checkpoints_in(context, given);  // says what is wrong with the folder
  DirectoryStore shared(chk_folder(given));
  std::vector<StoredCheckpoint> all;
  if (names_checkpoint(given)) {
    all.push_back({&shared, {read_manifest(given).state.step, given}});
  } else if (nodes) {
    all = goban::checkpoints_in({nodes.get(), &shared});
  } else {
    all = goban::checkpoints_in({&shared});
  }
  for (const auto& [store, entry] : all) {
    try {
      DirectoryStore to(target, {.keep = 1'000'000});
      convert_checkpoint(*store, entry, store->manifest_of(entry), to, options);
      context.out << (target / checkpoint_name(entry.step)).string() << ": from "
                  << entry.path.string() << "\n";
      return 0;
    } catch (const Error& error) {
      if (error.code() != ExitCode::no_checkpoint) throw;
      context.err << entry.path.string() << " is refused (" << error.what() << ")\n";
    }
  }
  throw Error(ExitCode::no_checkpoint, "no usable checkpoint in " + given.string());
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

void add_convert(CLI::App& command, Context& context) {
  CLI::App* inner = command.add_subcommand(
      "convert",
      "Write the newest usable checkpoint anew, for any number of ranks, whatever wrote it");
  struct Arguments {
    std::string folder, target;
    ConvertOptions options;
  };
  auto arguments = std::make_shared<Arguments>();
  inner->add_option("folder", arguments->folder, "Folder of a run, or of one checkpoint")
      ->type_name("DIR")
      ->required();
  inner
      ->add_option("target", arguments->target,
                   "Folder to write to; the checkpoint lies in a folder named by its step")
      ->type_name("DIR")
      ->required();
  inner->add_flag("--compress", arguments->options.compress, "Compress without loss, by zstd");
  inner->callback([&context, arguments] {
    context.action = [&context, arguments] {
      return convert(context, arguments->folder, arguments->target, arguments->options);
    };
  });
}

}  // namespace

void add_checkpoint(CLI::App& root, Context& context) {
  CLI::App* command =
      root.add_subcommand("checkpoint", "List, verify, repair or convert saved states");
  command->require_subcommand(1);
  add_action(*command, context, "list", "List checkpoints, newest first", list);
  add_action(*command, context, "verify", "Read every byte and compare its hash", verify);
  add_action(*command, context, "repair",
             "Restore lost and damaged files on nodes, from copies and parity", repair);
  add_convert(*command, context);
  command->footer(examples(context, {{"GOBAN checkpoint verify OUT"}}) +
                  "\n\nExit codes of verify and repair: 0 all good, 4 some damaged, 7 none usable");
}

}  // namespace goban::cli
