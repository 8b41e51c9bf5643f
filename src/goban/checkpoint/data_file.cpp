#include "goban/checkpoint/data_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/base/process/descriptor.hpp"
#include "goban/checkpoint/hash.hpp"
#include "goban/grid/blocks.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/file_ranks.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ExitCode::no_checkpoint, fmt::format("{}: {}", path.filename().string(), why));
}

/// Ranks are asked for several blocks at once: every time all of them have to meet.
constexpr Index bytes_at_a_time = Index{16} << 20;

/// The box of the block `first` and those after it, as long as they make one of so many cells.
Box first_together(const std::vector<Box>& blocks, std::size_t first, Index cells) {
  Box all = blocks[first];
  for (std::size_t n = first + 1; n < blocks.size(); ++n) {
    const Box more = hull(all, blocks[n]);
    if (more.volume() != all.volume() + blocks[n].volume() || more.volume() > cells) break;
    all = more;
  }
  return all;
}

std::string text_of_error(int error_number) {
  return std::generic_category().message(error_number);
}

/// An empty file with room for so many bytes. A disk that is too full shows at once, not after
/// hours of writing.
void make_file(const fs::path& path, Index bytes) {
  ignore_file_size_signal();
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file < 0) throw_file_error("write", path, errno);
  if (::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, bytes) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    throw_file_error("write", path, errno, bytes);
  }
  if (::ftruncate(file, bytes) != 0) throw_file_error("write", path, errno, bytes);
  if (!file.close()) throw_file_error("write", path, errno);
}

/// Blocks that are fetched together.
struct Fetched {
  std::size_t first;
  Box box;
  Index offset;  ///< position of the first block in the file, bytes
};

std::vector<Fetched> fetched_together(const std::vector<Box>& blocks, Index bytes_per_cell) {
  std::vector<Fetched> all;
  Index offset = 0;
  for (std::size_t n = 0; n < blocks.size();) {
    const Box box = first_together(blocks, n, bytes_at_a_time / bytes_per_cell);
    all.push_back({n, box, offset});
    offset += box.volume() * bytes_per_cell;
    while (n < blocks.size() && box.contains(blocks[n])) ++n;
  }
  return all;
}

/// The blocks of a file, checked as they are read.
class BlockReader {
 public:
  BlockReader(const fs::path& path, const StoredArray& array)
      : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (file_ < 0) refuse(path, text_of_error(errno));
    struct stat status {};
    if (::fstat(file_, &status) != 0) refuse(path, text_of_error(errno));
    if (!S_ISREG(status.st_mode)) refuse(path, "it is not a regular file");
    if (status.st_size != array.bytes()) {
      refuse(path,
             fmt::format("it has {} bytes, the manifest says {}", status.st_size, array.bytes()));
    }
  }

  const std::byte* read(std::size_t number, Index offset, Index bytes, std::uint64_t hash) {
    block_.resize(static_cast<std::size_t>(bytes));
    const Index there = read_at(file_, offset, block_.data(), bytes);
    if (there < 0) refuse(path_, text_of_error(errno));
    if (there != bytes) {
      refuse(path_, fmt::format("block {} is cut short", number));
    }
    if (hash_of(block_.data(), block_.size()) != hash) {
      refuse(path_, fmt::format("block {} is damaged: the hash does not match", number));
    }
    return block_.data();
  }

 private:
  fs::path path_;
  Descriptor file_;
  std::vector<std::byte> block_;
};

}  // namespace

std::vector<std::uint64_t> write_data(const fs::path& path, const CheckpointArray& array,
                                      Index block_bytes, const FileRanks& ranks) {
  agree(*ranks.communicator, [&] {
    if (ranks.is_first()) make_file(path, array.bytes());
  });
  FileShare share(path, path);
  const auto blocks = blocks_of(array.extents, array.bytes_per_cell(), block_bytes);
  const auto together = fetched_together(blocks, array.bytes_per_cell());
  std::vector<Box> pieces;
  for (const Fetched& fetched : together) pieces.push_back(fetched.box);
  std::vector<std::uint64_t> hashes(blocks.size(), 0);
  std::vector<std::byte> block;
  const auto write = [&](std::size_t piece, const std::byte* values) {
    auto [n, box, offset] = together[piece];
    for (; n < blocks.size() && box.contains(blocks[n]); ++n) {
      block.resize(static_cast<std::size_t>(blocks[n].volume() * array.bytes_per_cell()));
      copy_common(box, values, blocks[n], block.data(), array.components, size_of(array.type));
      hashes[n] = hash_of(block.data(), block.size());
      share.write(offset, block.data(), static_cast<Index>(block.size()));
      offset += static_cast<Index>(block.size());
    }
  };
  FileRanks writers = ranks;
  writers.owned_by = array.owned_by ? array.owned_by : [](int) { return Box{}; };
  write_pieces(writers, pieces, array.bytes_per_cell(), array.copy_out, write);
  agree(*ranks.communicator, [&] { share.close(); });
  ranks.communicator->sum(hashes);  // each is of one writer
  return hashes;
}

void read_data(const fs::path& path, const StoredArray& array, Index block_bytes,
               const FileRanks& ranks,
               const std::function<void(const Box&, const void* elements)>& copy_in) {
  Communicator& communicator = *ranks.communicator;
  const auto blocks = blocks_of(array.extents, array.bytes_per_cell(), block_bytes);
  const auto readers = static_cast<std::size_t>(ranks.all_see_files() ? communicator.size() : 1);
  const auto rank = static_cast<std::size_t>(communicator.rank());
  const std::size_t share = (blocks.size() + readers - 1) / readers;
  const std::size_t first = std::min(rank * share, blocks.size());
  const std::size_t end = rank < readers ? std::min(first + share, blocks.size()) : first;
  Index offset = 0;
  for (std::size_t n = 0; n < first; ++n) offset += blocks[n].volume() * array.bytes_per_cell();
  std::optional<BlockReader> file;
  for (std::size_t round = 0; round < share; ++round) {
    const std::size_t n = first + round;
    const Box box = n < end ? blocks[n] : Box{};
    const std::byte* values = nullptr;
    agree(communicator, [&] {
      if (round == 0 && rank < readers) file.emplace(path, array);
      if (n >= end) return;
      const Index bytes = box.volume() * array.bytes_per_cell();
      values = file->read(n, offset, bytes, array.block_hashes[n]);
      offset += bytes;
    });
    copy_in(box, values);
  }
}

}  // namespace goban
