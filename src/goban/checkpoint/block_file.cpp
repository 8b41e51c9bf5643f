#include "goban/checkpoint/block_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/checkpoint/hash.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/json_file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Trailer {
  std::int64_t index_offset = 0, index_bytes = 0;
  std::uint64_t index_hash = 0;
  std::array<char, 8> magic{'g', 'o', 'b', 'a', 'n', 'b', 'l', 'k'};
};
constexpr auto trailer_bytes = static_cast<Index>(sizeof(Trailer));
constexpr Index most_index_bytes = Index{1} << 30;

}  // namespace

BlockFileWriter::BlockFileWriter(fs::path path)
    : path_(std::move(path)),
      file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (file_ < 0) throw_file_error("write", path_, errno);
  ignore_file_size_signal();
}

void BlockFileWriter::put(Index offset, const void* bytes, Index count) {
  const Index done = write_at(file_, offset, bytes, count);
  end_ = std::max(end_, offset + done);
  if (done < count) throw_file_error("write", path_, errno, end_ + count - done);
}

void BlockFileWriter::write(Index offset, const void* bytes, Index count) {
  blocks_.push_back({offset, count, hash_of(bytes, static_cast<std::size_t>(count))});
  put(offset, bytes, count);
}

std::uint64_t BlockFileWriter::finish(const Json& about) {
  Json blocks = Json::array();
  for (const StoredBlock& block : blocks_) {
    blocks.push_back({block.offset, block.bytes, hex_of(block.hash)});
  }
  const std::string index = Json{{"about", about}, {"blocks", std::move(blocks)}}.dump();
  Trailer trailer;
  trailer.index_offset = end_;
  trailer.index_bytes = static_cast<Index>(index.size());
  trailer.index_hash = hash_of(index);
  put(end_, index.data(), trailer.index_bytes);
  put(end_, &trailer, trailer_bytes);
  if (::fsync(file_) != 0) throw_file_error("write", path_, errno);
  if (!file_.close()) throw_file_error("write", path_, errno);
  return trailer.index_hash;
}

BlockFile::BlockFile(fs::path path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  const auto text = [](int number) { return std::generic_category().message(number); };
  if (file_ < 0) refuse(text(errno));
  struct stat status {};
  if (::fstat(file_, &status) != 0) refuse(text(errno));
  if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");
  bytes_ = status.st_size;
  read_index();
}

void BlockFile::refuse(const std::string& why) const {
  throw Error(ExitCode::no_checkpoint, fmt::format("{}: {}", path_.string(), why));
}

void BlockFile::read_index() {
  Trailer trailer;
  const bool has_trailer =
      bytes_ >= trailer_bytes &&
      read_up_to(bytes_ - trailer_bytes, reinterpret_cast<std::byte*>(&trailer), trailer_bytes) ==
          trailer_bytes &&
      trailer.magic == Trailer{}.magic;
  const bool is_whole = has_trailer && trailer.index_bytes > 0 &&
                        trailer.index_bytes <= most_index_bytes && trailer.index_offset >= 0 &&
                        trailer.index_offset == bytes_ - trailer_bytes - trailer.index_bytes;
  if (!is_whole) refuse("it is incomplete");
  std::string index(static_cast<std::size_t>(trailer.index_bytes), ' ');
  read_up_to(trailer.index_offset, reinterpret_cast<std::byte*>(index.data()), trailer.index_bytes);
  hash_ = hash_of(index);
  if (hash_ != trailer.index_hash) refuse("its index is damaged: the hash does not match");
  if (is_too_deep(index)) refuse("its index cannot be understood");
  try {
    const Json json = Json::parse(index);
    about_ = json.at("about");
    for (const Json& block : json.at("blocks")) {
      const StoredBlock one{block.at(0), block.at(1), from_hex(block.at(2).get<std::string>())};
      const bool is_inside = one.offset >= 0 && one.bytes >= 0 && one.bytes <= most_block_bytes &&
                             one.offset <= trailer.index_offset - one.bytes;
      if (!is_inside) refuse("a block of its index cannot be");
      blocks_.push_back(one);
    }
  } catch (const nlohmann::json::exception& error) {
    refuse(fmt::format("its index cannot be understood: {}", error.what()));
  }
}

Index BlockFile::read_up_to(Index offset, std::byte* bytes, Index count) const {
  const Index done = read_at(file_, offset, bytes, count);
  if (done < 0) refuse(std::generic_category().message(errno));
  return done;
}

void BlockFile::read(std::size_t block, std::vector<std::byte>& bytes) const {
  const StoredBlock& stored = blocks_[block];
  bytes.resize(static_cast<std::size_t>(stored.bytes));
  if (read_up_to(stored.offset, bytes.data(), stored.bytes) != stored.bytes) {
    refuse(fmt::format("block {} is cut short", block));
  }
  if (hash_of(bytes.data(), bytes.size()) != stored.hash) {
    refuse(fmt::format("block {} is damaged: the hash does not match", block));
  }
}

void BlockFile::verify() const {
  std::vector<std::byte> bytes;
  for (std::size_t n = 0; n < blocks_.size(); ++n) read(n, bytes);
}

}  // namespace goban
