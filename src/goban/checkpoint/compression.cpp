#include "goban/checkpoint/compression.hpp"

#include <dlfcn.h>

#include "goban/base/error.hpp"

namespace goban {
namespace {

/// What goban calls of libzstd 1.
struct Zstd {
  std::size_t (*bound)(std::size_t) = nullptr;
  std::size_t (*compress)(void*, std::size_t, const void*, std::size_t, int) = nullptr;
  std::size_t (*decompress)(void*, std::size_t, const void*, std::size_t) = nullptr;
  unsigned (*is_error)(std::size_t) = nullptr;

  Zstd() {
    void* const library = ::dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto find = [library](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(library, name));
    };
    find(bound, "ZSTD_compressBound");
    find(compress, "ZSTD_compress");
    find(decompress, "ZSTD_decompress");
    find(is_error, "ZSTD_isError");
  }
  bool is_there() const {
    return bound != nullptr && compress != nullptr && decompress != nullptr && is_error != nullptr;
  }
};

const Zstd& zstd() {
  static const Zstd library;
  if (!library.is_there()) {
    throw Error(ExitCode::resources, "checkpoints cannot be compressed", "there is no libzstd.so.1",
                "install libzstd1, or leave compression out");
  }
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
