#include "goban/checkpoint/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/base/stopwatch.hpp"
#include "goban/checkpoint/compression.hpp"
#include "goban/grid/blocks.hpp"

namespace goban {
namespace {

using Json = nlohmann::ordered_json;

/// Blocks of a box, in the order in which they are stored.
std::vector<Box> blocks_in(const Box& box, Index bytes_per_cell, Index block_bytes) {
  if (box.empty()) return {};
  std::vector<Box> blocks = blocks_of(box.extents(), bytes_per_cell, block_bytes);
  for (Box& block : blocks) block = shifted(block, box.lower);
  return blocks;
}

/// A block of an array in one of this rank's files.
struct Stored {
  const BlockFile* file;
  std::size_t number;
  Box box;
};

/// What `file` has of an array.
std::vector<Stored> blocks_of_array(const BlockFile& file, const StoredArray& array) {
  std::vector<Stored> all;
  try {
    const auto block_bytes = file.about().at("block_bytes").get<Index>();
    for (const Json& share : file.about().at("arrays")) {
      if (share.at("name") != array.name) continue;
      const Box box{share.at("lower"), share.at("upper")};
      auto number = share.at("first_block").get<std::size_t>();
      if (box.empty()) continue;
      const Box whole{{0, 0, 0}, array.extents};
      const std::size_t left = file.blocks().size() - std::min(number, file.blocks().size());
      std::vector<Box> blocks;  // no more than the file has
      if (whole.contains(box) && block_bytes > 0 &&
          box.volume() * array.bytes_per_cell() / block_bytes <= static_cast<Index>(left)) {
        blocks = blocks_in(box, array.bytes_per_cell(), block_bytes);
      }
      if (blocks.empty() || blocks.size() > left) {
        throw Error(ExitCode::no_checkpoint, fmt::format("{}: its share of '{}' cannot be",
                                                         file.path().string(), array.name));
      }
      for (const Box& block : blocks) all.push_back({&file, number++, block});
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(ExitCode::no_checkpoint,
                fmt::format("{}: it cannot be understood: {}", file.path().string(), error.what()));
  }
  return all;
}

/// The values of a block.
std::vector<std::byte> values_of(const Stored& block, const StoredArray& array) {
  std::vector<std::byte> bytes;
  block.file->read(block.number, bytes);
  const auto count = static_cast<std::size_t>(block.box.volume() * array.bytes_per_cell());
  if (bytes.size() == count) return bytes;
  return decompressed(bytes, count, size_of(array.type));
}

const CheckpointArray* wanted_array(const CheckpointSubject& subject, const std::string& name,
                                    bool takes_constants) {
  for (const CheckpointArray& array : subject.arrays) {
    if (array.name == name) return array.constant && !takes_constants ? nullptr : &array;
  }
  return nullptr;
}

}  // namespace

std::string part_name(int rank) { return fmt::format("part-{:05}", rank); }

Manifest manifest_for_parts(const StateCopy& copy, const PartOptions& options) {
  Manifest manifest = manifest_for(copy.description(), copy.state());
  manifest.block_bytes = options.block_bytes;
  for (const CheckpointArray& array : copy.description().arrays) {
    manifest.arrays.push_back(
        {array.name, "", array.type, array.extents, array.components, array.optional, {}});
  }
  return manifest;
}

StoredPart write_part(const std::filesystem::path& path, const StateCopy& copy, int rank,
                      const PartOptions& options, PartSize* size) {
  BlockFileWriter file(path);
  Json arrays = Json::array();
  std::size_t number = 0;
  double ignored = 0;
  std::vector<std::byte> values;
  for (std::size_t i = 0; i < copy.shares().size(); ++i) {
    const CheckpointArray& array = copy.description().arrays[i];
    const StateCopy::Share& share = copy.shares()[i];
    arrays.push_back({{"name", array.name},
                      {"lower", share.box.lower},
                      {"upper", share.box.upper},
                      {"first_block", number}});
    for (const Box& block : blocks_in(share.box, array.bytes_per_cell(), options.block_bytes)) {
      values.resize(static_cast<std::size_t>(block.volume() * array.bytes_per_cell()));
      copy_common(share.box, share.values.get(), block, values.data(), array.components,
                  size_of(array.type));
      std::vector<std::byte> packed;
      if (options.compress) {
        const Stopwatch watch(size != nullptr ? size->seconds : ignored);
        packed = compressed(values.data(), values.size(), size_of(array.type));
      }
      const bool pays = options.compress && packed.size() < values.size();
      const std::vector<std::byte>& stored = pays ? packed : values;
      file.append(stored.data(), static_cast<Index>(stored.size()));
      if (size != nullptr) {
        size->values += static_cast<Index>(values.size());
        size->stored += static_cast<Index>(stored.size());
      }
      ++number;
    }
  }
  const std::uint64_t hash = file.finish({{"step", copy.state().step},
                                          {"rank", rank},
                                          {"block_bytes", options.block_bytes},
                                          {"arrays", std::move(arrays)}});
  return {path.filename().string(), file.bytes(), hash};
}

std::vector<StoredPart> parts_of_all(Communicator& communicator, StoredPart own) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto rank = static_cast<std::size_t>(communicator.rank());
  std::vector<std::uint64_t> numbers(2 * ranks, 0);
  numbers[2 * rank] = static_cast<std::uint64_t>(own.bytes);
  numbers[2 * rank + 1] = own.hash;
  communicator.sum(numbers);
  std::vector<StoredPart> parts;
  for (std::size_t r = 0; r < ranks; ++r) {
    parts.push_back(
        {part_name(static_cast<int>(r)), static_cast<Index>(numbers[2 * r]), numbers[2 * r + 1]});
  }
  return parts;
}

BlockFile open_part(const std::filesystem::path& path, const StoredPart& stored) {
  BlockFile file(path);
  if (file.bytes() != stored.bytes || file.hash() != stored.hash) {
    throw Error(ExitCode::no_checkpoint,
                fmt::format("{}: it is not the one that the manifest names", path.string()));
  }
  return file;
}

void read_parts(Communicator& communicator, const std::vector<BlockFile>& own,
                const Manifest& manifest, const CheckpointSubject& subject, bool takes_constants) {
  for (const StoredArray& stored : manifest.arrays) {
    const CheckpointArray* array = wanted_array(subject, stored.name, takes_constants);
    if (array == nullptr) continue;
    std::vector<Stored> blocks;
    agree(communicator, [&] {
      for (const BlockFile& file : own) {
        for (Stored& block : blocks_of_array(file, stored)) blocks.push_back(std::move(block));
      }
    });
    std::array<std::uint64_t, 1> cells{0};
    for (const Stored& block : blocks) cells[0] += static_cast<std::uint64_t>(block.box.volume());
    communicator.sum(cells);
    if (cells[0] != static_cast<std::uint64_t>(product(stored.extents))) {
      throw Error(ExitCode::no_checkpoint,
                  fmt::format("its parts have {} of {} cells of '{}'", cells[0],
                              product(stored.extents), stored.name));
    }
    std::array<std::int64_t, 1> rounds{static_cast<std::int64_t>(blocks.size())};
    communicator.maximum(rounds);
    for (std::size_t n = 0; n < static_cast<std::size_t>(rounds[0]); ++n) {
      std::vector<std::byte> values;
      Box box;
      agree(communicator, [&] {
        if (n >= blocks.size()) return;
        values = values_of(blocks[n], stored);
        box = blocks[n].box;
      });
      array->copy_in(box, values.data());
    }
  }
}

}  // namespace goban
