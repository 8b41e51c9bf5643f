#include "goban/checkpoint/nodes/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <sstream>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/io/atomic_file.hpp"
#include "goban/io/file.hpp"
#include "goban/io/file_share.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

/// Of the ranks of this machine: how many, and which one this is.
struct Place {
  std::size_t ranks = 0, number = 0;
};

Place place_on_machine(const Communicator& communicator) {
  Place place;
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

NodeSurvey::NodeSurvey(Communicator& communicator, Manifest manifest, std::vector<fs::path> folders)
    : communicator_(communicator), manifest_(std::move(manifest)) {
  parts_.resize(manifest_.parts.size());
  for (std::size_t n = 0; n < parts_.size(); ++n) parts_[n].bytes = manifest_.parts[n].bytes;
  for (const StoredGroup& stored : manifest_.groups) {
    GroupFiles& group = groups_.emplace_back();
    group.parity = manifest_.parity;
    group.parts.resize(stored.parts.size());
    for (const StoredPart& parity : stored.parities)
      group.parities.push_back({-1, parity.bytes, {}});
  }
  find(folders);
}

void NodeSurvey::note(const std::string& problem) { problems_.push_back(problem); }

std::vector<NodeSurvey::Found> NodeSurvey::all_files() {
  std::vector<Found> all;
  for (std::size_t n = 0; n < parts_.size(); ++n) all.push_back({&manifest_.parts[n], &parts_[n]});
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t m = 0; m < groups_[g].parities.size(); ++m) {
      all.push_back({&manifest_.groups[g].parities[m], &groups_[g].parities[m]});
    }
  }
  return all;
}

/// The lowest rank that has a good one reads it.
void NodeSurvey::find(const std::vector<fs::path>& folders) {
  const Place place = place_on_machine(communicator_);
  std::vector<Found> files = all_files();
  const std::int64_t nobody = communicator_.size();
  std::vector<std::int64_t> readers(files.size(), nobody);
  std::string said;
  for (std::size_t n = 0; n < files.size(); ++n) {
    if (n % place.ranks != place.number) continue;
    for (const fs::path& folder : folders) {
      const fs::path path = folder / files[n].stored->file;
      std::error_code ignored;
      if (!fs::exists(fs::symlink_status(path, ignored))) continue;
      try {
        open_part(path, *files[n].stored).verify();
        files[n].file->path = path;
        readers[n] = communicator_.rank();
        break;
      } catch (const Error& error) {
        said += std::string(error.what()) + "\n";
      }
    }
  }
  communicator_.minimum(readers);
  for (std::size_t n = 0; n < files.size(); ++n) {
    files[n].file->reader = readers[n] == nobody ? -1 : static_cast<int>(readers[n]);
  }
  const auto bytes = std::as_bytes(std::span(said));
  for (const Parcel& parcel : communicator_.exchange({{0, {bytes.begin(), bytes.end()}}})) {
    std::istringstream lines(
        std::string(reinterpret_cast<const char*>(parcel.bytes.data()), parcel.bytes.size()));
    for (std::string line; std::getline(lines, line);) note(line);
  }
  for (const Found& file : files) {
    if (file.file->reader < 0) note(file.stored->file + " is lost");
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

std::vector<BlockFile> NodeSurvey::own_parts() const {
  std::vector<BlockFile> files;
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    if (parts_[n].reader != communicator_.rank()) continue;
    files.push_back(open_part(parts_[n].path, manifest_.parts[n]));
  }
  return files;
}

/// Files of one kind; those of the other are there, or not needed.
std::vector<std::string> NodeSurvey::make(const std::vector<Lost>& lost, const fs::path& home) {
  if (lost.empty()) return {};
  std::vector<WantedFile> wanted;
  for (const Lost& one : lost) {
    // Where the node has been replaced, its rank has them again.
    const int part = manifest_.groups[one.group].parts[static_cast<std::size_t>(one.member)];
    const int maker = std::max(part, 0) % communicator_.size();
    wanted.push_back({one.group, one.member, one.is_parity, maker, {}});
  }
  std::vector<std::function<void()>> commits;
  const auto begin = [&](const Lost& one, WantedFile& file) {
    make_directory(home);
    const fs::path path = home / one.stored.file;
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

std::vector<std::string> NodeSurvey::rebuild_parts(const fs::path& home) {
  auto made = make(lost_files(false), home);
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    if (parts_[n].reader >= 0) continue;
    throw Error(ExitCode::no_checkpoint, manifest_.parts[n].file + " is lost",
                manifest_.has_copies ? "and its copy, too" : "nothing protects it");
  }
  return made;
}

std::vector<std::string> NodeSurvey::rebuild_parity(const fs::path& home) {
  return make(lost_files(true), home);
}

}  // namespace goban
