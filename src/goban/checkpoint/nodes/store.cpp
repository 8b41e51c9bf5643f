#include "goban/checkpoint/nodes/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/checkpoint/inventory.hpp"
#include "goban/checkpoint/nodes/folders.hpp"
#include "goban/checkpoint/nodes/survey.hpp"
#include "goban/io/atomic_file.hpp"
#include "goban/io/file.hpp"
#include "goban/io/file_share.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

constexpr const char* aside = ".aside";  ///< of a past the run has left
constexpr Index copied_bytes = Index{1} << 20;

/// What several processes may do at the same time.
void remove_quietly(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

/// A run goes on from here: what cannot be moved is gone, or will be refused.
void rename_quietly(const fs::path& from, const fs::path& to) {
  std::error_code ignored;
  remove_quietly(to);
  fs::rename(from, to, ignored);
}

Protection protection_of(const Manifest& manifest) {
  return manifest.parity > 0   ? Protection::parity
         : manifest.has_copies ? Protection::copies
                               : Protection::none;
}

/// Of everyone, on the first rank.
std::vector<std::string> texts_of_all(Communicator& communicator, const std::string& own) {
  std::vector<Parcel> parcels;
  const auto bytes = std::as_bytes(std::span(own));
  if (!own.empty()) parcels.push_back({0, {bytes.begin(), bytes.end()}});
  std::vector<std::string> texts;
  for (const Parcel& parcel : communicator.exchange(std::move(parcels))) {
    texts.emplace_back(reinterpret_cast<const char*>(parcel.bytes.data()), parcel.bytes.size());
  }
  return texts;
}

}  // namespace

NodeStore::NodeStore(NodeStoreOptions options, std::shared_ptr<Communicator> communicator,
                     const std::vector<Protection>& wanted)
    : options_(std::move(options)),
      communicator_(std::move(communicator)),
      layout_(nodes_of(options_.folder, *communicator_)) {
  require(options_.keep >= 1, fmt::format("keep = {} checkpoints is refused", options_.keep),
          "one must be left when the next is being written", "keep at least 1");
  for (const Protection protection : wanted) {
    if (protection == Protection::parity) parity_groups(layout_, options_.group, options_.parity);
    require(protection == Protection::none || layout_.nodes() > 1,
            "copies of checkpoints on the next node are refused", "all ranks run on one node",
            "leave them out, or give each rank a folder with {rank}");
  }
  agree(*communicator_, [&] {
    for (const CheckpointEntry& entry : list_checkpoints(own_folder())) {
      try {
        kept_[entry.step] = protection_of(read_manifest(entry.path));
      } catch (const Error&) {  // never committed, or damaged: it makes room with the next save
      }
    }
  });
}

fs::path NodeStore::own_folder() const {
  return folder_of(options_.folder, *communicator_, communicator_->rank()) / options_.run;
}

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
    if (fs::is_directory(folder / options_.run, ignored)) folders.push_back(folder / options_.run);
  }
  return folders;
}

std::vector<fs::path> NodeStore::folders_of(Index step) const {
  std::vector<fs::path> folders = run_folders();
  for (fs::path& folder : folders) folder /= checkpoint_name(step);
  return folders;
}

void NodeStore::save(const StateCopy& copy, Protection protection, PartSize* size) {
  const int rank = communicator_->rank();
  const Index step = copy.state().step;
  const fs::path folder = own_folder() / checkpoint_name(step);
  const bool leads = layout_.leads(rank);
  agree(*communicator_, [&] {
    if (!leads) return;
    remove_quietly(folder);
    make_directory(folder);
  });
  try {
    StoredPart own;
    agree(*communicator_,
          [&] { own = write_part(folder / part_name(rank), copy, rank, options_.parts, size); });
    Manifest manifest = manifest_for_parts(copy, options_.parts);
    manifest.parts = parts_of_all(*communicator_, own);
    if (protection == Protection::copies) {
      add_copies(folder, manifest.parts);
      manifest.has_copies = true;
    }
    if (protection == Protection::parity) add_parity(folder, manifest);
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
    if (leads) remove_quietly(folder);
    throw;
  }
  agree(*communicator_, [&] {
    if (leads) remove_old(step, protection);
  });
}

