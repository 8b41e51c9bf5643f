#pragma once
// Ranks that write files together: who of them writes, and which parts.

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/base/process/descriptor.hpp"
#include "goban/grid/blocks.hpp"

namespace goban {

/// How files begin that tell for a moment whether all ranks see one directory.
inline constexpr const char* probe_prefix = ".probe-";

/// Rank 0 makes a file and gives it its name; writers, of which it is one, put values in.
struct FileRanks {
  std::shared_ptr<Communicator> communicator = self_communicator();
  /// The rank that writes for each.
  std::vector<int> writer_of = {0};
  /// The cells a rank has; they decide who writes what, nothing else.
  std::function<Box(int rank)> owned_by = [](int) { return Box{}; };

  bool is_first() const { return communicator->rank() == 0; }
  /// Whether every machine has a writer: all ranks see what is written.
  bool all_see_files() const;
  /// The writers, in the order of ranks.
  std::vector<int> writers() const;
};

/// Rank 0 writes for all.
FileRanks one_writer(std::shared_ptr<Communicator> communicator);

/// Collective. The first rank of every machine writes for those of its machine, if all of them see
/// what rank 0 writes to `directory`; otherwise rank 0 writes for all.
FileRanks writers_of_machines(std::shared_ptr<Communicator> communicator,
                              const std::filesystem::path& directory);

/// The writer of each of `pieces`: the one that writes for most of its cells, of those that do not
/// have their share of all cells yet. The same on every rank.
std::vector<int> writer_of_pieces(const FileRanks& ranks, const std::vector<Box>& pieces);

/// Collective. Every piece is written once: the values of its cells are made as `values` makes
/// them, of `bytes_per_cell`, on the rank that then calls `write` with the number of the piece.
/// `values` is collective; ranks that want none name an empty box. An Error of one is thrown on
/// all.
void write_pieces(const FileRanks& ranks, const std::vector<Box>& pieces, Index bytes_per_cell,
                  const BoxSource& values,
                  const std::function<void(std::size_t piece, const std::byte* values)>& write);

/// A file that is there, of its full size, and gets bytes at their places from several processes.
/// It is opened with the first write. Error(files).
class FileShare {
 public:
  /// `name`: what errors call it.
  FileShare(std::filesystem::path path, std::filesystem::path name);

  void write(Index offset, const void* bytes, Index count);
  /// Makes durable what was written, and closes.
  void close();

 private:
  std::filesystem::path path_, name_;
  Descriptor file_;
  Index written_ = 0;
};

}  // namespace goban
