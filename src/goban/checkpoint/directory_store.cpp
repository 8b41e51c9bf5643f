#include "goban/checkpoint/directory_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include <cerrno>
#include <sstream>
#include <system_error>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/checkpoint/data_file.hpp"
#include "goban/checkpoint/inventory.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"

namespace goban {

namespace {

namespace fs = std::filesystem;

constexpr const char* partial = ".partial";  ///< being written
constexpr const char* trash = ".trash";      ///< being removed
constexpr const char* aside = ".aside";      ///< belonging to a past that the run has left

void rename_directory(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw_file_error("rename", from, errno);
}

void remove_directory(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw_file_error("remove", path, error.value());
}

/// What lies in a directory now; it may be changed while one walks over the list.
std::vector<fs::path> entries_of(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) throw_file_error("read", directory, error.value());
  return entries;
}

/// Gives `from` the name `to`. What had that name before loses it in the same moment.
void publish(const fs::path& from, const fs::path& to) {
  std::error_code error;
  const fs::file_type there = fs::symlink_status(to, error).type();
  if (there == fs::file_type::none) throw_file_error("look at", to, error.value());
  if (there == fs::file_type::not_found) return rename_directory(from, to);
  const fs::path old = to.string() + trash;
  remove_directory(old);
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    return rename_directory(from, old);
  }
  rename_directory(to, old);
  rename_directory(from, to);
}

std::string file_name(std::size_t number, const std::string& array) {
  std::string clean = array;
  for (char& c : clean) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '-') c = '_';
  }
  return fmt::format("{:02}_{}.bin", number, clean);
}

const CheckpointArray* array_named(const CheckpointSubject& subject, const std::string& name) {
  for (const CheckpointArray& array : subject.arrays) {
    if (array.name == name) return &array;
  }
  return nullptr;
}

/// "chk.old.1", or with the next number that nothing has.
fs::path free_name_beside(const fs::path& directory) {
  for (int n = 1;; ++n) {
    const fs::path name = fmt::format("{}.old.{}", directory.string(), n);
    if (!fs::exists(fs::symlink_status(name))) return name;
  }
}

/// "0000100.aside" has step 100; negative for names without this ending.
Index step_of_ending(const fs::path& path, std::string_view ending) {
  std::string name = path.filename().string();
  if (!name.ends_with(ending)) return -1;
  name.resize(name.size() - ending.size());
  return step_named(name);
}

}  // namespace

DirectoryStore::DirectoryStore(fs::path directory, DirectoryStoreOptions options, FileRanks ranks)
    : directory_(std::move(directory)), options_(options), ranks_(std::move(ranks)) {
  require(options_.keep >= 1, "keep = " + std::to_string(options_.keep) + " checkpoints is refused",
          "one must be left when the next is being written", "keep at least 1");
}

void DirectoryStore::save(const CheckpointSubject& subject, const CheckpointState& state) {
  const fs::path written = directory_ / (checkpoint_name(state.step) + partial);
  write_checkpoint(written, [&] {
    Manifest manifest = manifest_for(subject, state);
    manifest.block_bytes = options_.block_bytes;
    for (const CheckpointArray& array : subject.arrays) {
      const std::string file = file_name(manifest.arrays.size(), array.name);
      manifest.arrays.push_back({array.name, file, array.type, array.extents, array.components,
                                 array.optional,
                                 write_data(written / file, array, options_.block_bytes, ranks_)});
    }
    return manifest;
  });
}

void DirectoryStore::save_parts(const StateCopy& copy, const PartOptions& options, PartSize* size) {
  require(ranks_.all_see_files(), "compressed checkpoints are refused",
          "not all machines see " + directory_.string(), "leave checkpoint.compress out");
  const fs::path written = directory_ / (checkpoint_name(copy.state().step) + partial);
  write_checkpoint(written, [&] {
    Communicator& communicator = *ranks_.communicator;
    Manifest manifest = manifest_for_parts(copy, options);
    StoredPart own;
    agree(communicator, [&] {
      const int rank = communicator.rank();
      own = write_part(written / part_name(rank), copy, rank, options, size);
    });
    manifest.parts = parts_of_all(communicator, own);
    return manifest;
  });
}

void DirectoryStore::write_checkpoint(const fs::path& written,
                                      const std::function<Manifest()>& write) {
  const bool is_first = ranks_.is_first();
  try {
    agree(*ranks_.communicator, [&] {
      if (is_first) begin_checkpoint(written);
    });
    const Manifest manifest = write();
    agree(*ranks_.communicator, [&] {
      if (is_first) commit_checkpoint(written, manifest);
    });
  } catch (...) {
    std::error_code ignored;
    if (is_first) fs::remove_all(written, ignored);
    throw;
  }
  agree(*ranks_.communicator, [&] {
    if (is_first) remove_old();
  });
}

