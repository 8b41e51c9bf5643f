#include "goban/checkpoint/compression.hpp"

#include "goban/base/error.hpp"
#include "goban/base/found_library.hpp"

namespace goban {
namespace {

/// What goban calls of libzstd 1.
struct Zstd {
  std::size_t (*bound)(std::size_t) = nullptr;
  std::size_t (*compress)(void*, std::size_t, const void*, std::size_t, int) = nullptr;
  std::size_t (*decompress)(void*, std::size_t, const void*, std::size_t) = nullptr;
  unsigned (*is_error)(std::size_t) = nullptr;

  Zstd() {
    FoundLibrary library({"libzstd.so.1"});
    library.find(bound, "ZSTD_compressBound");
    library.find(compress, "ZSTD_compress");
    library.find(decompress, "ZSTD_decompress");
    library.find(is_error, "ZSTD_isError");
    if (!library.refusal().empty()) {
      throw Error(ExitCode::resources, "checkpoints cannot be compressed", library.refusal(),
                  "install libzstd1, or leave compression out");
    }
  }
};

const Zstd& zstd() {
  static const Zstd library;
  return library;
}

constexpr int fastest_level = 1;

}  // namespace

void require_compression() { zstd(); }

std::vector<std::byte> compressed(const std::byte* bytes, std::size_t count,
                                  std::size_t element_size) {
  std::vector<std::byte> shuffled(count);
  const std::size_t elements = count / element_size;
  for (std::size_t place = 0; place < element_size; ++place) {
    for (std::size_t i = 0; i < elements; ++i) {
      shuffled[place * elements + i] = bytes[i * element_size + place];
    }
  }
  const Zstd& library = zstd();
  std::vector<std::byte> stored(library.bound(count));
  const std::size_t size =
      library.compress(stored.data(), stored.size(), shuffled.data(), count, fastest_level);
  require(library.is_error(size) == 0, "a block could not be compressed");
  stored.resize(size);
  return stored;
}

std::vector<std::byte> decompressed(const std::vector<std::byte>& stored, std::size_t count,
                                    std::size_t element_size) {
  std::vector<std::byte> shuffled(count), bytes(count);
  const std::size_t size = zstd().decompress(shuffled.data(), count, stored.data(), stored.size());
  if (zstd().is_error(size) != 0 || size != count) {
    throw Error(ExitCode::no_checkpoint, "a compressed block cannot be read");
  }
  const std::size_t elements = count / element_size;
  for (std::size_t place = 0; place < element_size; ++place) {
    for (std::size_t i = 0; i < elements; ++i) {
      bytes[i * element_size + place] = shuffled[place * elements + i];
    }
  }
  return bytes;
}

}  // namespace goban
