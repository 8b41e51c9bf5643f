#include "goban/checkpoint/nodes/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>

#include "goban/base/agreement.hpp"
#include "goban/base/communicator.hpp"
#include "goban/base/error.hpp"
#include "goban/checkpoint/block_file.hpp"
#include "goban/checkpoint/inventory.hpp"
#include "goban/checkpoint/manifest.hpp"
#include "goban/checkpoint/nodes/copies.hpp"
#include "goban/checkpoint/nodes/folders.hpp"
#include "goban/checkpoint/nodes/layout.hpp"
#include "goban/checkpoint/nodes/recombine.hpp"
#include "goban/checkpoint/nodes/survey.hpp"
#include "goban/checkpoint/nodes/texts.hpp"
#include "goban/checkpoint/parts.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

/// Both are collective. `folder`: of this rank, with its part. Error (files).
void add_copies(Communicator& communicator, const NodeLayout& layout, const fs::path& folder,
                Manifest& manifest) {
  std::vector<FileCopy> copies;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const fs::path file = folder / part_name(rank);
    const StoredPart& part = manifest.parts[static_cast<std::size_t>(rank)];
    copies.push_back({rank, layout.partner_of(rank), part.bytes, file, file});
  }
  copy_files(communicator, copies);
  manifest.has_copies = true;
}

void add_parity(Communicator& communicator, const NodeLayout& layout, int size, int parity,
                const fs::path& folder, Manifest& manifest) {
  const int rank = communicator.rank();
  const auto groups = parity_groups(layout, size, parity);
  manifest.parity = parity;
  std::vector<GroupFiles> files;
  std::vector<WantedFile> wanted;
  std::vector<std::unique_ptr<BlockFileWriter>> writers;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    GroupFiles& group = files.emplace_back();
    group.parity = parity;
    StoredGroup& stored = manifest.groups.emplace_back();
    for (std::size_t m = 0; m < groups[g].size(); ++m) {
      const GroupMember& member = groups[g][m];
      stored.parts.push_back(member.part);
      stored.parities.push_back({fmt::format("parity-{:05}-{:02}", g, m), 0, 0});
      group.parities.emplace_back();
      ReadableFile& part = group.parts.emplace_back();
      if (member.part >= 0) {
        part = {member.part, manifest.parts[static_cast<std::size_t>(member.part)].bytes,
                folder / part_name(member.part)};
      }
      wanted.push_back({g, static_cast<int>(m), true, member.keeper, {}});
    }
  }
  agree(communicator, [&] {
    for (WantedFile& want : wanted) {
      writers.emplace_back();
      if (want.maker != rank) continue;
      const StoredGroup& stored = manifest.groups[want.group];
      writers.back() = std::make_unique<BlockFileWriter>(
          folder / stored.parities[static_cast<std::size_t>(want.member)].file);
      want.write = [&writer = *writers.back()](Index offset, const std::byte* bytes, Index count) {
        writer.write(offset, bytes, count);
      };
    }
  });
  recombine(communicator, files, wanted);
  std::vector<std::uint64_t> numbers(2 * wanted.size(), 0);
  agree(communicator, [&] {
    for (std::size_t n = 0; n < wanted.size(); ++n) {
      if (!writers[n]) continue;
      numbers[2 * n + 1] =
          writers[n]->finish(parity_about(manifest.state.step, wanted[n].group, wanted[n].member));
      numbers[2 * n] = static_cast<std::uint64_t>(writers[n]->bytes());
    }
  });
  communicator.sum(numbers);
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    StoredPart& stored =
        manifest.groups[wanted[n].group].parities[static_cast<std::size_t>(wanted[n].member)];
    stored.bytes = static_cast<Index>(numbers[2 * n]);
    stored.hash = numbers[2 * n + 1];
  }
}

bool has_manifest(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / Manifest::file_name, ignored);
}

}  // namespace

NodeStore::NodeStore(NodeStoreOptions options, std::shared_ptr<Communicator> communicator)
    : options_(std::move(options)),
      communicator_(std::move(communicator)),
      layout_(nodes_of(options_.folder, *communicator_)) {
  require(options_.keep >= 1, fmt::format("keep = {} checkpoints is refused", options_.keep),
          "one must be left when the next is being written", "keep at least 1");
  kept_ = committed();
}

