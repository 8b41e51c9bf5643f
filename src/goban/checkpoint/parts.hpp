#pragma once
// A rank's share of all arrays as one BlockFile: what ranks write without each other.

#include "goban/checkpoint/block_file.hpp"
#include "goban/checkpoint/manifest.hpp"
#include "goban/checkpoint/state_copy.hpp"

namespace goban {

struct PartOptions {
  Index block_bytes = Index{2} << 20;
  bool compress = false;
};

/// Bytes before and after compression, and how long that took.
struct PartSize {
  Index values = 0, stored = 0;
  double seconds = 0;
};

/// "part-00003".
std::string part_name(int rank);

/// The manifest of checkpoints that have parts, but for these.
Manifest manifest_for_parts(const StateCopy& copy, const PartOptions& options);

/// Durable when it returns. Error (files).
StoredPart write_part(const std::filesystem::path& path, const StateCopy& copy, int rank,
                      const PartOptions& options, PartSize* size = nullptr);

/// Collective: gives what every rank has written to all, in their order.
std::vector<StoredPart> parts_of_all(Communicator& communicator, StoredPart own);

/// The part that a manifest names. Error (no_checkpoint): it is another, or none.
BlockFile open_part(const std::filesystem::path& path, const StoredPart& stored);

/// Collective. Every part of the manifest is `own` of one rank, which reads it and hands its values
/// to the arrays of the subject. Error (no_checkpoint).
void read_parts(Communicator& communicator, const std::vector<BlockFile>& own,
                const Manifest& manifest, const CheckpointSubject& subject, bool takes_constants);

}  // namespace goban
