#include "goban/checkpoint/nodes/survey.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/checkpoint/inventory.hpp"
#include "goban/checkpoint/nodes/texts.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/file_ranks.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

/// How many ranks this machine has, and which of them this is.
struct PlaceOnMachine {
  std::size_t ranks = 0, number = 0;
};

PlaceOnMachine place_on_machine(const Communicator& communicator) {
  PlaceOnMachine place;
  const std::vector<int>& machines = communicator.nodes();
  const auto own = static_cast<std::size_t>(communicator.rank());
  for (std::size_t r = 0; r < machines.size(); ++r) {
    if (machines[r] != machines[own]) continue;
    if (r < own) ++place.number;
    ++place.ranks;
  }
  return place;
}

/// A part that is made again, in pieces; it has its name when it is whole.
class NewPart {
 public:
  NewPart(fs::path path, Index bytes)
      : file_(std::move(path)), share_(file_.partial_path(), file_.path()) {
    file_.set_size(bytes);
  }
  void write(Index offset, const std::byte* bytes, Index count) {
    share_.write(offset, bytes, count);
  }
  void commit() {
    share_.close();
    file_.commit();
  }

 private:
  AtomicFile file_;
  FileShare share_;
};

}  // namespace

nlohmann::ordered_json parity_about(Index step, std::size_t group, int member) {
  return {{"step", step}, {"group", group}, {"member", member}};
}

NodeSurvey::NodeSurvey(Communicator& communicator, Manifest manifest, std::vector<fs::path> folders,
                       Places places)
    : communicator_(communicator),
      manifest_(std::move(manifest)),
      folders_(std::move(folders)),
      places_(std::move(places)),
      choice_(places_) {
  parts_.resize(manifest_.parts.size());
  for (std::size_t n = 0; n < parts_.size(); ++n) parts_[n].bytes = manifest_.parts[n].bytes;
  for (const StoredGroup& stored : manifest_.groups) {
    GroupFiles& group = groups_.emplace_back();
    group.parity = manifest_.parity;
    group.parts.resize(stored.parts.size());
    for (const StoredPart& parity : stored.parities)
      group.parities.push_back({-1, parity.bytes, {}});
  }
  find();
}

fs::path NodeSurvey::folder_at(int place) const {
  return places_.all[static_cast<std::size_t>(place)].folder /
         checkpoint_name(manifest_.state.step);
}

std::vector<NodeSurvey::Found> NodeSurvey::all_files() {
  std::vector<Found> all;
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    all.push_back({&manifest_.parts[n], &parts_[n], manifest_.has_copies});
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t m = 0; m < groups_[g].parities.size(); ++m) {
      all.push_back({&manifest_.groups[g].parities[m], &groups_[g].parities[m], false});
    }
  }
  return all;
}

