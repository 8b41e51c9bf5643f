#pragma once
// Files of a parity group, made from others of the group: parity from parts, lost parts from what
// is left.
//
// A group of G members protects parts of up to k chunks with m of parity, G = k + m. There are G
// stripes; member (s + q) % G has row q of stripe s. Rows below m are parity, row m + c is chunk c
// of the member's part. So every member has k chunks of data and m of parity, of different stripes,
// and losing any m members takes m rows of each stripe.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "goban/base/communicator.hpp"

namespace goban {

/// A file that can be read on one rank.
struct ReadableFile {
  int reader = -1;  ///< -1: it is lost
  Index bytes = 0;
  std::filesystem::path path = {};  ///< on the reader
  int place = -1;                   ///< where it lies; see nodes/places.hpp
};

struct GroupFiles {
  int parity = 1;
  /// Per member. A part of no bytes is there without a reader.
  std::vector<ReadableFile> parts = {}, parities = {};

  int size() const { return static_cast<int>(parts.size()); }
  int data() const { return size() - parity; }
  /// Bytes of a chunk of the largest part.
  Index chunk_bytes() const;
  /// Whether what is lost can be made from what is there.
  bool is_enough() const;
};

/// A file to be made.
struct WantedFile {
  std::size_t group = 0;
  int member = 0;
  bool is_parity = false;
  int maker = 0;  ///< the rank that gets it
  /// Called on the maker, for all of its bytes in pieces; of a part in the order of nothing.
  std::function<void(Index offset, const std::byte* bytes, Index count)> write = {};
};

/// Collective; all but paths and functions is the same on every rank. Error (no_checkpoint): more
/// members of a group are lost than it has parity.
void recombine(Communicator& communicator, const std::vector<GroupFiles>& groups,
               const std::vector<WantedFile>& wanted);

}  // namespace goban