/// Piece by piece; whoever gets one knows whose it is by who sent it.
void NodeStore::add_copies(const fs::path& folder, const std::vector<StoredPart>& parts) {
  const int rank = communicator_->rank();
  const auto bytes_of = [&](int r) { return parts[static_cast<std::size_t>(r)].bytes; };
  std::optional<InputFile> own;
  std::map<int, std::unique_ptr<AtomicFile>> copies;  // by whose they are
  Index longest = 0;
  agree(*communicator_, [&] {
    own.emplace(folder / part_name(rank));
    for (int r = 0; r < communicator_->size(); ++r) {
      longest = std::max(longest, bytes_of(r));
      if (layout_.partner_of(r) == rank) {
        copies[r] = std::make_unique<AtomicFile>(folder / part_name(r));
      }
    }
  });
  for (Index begin = 0; begin < longest; begin += copied_bytes) {
    std::vector<Parcel> parcels;
    agree(*communicator_, [&] {
      const Index count = std::min(copied_bytes, own->size() - begin);
      if (count <= 0) return;
      Parcel& parcel = parcels.emplace_back(Parcel{
          layout_.partner_of(rank), std::vector<std::byte>(static_cast<std::size_t>(count))});
      own->read(begin, parcel.bytes.data(), count);
    });
    const std::vector<Parcel> came = communicator_->exchange(std::move(parcels));
    agree(*communicator_, [&] {
      for (const Parcel& parcel : came) {
        copies.at(parcel.rank)->write(parcel.bytes.data(), parcel.bytes.size());
      }
    });
  }
  agree(*communicator_, [&] {
    for (const auto& [of, copy] : copies) copy->commit();
  });
}