bool NodeStore::has_nodes_for(Protection protection) const {
  const int lost = protection == Protection::parity ? options_.parity : 1;
  return protection == Protection::none || layout_.nodes() > lost;
}

void NodeStore::require_nodes_for(Protection protection) const {
  if (protection == Protection::parity) parity_groups(layout_, options_.group, options_.parity);
  require(has_nodes_for(protection), "copies of checkpoints on the next node are refused",
          "all ranks run on one node", "leave them out, or give each rank a folder with {rank}");
}

std::string NodeStore::run_name() const { return options_.lineage.folder_of(options_.run); }

fs::path NodeStore::folder_of_rank(int rank) const {
  return folder_of(options_.folder, *communicator_, rank) / run_name();
}

std::string NodeStore::place() const { return (fs::path(options_.folder) / run_name()).string(); }

bool NodeStore::leads_machine() const {
  const std::vector<int>& machines = communicator_->nodes();
  const auto rank = static_cast<std::size_t>(communicator_->rank());
  return std::find(machines.begin(), machines.end(), machines[rank]) - machines.begin() ==
         static_cast<std::ptrdiff_t>(rank);
}

std::vector<fs::path> NodeStore::run_folders() const {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const fs::path& folder : folders_there(options_.folder)) {
    if (fs::is_directory(folder / run_name(), ignored)) folders.push_back(folder / run_name());
  }
  return folders;
}

/// That no rank of now writes to, for its numbers are others; the first rank of the machine does.
std::vector<fs::path> NodeStore::folders_of_others() const {
  if (!leads_machine()) return {};
  std::vector<fs::path> folders = run_folders();
  for (int rank = 0; rank < communicator_->size(); ++rank) {
    std::erase(folders, folder_of_rank(rank));
  }
  return folders;
}

void NodeStore::save(const StateCopy& copy, Protection protection, PartSize* size) {
  const int rank = communicator_->rank();
  const Index step = copy.state().step;
  const fs::path folder = own_folder() / checkpoint_name(step);
  const bool leads = layout_.leads(rank);
  if (layout_.nodes() == 1) protection = Protection::none;
  kept_.erase(step);
  agree(*communicator_, [&] { remove_unwanted(true); });
  agree(*communicator_, [&] {
    if (!leads) return;
    remove_generation(folder);
    make_directory(folder);
  });
  try {
    StoredPart own;
    agree(*communicator_,
          [&] { own = write_part(folder / part_name(rank), copy, rank, options_.parts, size); });
    Manifest manifest = manifest_for_parts(copy, options_.parts);
    manifest.life = options_.lineage.id();
    manifest.parts = parts_of_all(*communicator_, own);
    if (protection == Protection::copies) add_copies(*communicator_, layout_, folder, manifest);
    if (protection == Protection::parity) {
      add_parity(*communicator_, layout_, options_.group,
                 std::min(options_.parity, layout_.nodes() - 1), folder, manifest);
    }
    agree(*communicator_, [&] {
      if (!leads) return;
      sync_directory(folder);
      sync_directory(folder.parent_path());
    });
    // The first rank's: others do not know the state of what it writes.
    const std::string text = text_of_first(*communicator_, [&] { return text_of(manifest); });
    agree(*communicator_, [&] {
      if (leads) write_file(folder / Manifest::file_name, text);
    });
  } catch (...) {
    if (leads) remove_generation(folder);
    throw;
  }
  kept_[step] = protection;
  for (const Index old : outdated(kept_, options_.keep)) kept_.erase(old);
  agree(*communicator_, [&] { remove_unwanted(false); });
}

/// What a process left that died while it saved takes the room of the next; what is of a past that
/// the run has left goes when there is something newer.
void NodeStore::remove_unwanted(bool uncommitted_alone) {
  if (!leads_machine()) return;
  for (const fs::path& folder : run_folders()) {
    remove_generations(folder, [&](Index step) {
      return kept_.count(step) > 0 ||
             (uncommitted_alone && has_manifest(folder / checkpoint_name(step)));
    });
  }
}