/// The lowest rank that has a good one reads it; where there is to be a copy, that is looked for,
/// too.
void NodeSurvey::find() {
  const PlaceOnMachine place = place_on_machine(communicator_);
  std::vector<Found> files = all_files();
  const std::int64_t size = communicator_.size(), nobody = std::numeric_limits<std::int64_t>::max();
  using Sighting = std::pair<std::int64_t, fs::path>;  // place and rank in one number
  std::vector<std::vector<Sighting>> seen(files.size());
  std::string said;
  for (std::size_t n = place.number; n < files.size(); n += place.ranks) {
    for (const fs::path& folder : folders_) {
      const fs::path path = folder / checkpoint_name(manifest_.state.step) / files[n].stored->file;
      std::error_code ignored;
      if (!fs::exists(fs::symlink_status(path, ignored))) continue;
      try {
        open_part(path, *files[n].stored).verify();
        const int at = places_.index_of(folder, communicator_.rank());
        seen[n].emplace_back((at + 1) * size + communicator_.rank(), path);
        if (!files[n].has_copy) break;
      } catch (const Error& error) {
        said += std::string(error.what()) + "\n";
        damaged_.emplace_back(path, *files[n].stored);
      }
    }
  }
  const auto lowest_but = [&](const std::vector<std::int64_t>& known) {
    std::vector<std::int64_t> lowest(files.size(), nobody);
    for (std::size_t n = 0; n < files.size(); ++n) {
      for (const Sighting& one : seen[n]) {
        if (one.first / size != known[n] / size) lowest[n] = std::min(lowest[n], one.first);
      }
    }
    communicator_.minimum(lowest);
    return lowest;
  };
  const auto first = lowest_but(std::vector<std::int64_t>(files.size(), nobody));
  const auto second = lowest_but(first);
  std::istringstream lines(text_of_all(communicator_, said));
  for (std::string line; std::getline(lines, line);) problems_.push_back(line);
  for (std::size_t n = 0; n < files.size(); ++n) {
    ReadableFile& file = *files[n].file;
    if (first[n] == nobody) {
      problems_.push_back(files[n].stored->file + " is lost");
      continue;
    }
    file.reader = static_cast<int>(first[n] % size);
    file.place = static_cast<int>(first[n] / size) - 1;
    for (const auto& [number, path] : seen[n]) {
      if (number == first[n]) file.path = path;
    }
    if (!files[n].has_copy || second[n] != nobody) continue;
    without_copy_.push_back(static_cast<int>(n));
    problems_.push_back("the copy of " + files[n].stored->file + " is lost");
  }
  fill_groups();
}

void NodeSurvey::fill_groups() {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t m = 0; m < groups_[g].parts.size(); ++m) {
      const int part = manifest_.groups[g].parts[m];
      if (part >= 0) groups_[g].parts[m] = parts_[static_cast<std::size_t>(part)];
    }
  }
}

bool NodeSurvey::has_all_parts() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const auto& part) { return part.reader >= 0; });
}

bool NodeSurvey::is_enough() const {
  if (groups_.empty()) return has_all_parts();
  return std::all_of(groups_.begin(), groups_.end(),
                     [](const GroupFiles& group) { return group.is_enough(); });
}

std::vector<BlockFile> NodeSurvey::own_parts() const {
  require_open_files(std::count_if(parts_.begin(), parts_.end(), [&](const auto& part) {
    return part.reader == communicator_.rank();
  }));
  std::vector<BlockFile> files;
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    if (parts_[n].reader != communicator_.rank()) continue;
    files.push_back(open_part(parts_[n].path, manifest_.parts[n]));
  }
  return files;
}

/// Where its node has been replaced, its rank has it again.
int NodeSurvey::place_for(std::size_t group, int member, Index bytes) {
  const GroupFiles& files = groups_[group];
  std::vector<std::set<int>> taken(files.parts.size());
  for (std::size_t m = 0; m < taken.size(); ++m) {
    for (const ReadableFile* file : {&files.parts[m], &files.parities[m]}) {
      if (file->reader >= 0 || file->place >= 0) taken[m].insert(file->place);
    }
  }
  const int part = manifest_.groups[group].parts[static_cast<std::size_t>(member)];
  const bool has_home = part >= 0 && part < communicator_.size();
  const int home = has_home ? places_.home_of[static_cast<std::size_t>(part)] : -1;
  return choice_.choose(taken, member, home, bytes);
}

