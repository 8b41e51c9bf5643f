#pragma once
// The values of one array of a checkpoint.

#include <filesystem>

#include "goban/checkpoint/manifest.hpp"
#include "goban/io/file/file_ranks.hpp"

namespace goban {

/// Collective. Writes the blocks of `array` one after another to a new file and makes them durable;
/// returns their hashes. Error (files): whatever the system says; the file is then of no use.
std::vector<std::uint64_t> write_data(const std::filesystem::path& path,
                                      const CheckpointArray& array, Index block_bytes,
                                      const FileRanks& ranks);

/// Collective. Every rank that sees the file reads a part of its blocks, compares their hashes, and
/// hands them to `copy_in`, which is collective: a rank that has no more of them names an empty
/// box. Error (no_checkpoint) naming the first block that is not as the manifest says.
void read_data(const std::filesystem::path& path, const StoredArray& array, Index block_bytes,
               const FileRanks& ranks,
               const std::function<void(const Box&, const void* elements)>& copy_in);

}  // namespace goban