void NodeStore::add_parity(const fs::path& folder, Manifest& manifest) {
  const int rank = communicator_->rank();
  const auto groups = parity_groups(layout_, options_.group, options_.parity);
  manifest.parity = options_.parity;
  std::vector<GroupFiles> files;
  std::vector<WantedFile> wanted;
  std::vector<std::unique_ptr<BlockFileWriter>> writers;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    GroupFiles& group = files.emplace_back();
    group.parity = options_.parity;
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
  agree(*communicator_, [&] {
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
  recombine(*communicator_, files, wanted);
  std::vector<std::uint64_t> numbers(2 * wanted.size(), 0);
  agree(*communicator_, [&] {
    for (std::size_t n = 0; n < wanted.size(); ++n) {
      if (!writers[n]) continue;
      numbers[2 * n + 1] =
          writers[n]->finish(parity_about(manifest.state.step, wanted[n].group, wanted[n].member));
      numbers[2 * n] = static_cast<std::uint64_t>(writers[n]->bytes());
    }
  });
  communicator_->sum(numbers);
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    StoredPart& stored =
        manifest.groups[wanted[n].group].parities[static_cast<std::size_t>(wanted[n].member)];
    stored.bytes = static_cast<Index>(numbers[2 * n]);
    stored.hash = numbers[2 * n + 1];
  }
}

/// One goes when there are `keep` newer ones that are protected as well, or better.
void NodeStore::remove_old(Index newest, Protection protection) {
  kept_[newest] = protection;
  std::vector<Index> gone;
  for (const auto& [step, protected_by] : kept_) {
    const auto is_better = [&, strength = protected_by](const auto& other) {
      return other.first > step && other.second >= strength;
    };
    if (std::count_if(kept_.begin(), kept_.end(), is_better) >= options_.keep) gone.push_back(step);
  }
  for (const Index step : gone) {
    kept_.erase(step);
    remove_quietly(own_folder() / checkpoint_name(step));
  }
  std::error_code error;
  for (fs::directory_iterator entry(own_folder(), error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    const bool is_uncommitted = kept_.count(std::atoll(path.filename().c_str())) == 0;
    if (path.extension() == aside || is_uncommitted) remove_quietly(path);
  }
}

std::vector<CheckpointEntry> NodeStore::entries() {
  std::string own;
  agree(*communicator_, [&] {
    if (!leads_machine()) return;
    for (const fs::path& folder : run_folders()) {
      for (const CheckpointEntry& entry : list_checkpoints(folder)) {
        if (is_there(entry.path / Manifest::file_name)) own += std::to_string(entry.step) + " ";
      }
    }
  });
  const std::vector<std::string> all = texts_of_all(*communicator_, own);
  std::istringstream steps(text_of_first(*communicator_, [&] {
    std::string text;
    for (const std::string& one : all) text += one;
    return text;
  }));
  std::set<Index, std::greater<>> sorted;
  for (Index step = 0; steps >> step;) sorted.insert(step);
  std::vector<CheckpointEntry> entries;
  for (const Index step : sorted) {
    entries.push_back({step, fs::path(options_.folder) / options_.run / checkpoint_name(step)});
  }
  return entries;
}

/// Nodes that were away may have one of another past: the one saved last counts.
Manifest NodeStore::manifest_of(Index step) const {
  std::string own, refused;
  if (leads_machine()) {
    std::string latest;
    for (const fs::path& folder : folders_of(step)) {
      std::error_code ignored;
      if (!fs::exists(folder / Manifest::file_name, ignored)) continue;
      try {
        const std::string text = manifest_text(folder);
        const std::string saved = parse_manifest(text).saved;
        if (own.empty() || saved > latest) own = text;
        latest = std::max(latest, saved);
      } catch (const Error& error) {
        refused = folder.string() + ": " + error.what();
      }
    }
  }
  std::vector<std::string> texts = texts_of_all(*communicator_, own);
  const std::string why = texts_of_all(*communicator_, refused).empty() ? "" : refused;
  return parse_manifest(text_of_first(*communicator_, [&] {
    const auto latest = std::max_element(texts.begin(), texts.end(),
                                         [](const std::string& a, const std::string& b) {
                                           return parse_manifest(a).saved < parse_manifest(b).saved;
                                         });
    if (latest == texts.end()) {
      throw Error(ExitCode::no_checkpoint, "no node has a manifest that can be read", why);
    }
    return *latest;
  }));
}

CheckpointState NodeStore::restore(const CheckpointEntry& entry, const CheckpointSubject& subject,
                                   const CheckpointLog& log) {
  try {
    Manifest manifest = manifest_of(entry.step);
    check_fits(manifest, subject);
    const bool takes_constants = !subject.accept || subject.accept(manifest.state);
    NodeSurvey survey(*communicator_, std::move(manifest), folders_of(entry.step));
    for (const std::string& problem : survey.problems()) {
      log(fmt::format("checkpoint of step {}: {}", entry.step, problem));
    }
    if (!survey.has_all_parts()) make_again(survey, log);
    keep(survey.manifest());
    std::vector<BlockFile> own;
    agree(*communicator_, [&] { own = survey.own_parts(); });
    read_parts(*communicator_, own, survey.manifest(), subject, takes_constants);
    return survey.manifest().state;
  } catch (const Error& error) {
    if (error.code() != ExitCode::files) throw;
    throw Error(ExitCode::no_checkpoint, error.what());
  }
}

/// Nodes that are new have it, too, with what was made again there.
void NodeStore::keep(const Manifest& manifest) {
  agree(*communicator_, [&] {
    if (!layout_.leads(communicator_->rank())) return;
    const fs::path folder = own_folder() / checkpoint_name(manifest.state.step);
    if (!fs::is_directory(folder)) return;
    write_file(folder / Manifest::file_name, text_of(manifest));
    kept_[manifest.state.step] = protection_of(manifest);
  });
}

std::vector<std::string> NodeStore::repair(const CheckpointEntry& entry, const CheckpointLog& log) {
  NodeSurvey survey(*communicator_, manifest_of(entry.step), folders_of(entry.step));
  for (const std::string& problem : survey.problems()) log(problem);
  const fs::path home = own_folder() / checkpoint_name(entry.step);
  auto made = survey.rebuild_parts(home);
  for (std::string& file : survey.rebuild_parity(home)) made.push_back(std::move(file));
  keep(survey.manifest());
  return made;
}

Manifest NodeStore::inspect(const CheckpointEntry& entry, std::vector<std::string>& lost) {
  const NodeSurvey survey(*communicator_, manifest_of(entry.step), folders_of(entry.step));
  lost = survey.problems();
  return survey.manifest();
}

/// What is left of a disk may not do for parity, too.
void NodeStore::make_again(NodeSurvey& survey, const CheckpointLog& log) {
  const Index step = survey.manifest().state.step;
  const fs::path home = own_folder() / checkpoint_name(step);
  log(fmt::format("checkpoint of step {}: {} of {} parts made again from parity", step,
                  survey.rebuild_parts(home).size(), survey.parts().size()));
  try {
    survey.rebuild_parity(home);
  } catch (const Error& error) {
    if (error.code() != ExitCode::files) throw;
    log(fmt::format("checkpoint of step {} is without some of its parity now: {}", step,
                    error.what()));
  }
}

void NodeStore::set_aside_after(Index step) {
  agree(*communicator_, [&] {
    if (leads_machine()) {
      for (const fs::path& folder : run_folders()) {
        for (const CheckpointEntry& entry : list_checkpoints(folder)) {
          if (entry.step > step) rename_quietly(entry.path, entry.path.string() + aside);
        }
      }
    }
  });
  kept_.erase(kept_.upper_bound(step), kept_.end());
}

std::string NodeStore::set_aside_all() {
  const std::size_t there = entries().size();
  agree(*communicator_, [&] {
    if (!leads_machine()) return;
    for (const fs::path& folder : run_folders()) rename_quietly(folder, folder.string() + ".old");
  });
  kept_.clear();
  return there == 0 ? "" : (fs::path(options_.folder) / options_.run).string() + ".old";
}

std::string NodeStore::place() const { return (fs::path(options_.folder) / options_.run).string(); }

}  // namespace goban
