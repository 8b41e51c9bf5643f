#pragma once
// A file of blocks and, at its end, an index with the hash of each: what it is lies in its index.
//
//   blocks | index, JSON | where the index begins, its bytes, its hash (each 8 bytes) | "gobanblk"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "goban/base/process/descriptor.hpp"

namespace goban {

struct StoredBlock {
  Index offset = 0;
  Index bytes = 0;
  std::uint64_t hash = 0;
};

/// A new file. Error (files).
class BlockFileWriter {
 public:
  explicit BlockFileWriter(std::filesystem::path path);

  /// At its place; blocks do not overlap.
  void write(Index offset, const void* bytes, Index count);
  /// After the last one.
  void append(const void* bytes, Index count) { write(end_, bytes, count); }
  /// The index, with what else is to be known; all is durable then. Returns the index's hash, which
  /// tells the content of the file.
  std::uint64_t finish(const nlohmann::ordered_json& about);
  /// After finish().
  Index bytes() const { return end_; }

 private:
  void put(Index offset, const void* bytes, Index count);

  std::filesystem::path path_;
  Descriptor file_;
  Index end_ = 0;
  std::vector<StoredBlock> blocks_;
};

/// One that was written. Errors (no_checkpoint) name the file and what is wrong with it.
class BlockFile {
 public:
  static constexpr Index most_block_bytes = Index{1} << 30;

  explicit BlockFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  const nlohmann::ordered_json& about() const { return about_; }
  const std::vector<StoredBlock>& blocks() const { return blocks_; }
  std::uint64_t hash() const { return hash_; }
  Index bytes() const { return bytes_; }

  /// As its hash says.
  void read(std::size_t block, std::vector<std::byte>& bytes) const;
  /// Reads all blocks.
  void verify() const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  Index read_up_to(Index offset, std::byte* bytes, Index count) const;
  void read_index();

  std::filesystem::path path_;
  Descriptor file_;
  Index bytes_ = 0;
  std::uint64_t hash_ = 0;
  nlohmann::ordered_json about_;
  std::vector<StoredBlock> blocks_;
};

}  // namespace goban