void NodeStore::begin_life(const Lineage& lineage) {
  options_.lineage = lineage;
  kept_ = committed();
  if (lineage.lives().size() > 1) return;
  agree(*communicator_, [&] {
    if (!leads_machine()) return;
    for (const fs::path& folder : folders_there(options_.folder)) {
      remove_earlier_runs(folder, options_.run, run_name());
    }
  });
}

/// The same on all ranks.
Generations NodeStore::committed() {
  std::string own;
  agree(*communicator_, [&] {
    if (!leads_machine()) return;
    for (const fs::path& folder : run_folders()) {
      for (const auto& [step, protection] : committed_in(folder, options_.lineage)) {
        own += fmt::format("{} {}\n", step, static_cast<int>(protection));
      }
    }
  });
  std::istringstream lines(text_of_all(*communicator_, own));
  Generations all;
  int protection = 0;
  for (Index step = 0; lines >> step >> protection;) {
    all[step] = std::max(all[step], static_cast<Protection>(protection));
  }
  return all;
}

std::vector<CheckpointEntry> NodeStore::entries() {
  std::vector<CheckpointEntry> entries;
  for (const auto& [step, protection] : committed()) {
    entries.push_back({step, fs::path(place()) / checkpoint_name(step)});
  }
  std::reverse(entries.begin(), entries.end());
  return entries;
}

/// Where nobody knows lives, nodes that were away may have one of another past: the one saved last
/// counts.
Manifest NodeStore::manifest_on_nodes(Index step, std::vector<std::string>& problems) {
  std::string latest, own, unreadable;
  if (leads_machine()) {
    for (const fs::path& run : run_folders()) {
      const fs::path folder = run / checkpoint_name(step);
      try {
        if (!is_there(folder / Manifest::file_name)) continue;
        const std::string text = manifest_text(folder);
        const Manifest manifest = parse_manifest(text);
        if (!options_.lineage.has(manifest.life, step)) continue;
        if (own.empty() || manifest.saved > latest) own = text;
        latest = std::max(latest, manifest.saved);
      } catch (const Error& error) {
        unreadable += folder.string() + ": " + error.what() + "\n";
      }
    }
  }
  std::istringstream lines(text_of_all(*communicator_, unreadable));
  for (std::string line; std::getline(lines, line);) problems.push_back(line);
  std::vector<Parcel> parcels;
  const auto bytes = std::as_bytes(std::span(own));
  if (!own.empty()) parcels.push_back({0, {bytes.begin(), bytes.end()}});
  const std::vector<Parcel> came = communicator_->exchange(std::move(parcels));
  return parse_manifest(text_of_first(*communicator_, [&] {
    std::string newest, date;
    for (const Parcel& parcel : came) {
      std::string text(reinterpret_cast<const char*>(parcel.bytes.data()), parcel.bytes.size());
      const std::string saved = parse_manifest(text).saved;
      if (newest.empty() || saved > date) newest = std::move(text);
      date = std::max(date, saved);
    }
    if (newest.empty()) {
      throw Error(ExitCode::no_checkpoint, "no node has a manifest that can be read",
                  problems.empty() ? "" : problems.front());
    }
    return newest;
  }));
}

Manifest NodeStore::manifest_of(const CheckpointEntry& entry) {
  std::vector<std::string> ignored;
  return manifest_on_nodes(entry.step, ignored);
}

NodeSurvey NodeStore::survey_of(Manifest manifest) {
  return NodeSurvey(*communicator_, std::move(manifest), run_folders(),
                    gather_places(*communicator_, layout_, own_folder(), folders_of_others()));
}

