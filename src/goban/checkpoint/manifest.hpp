#pragma once
// The manifest of a checkpoint: the one file readers trust. It names every other file, its size and
// the hash of each of its blocks, and ends in its own hash.

#include <string>
#include <string_view>
#include <vector>

#include "goban/checkpoint/content.hpp"

namespace goban {

struct StoredArray {
  std::string name;
  /// Beside the manifest: blocks of blocks_of(extents, ...), one after another. Empty where parts
  /// hold the values.
  std::string file;
  ElementType type = ElementType::float32;
  Index3 extents{0, 0, 0};
  int components = 1;
  bool optional = false;
  std::vector<std::uint64_t> block_hashes;

  Index bytes_per_cell() const { return static_cast<Index>(size_of(type)) * components; }
  Index bytes() const { return product(extents) * bytes_per_cell(); }
};

/// A BlockFile.
struct StoredPart {
  std::string file;
  Index bytes = 0;
  std::uint64_t hash = 0;  ///< hash of its index
};

/// Parity of a group. Each member has the part it protects, -1 for none, and its parity.
struct StoredGroup {
  std::vector<int> parts;
  std::vector<StoredPart> parities;
};

struct Manifest {
  static constexpr Index most_bytes = Index{1} << 30;  ///< largest size of its text
  static constexpr int newest_version = 2;             ///< 1 is without parts
  static constexpr const char* file_name = "manifest.json";

  std::string goban;  ///< version and commit of the writer
  std::string saved;  ///< date and time, UTC
  std::string life;   ///< life of the run that saved it (nodes/lineage.hpp); empty: not known
  std::string program;
  Index3 cells{0, 0, 0};
  std::string active{};
  Real3 spacing{1, 1, 1};
  Real3 origin{0, 0, 0};
  std::uint64_t seed = 0;
  Index block_bytes = 0;  ///< limit on blocks
  std::vector<StoredArray> arrays;
  std::vector<StoredPart> parts;  ///< a rank's share of all arrays each; empty: arrays have files
  bool has_copies = false;        ///< whether other nodes hold copies of parts
  int parity = 0;                 ///< members that each group may lose
  std::vector<StoredGroup> groups;
  CheckpointState state;

  Index bytes() const;
};

/// All but where values are stored.
Manifest manifest_for(const CheckpointSubject& subject, const CheckpointState& state);

/// As file content; equal manifests give equal bytes. Error (files): it could not be read again.
std::string text_of(const Manifest& manifest);

/// Errors (no_checkpoint): a single changed byte, a format of the future, sizes that cannot be.
Manifest parse_manifest(std::string_view text);

/// Throws Error (no_checkpoint) that says what is not as `subject` has it.
void check_fits(const Manifest& manifest, const CheckpointSubject& subject);

}  // namespace goban