void DirectoryStore::begin_checkpoint(const fs::path& written) {
  make_directory(directory_);
  remove_leftovers();
  make_directory(written);
}

void DirectoryStore::commit_checkpoint(const fs::path& written, const Manifest& manifest) {
  write_file(written / Manifest::file_name, text_of(manifest));
  sync_directory(written);
  publish(written, directory_ / checkpoint_name(manifest.state.step));
  sync_directory(directory_);
}

std::vector<CheckpointEntry> DirectoryStore::entries() {
  const std::string listed = text_of_first(*ranks_.communicator, [&] {
    std::string text;
    for (const CheckpointEntry& entry : list_checkpoints(directory_)) {
      text += fmt::format("{} {}\n", entry.step, entry.path.filename().string());
    }
    return text;
  });
  std::vector<CheckpointEntry> entries;
  std::istringstream lines(listed);
  Index step = 0;
  for (std::string name; lines >> step >> name;) entries.push_back({step, directory_ / name});
  return entries;
}

Manifest DirectoryStore::manifest_of(const CheckpointEntry& entry) {
  return parse_manifest(
      text_of_first(*ranks_.communicator, [&] { return manifest_text(entry.path); }));
}

/// Values go to their place as they are read: a checkpoint refused half-way leaves nothing that an
/// older one does not overwrite.
CheckpointState DirectoryStore::restore(const CheckpointEntry& entry,
                                        const CheckpointSubject& subject, const CheckpointLog&) {
  Manifest manifest = manifest_of(entry);
  check_fits(manifest, subject);
  const bool takes_constants = !subject.accept || subject.accept(manifest.state);
  if (!manifest.parts.empty()) {
    std::vector<BlockFile> own;
    const int readers = ranks_.all_see_files() ? ranks_.communicator->size() : 1;
    const auto count = static_cast<Index>(manifest.parts.size());
    agree(*ranks_.communicator, [&] {
      if (ranks_.communicator->rank() < readers) require_open_files(count / readers + 1);
      for (std::size_t n = 0; n < manifest.parts.size(); ++n) {
        const StoredPart& part = manifest.parts[n];
        if (static_cast<int>(n) % readers != ranks_.communicator->rank()) continue;
        own.push_back(open_part(entry.path / part.file, part));
      }
    });
    read_parts(*ranks_.communicator, own, manifest, subject, takes_constants);
  }
  for (const StoredArray& stored : manifest.arrays) {
    const CheckpointArray* array = array_named(subject, stored.name);
    if (stored.file.empty() || array == nullptr) continue;
    if (array->constant && !takes_constants) continue;
    read_data(entry.path / stored.file, stored, manifest.block_bytes, ranks_, array->copy_in);
  }
  return std::move(manifest.state);
}

void DirectoryStore::set_aside_after(Index step) {
  agree(*ranks_.communicator, [&] {
    if (!ranks_.is_first()) return;
    bool moved = false;
    for (const CheckpointEntry& entry : list_checkpoints(directory_)) {
      if (entry.step <= step) break;
      const fs::path target = entry.path.string() + aside;
      remove_directory(target);
      rename_directory(entry.path, target);
      moved = true;
    }
    if (moved) sync_directory(directory_);
  });
}

/// They stay beside the run's own and are never removed.
std::string DirectoryStore::set_aside_all() {
  return text_of_first(*ranks_.communicator, [&]() -> std::string {
    if (list_checkpoints(directory_).empty()) return {};
    const fs::path target = free_name_beside(directory_);
    rename_directory(directory_, target);
    return target.string();
  });
}

/// What a killed run left while it wrote or removed a checkpoint.
void DirectoryStore::remove_leftovers() {
  for (const fs::path& entry : entries_of(directory_)) {
    if (step_of_ending(entry, partial) >= 0 || step_of_ending(entry, trash) >= 0) {
      remove_directory(entry);
    }
  }
}

/// All but the newest `keep` and the archived ones. A checkpoint loses its name before its files.
void DirectoryStore::remove_old() {
  std::vector<CheckpointEntry> entries = list_checkpoints(directory_);
  const auto keep = static_cast<std::size_t>(options_.keep);
  if (entries.size() < keep) return;
  const Index oldest_kept = entries[keep - 1].step;
  for (const fs::path& entry : entries_of(directory_)) {
    const Index step = step_of_ending(entry, aside);
    if (step >= 0 && step <= oldest_kept) remove_directory(entry);
  }
  for (std::size_t i = keep; i < entries.size(); ++i) {
    if (options_.archive_every > 0 && entries[i].step % options_.archive_every == 0) continue;
    const fs::path target = entries[i].path.string() + trash;
    rename_directory(entries[i].path, target);
    remove_directory(target);
  }
}

}  // namespace goban