CheckpointState NodeStore::restore(const CheckpointEntry& entry, const CheckpointSubject& subject,
                                   const CheckpointLog& log) {
  const auto say = [&](const std::string& text) {
    log(fmt::format("checkpoint of step {}: {}", entry.step, text));
  };
  try {
    std::vector<std::string> problems;
    Manifest manifest = manifest_on_nodes(entry.step, problems);
    check_fits(manifest, subject);
    const bool takes_constants = !subject.accept || subject.accept(manifest.state);
    NodeSurvey survey = survey_of(std::move(manifest));
    for (const auto* all : {&std::as_const(problems), &survey.problems()}) {
      for (const std::string& problem : *all) say(problem);
    }
    if (!survey.problems().empty()) make_again(survey, say);
    try {
      keep(survey.manifest());
    } catch (const Error& error) {
      if (error.code() != ExitCode::files) throw;
      say(error.what());
    }
    std::vector<BlockFile> own;
    agree(*communicator_, [&] { own = survey.own_parts(); });
    read_parts(*communicator_, own, survey.manifest(), subject, takes_constants);
    return survey.manifest().state;
  } catch (const Error& error) {
    if (error.code() != ExitCode::files) throw;
    throw Error(ExitCode::no_checkpoint, error.what());
  }
}

/// What is left of a disk may not do for parity and copies, too.
std::vector<std::string> NodeStore::make_again(NodeSurvey& survey, const CheckpointLog& log) {
  std::vector<std::string> made = survey.rebuild_parts();
  if (!made.empty()) {
    log(fmt::format("{} of {} parts made again from parity", made.size(),
                    survey.manifest().parts.size()));
  }
  try {
    for (auto rebuild : {&NodeSurvey::rebuild_parity, &NodeSurvey::rebuild_copies}) {
      for (std::string& file : (survey.*rebuild)()) made.push_back(std::move(file));
    }
  } catch (const Error& error) {
    if (error.code() != ExitCode::files) throw;
    log(fmt::format("it is without some of its parity or copies now: {}", error.what()));
  }
  if (survey.crowded() > 0) {
    log(fmt::format(
        "{} of its files find no node of their own: it outlasts the loss of fewer nodes now",
        survey.crowded()));
  }
  return made;
}

/// Nodes that are new have it, too, with what was made again there.
void NodeStore::keep(const Manifest& manifest) {
  kept_[manifest.state.step] = protection_of(manifest);
  agree(*communicator_, [&] {
    std::vector<fs::path> folders = folders_of_others();
    if (layout_.leads(communicator_->rank())) folders.push_back(own_folder());
    const std::string text = text_of(manifest);
    for (const fs::path& run : folders) {
      const fs::path folder = run / checkpoint_name(manifest.state.step);
      if (!is_there(folder)) continue;
      const fs::path file = folder / Manifest::file_name;
      if (is_there(file) && read_text(file, Manifest::most_bytes) == text) continue;
      write_file(file, text);
    }
  });
}

std::vector<std::string> NodeStore::repair(const CheckpointEntry& entry, const CheckpointLog& log) {
  std::vector<std::string> problems;
  NodeSurvey survey = survey_of(manifest_on_nodes(entry.step, problems));
  problems.insert(problems.end(), survey.problems().begin(), survey.problems().end());
  for (const std::string& problem : problems) log(problem);
  const auto made = make_again(survey, log);
  survey.remove_damaged();
  keep(survey.manifest());
  return made;
}

std::unique_ptr<NodeStore> store_of(const NodeRecord& record) {
  return std::make_unique<NodeStore>(
      NodeStoreOptions{.folder = record.folder, .run = record.run, .lineage = record.lineage},
      self_communicator());
}

NodeVerdict NodeStore::inspect(const CheckpointEntry& entry) {
  NodeVerdict verdict;
  const auto is_there_now = [&] { return committed().count(entry.step) > 0; };
  try {
    const NodeSurvey survey = survey_of(manifest_on_nodes(entry.step, verdict.problems));
    verdict.manifest = survey.manifest();
    verdict.problems.insert(verdict.problems.end(), survey.problems().begin(),
                            survey.problems().end());
    verdict.can_restore = survey.is_enough();
    verdict.is_gone = !verdict.problems.empty() && !is_there_now();
  } catch (const Error&) {
    if (is_there_now()) throw;
    verdict.is_gone = true;
  }
  return verdict;
}

}  // namespace goban