/// Files of one kind; those of the other are there, or not needed.
std::vector<std::string> NodeSurvey::make(const std::vector<Lost>& lost) {
  if (lost.empty()) return {};
  std::vector<WantedFile> wanted;
  for (const Lost& one : lost) {
    const int place = place_for(one.group, one.member, one.stored.bytes);
    one.file->place = place;
    fill_groups();
    const int maker = places_.all[static_cast<std::size_t>(place)].rank;
    wanted.push_back({one.group, one.member, one.is_parity, maker, {}});
  }
  std::vector<std::function<void()>> commits;
  const auto begin = [&](const Lost& one, WantedFile& file) {
    const fs::path folder = folder_at(one.file->place);
    make_directory(folder);
    const fs::path path = folder / one.stored.file;
    const auto write_to = [&](auto target) {
      file.write = [target](Index offset, const std::byte* bytes, Index count) {
        target->write(offset, bytes, count);
      };
    };
    if (one.is_parity) {
      auto parity = std::make_shared<BlockFileWriter>(path);
      write_to(parity);
      commits.emplace_back([parity, about = parity_about(manifest_.state.step, one.group,
                                                         one.member)] { parity->finish(about); });
    } else {
      auto part = std::make_shared<NewPart>(path, one.stored.bytes);
      write_to(part);
      commits.emplace_back([part] { part->commit(); });
    }
    commits.emplace_back([path, one] {
      open_part(path, one.stored).verify();
      one.file->path = path;
    });
  };
  agree(communicator_, [&] {
    for (std::size_t n = 0; n < lost.size(); ++n) {
      if (wanted[n].maker == communicator_.rank()) begin(lost[n], wanted[n]);
    }
  });
  recombine(communicator_, groups_, wanted);
  agree(communicator_, [&] {
    for (const auto& commit : commits) commit();
  });
  std::vector<std::string> names;
  for (std::size_t n = 0; n < lost.size(); ++n) {
    lost[n].file->reader = wanted[n].maker;
    names.push_back(lost[n].stored.file);
  }
  fill_groups();
  return names;
}

std::vector<NodeSurvey::Lost> NodeSurvey::lost_files(bool parity) {
  std::vector<Lost> lost;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t m = 0; m < groups_[g].parts.size(); ++m) {
      const int part = manifest_.groups[g].parts[m];
      if (!parity && part < 0) continue;
      const auto n = static_cast<std::size_t>(part);
      ReadableFile* const file = parity ? &groups_[g].parities[m] : &parts_[n];
      if (file->reader >= 0) continue;
      const StoredPart& stored = parity ? manifest_.groups[g].parities[m] : manifest_.parts[n];
      lost.push_back({g, static_cast<int>(m), parity, stored, file});
    }
  }
  return lost;
}

std::vector<std::string> NodeSurvey::rebuild_parts() {
  auto made = make(lost_files(false));
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    if (parts_[n].reader >= 0) continue;
    throw Error(ExitCode::no_checkpoint, manifest_.parts[n].file + " is lost",
                manifest_.has_copies ? "and its copy, too" : "nothing protects it");
  }
  return made;
}

std::vector<std::string> NodeSurvey::rebuild_parity() { return make(lost_files(true)); }

std::vector<std::string> NodeSurvey::rebuild_copies() {
  std::vector<FileCopy> copies;
  std::vector<std::string> names;
  for (const int n : without_copy_) {
    const ReadableFile& part = parts_[static_cast<std::size_t>(n)];
    const StoredPart& stored = manifest_.parts[static_cast<std::size_t>(n)];
    const int place = choice_.choose({{part.place}, {}}, 1, -1, stored.bytes);
    if (place == part.place) continue;
    const int maker = places_.all[static_cast<std::size_t>(place)].rank;
    copies.push_back({part.reader, maker, stored.bytes, part.path, folder_at(place) / stored.file});
    names.push_back(stored.file);
  }
  agree(communicator_, [&] {
    for (const FileCopy& copy : copies) {
      if (copy.to == communicator_.rank()) make_directory(copy.target.parent_path());
    }
  });
  copy_files(communicator_, copies);
  without_copy_.clear();
  return names;
}

void NodeSurvey::remove_damaged() const {
  for (const auto& [path, stored] : damaged_) {
    try {
      open_part(path, stored).verify();  // it has been made again
    } catch (const Error&) {
      std::error_code ignored;
      fs::remove(path, ignored);
    }
  }
}

}  // namespace goban
