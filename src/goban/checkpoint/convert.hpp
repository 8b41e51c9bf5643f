#pragma once
// A checkpoint read into memory, whatever wrote it, and written anew.

#include "goban/checkpoint/directory_store.hpp"

namespace goban {

struct ConvertOptions {
  bool compress = false;
};

/// Writes what `from` has as `entry` to `to`. Takes the memory of all of it. `manifest`: of the
/// entry. Errors (no_checkpoint), (files).
void convert_checkpoint(CheckpointStore& from, const CheckpointEntry& entry,
                        const Manifest& manifest, DirectoryStore& to,
                        const ConvertOptions& options);

}  // namespace goban
