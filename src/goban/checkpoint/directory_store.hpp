#pragma once
// Checkpoints as directories of a file system.
//
//   chk/0000100/00_u.bin        data, by global index, in blocks; or
//   chk/0000100/part-00003      a rank's share of all arrays, in blocks
//   chk/0000100/manifest.json   what there is, and the hash of every block
//   chk.old.1, chk.old.2, ...   those of runs before this one
//
// A checkpoint is written as chk/0000100.partial: data, fsync, manifest, fsync, fsync of the
// directory; the rename to its own name, made durable by an fsync of chk, is the commit. Entries
// whose names are not digits alone are never read.

#include <filesystem>

#include "goban/checkpoint/parts.hpp"
#include "goban/checkpoint/store.hpp"
#include "goban/io/file/file_ranks.hpp"

namespace goban {

struct DirectoryStoreOptions {
  int keep = 2;  ///< how many of the newest are kept
  Index archive_every =
      0;  ///< checkpoints at multiples of so many steps are kept for ever; 0: none
  Index block_bytes = Index{2} << 20;
};

class DirectoryStore : public CheckpointStore {
 public:
  /// Makes `directory` with the first save. `ranks` save and read together.
  explicit DirectoryStore(std::filesystem::path directory, DirectoryStoreOptions options = {},
                          FileRanks ranks = {});

  /// The file of every array, whose bytes do not depend on the ranks. Error (files).
  void save(const CheckpointSubject& subject, const CheckpointState& state);
  /// A part of every rank, which may be compressed; adds to `size`. Error (files); (usage): not all
  /// ranks see the directory.
  void save_parts(const StateCopy& copy, const PartOptions& options, PartSize* size = nullptr);
  std::vector<CheckpointEntry> entries() override;
  CheckpointState restore(const CheckpointEntry& entry, const CheckpointSubject& subject,
                          const CheckpointLog& log) override;
  Manifest manifest_of(const CheckpointEntry& entry) override;
  std::string place() const override { return directory_.string(); }
  /// Ranks that write.
  std::size_t writers() const { return ranks_.writers().size(); }

  /// The run goes on from `step`: later checkpoints are of a past that is no longer its own.
  void set_aside_after(Index step);
  /// The run begins anew: all checkpoints are another run's. Returns where they went, the same on
  /// all ranks; empty if there were none.
  std::string set_aside_all();

 private:
  void write_checkpoint(const std::filesystem::path& written,
                        const std::function<Manifest()>& write);
  void begin_checkpoint(const std::filesystem::path& written);
  void commit_checkpoint(const std::filesystem::path& written, const Manifest& manifest);
  void remove_leftovers();
  void remove_old();

  std::filesystem::path directory_;
  DirectoryStoreOptions options_;
  FileRanks ranks_;
};

}  // namespace goban
