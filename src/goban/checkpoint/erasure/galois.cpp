#include "goban/checkpoint/erasure/galois.hpp"

#include "goban/base/error.hpp"
#include "goban/base/found_library.hpp"

namespace goban::galois {
namespace {

using Byte = unsigned char;

/// What goban calls of ISA-L 2.
struct Library {
  Byte (*multiply)(Byte, Byte) = nullptr;
  Byte (*invert)(Byte) = nullptr;
  int (*invert_matrix)(Byte*, Byte*, int) = nullptr;
  void (*make_tables)(int, int, Byte*, Byte*) = nullptr;
  void (*encode)(int, int, int, Byte*, Byte**, Byte**) = nullptr;

  Library() {
    FoundLibrary library({"libisal.so.2"});
    library.find(multiply, "gf_mul");
    library.find(invert, "gf_inv");
    library.find(invert_matrix, "gf_invert_matrix");
    library.find(make_tables, "ec_init_tables");
    library.find(encode, "ec_encode_data");
    if (!library.refusal().empty())
      throw Error(ExitCode::resources, "parity cannot be made", library.refusal(),
                  "install libisal2, or leave checkpoint.parity out");
  }
};

const Library& library() {
  static const Library isal;
  return isal;
}

Byte* bytes(const std::byte* at) { return reinterpret_cast<Byte*>(const_cast<std::byte*>(at)); }

}  // namespace

void require_library() { library(); }

std::uint8_t product(std::uint8_t a, std::uint8_t b) { return library().multiply(a, b); }
std::uint8_t inverse(std::uint8_t a) { return library().invert(a); }

std::vector<std::uint8_t> inverse(std::vector<std::uint8_t> matrix, std::size_t n) {
  std::vector<std::uint8_t> inverted(n * n);
  library().invert_matrix(matrix.data(), inverted.data(), static_cast<int>(n));
  return inverted;
}

void sum_products(std::span<std::byte* const> targets, std::span<const std::byte* const> sources,
                  std::span<const std::uint8_t> factors, std::size_t count) {
  constexpr std::size_t bytes_of_table = 32;
  std::vector<Byte> copy(factors.begin(), factors.end());
  std::vector<Byte> tables(bytes_of_table * factors.size());
  std::vector<Byte*> to, from;
  for (std::byte* const target : targets) to.push_back(bytes(target));
  for (const std::byte* const source : sources) from.push_back(bytes(source));
  const auto rows = static_cast<int>(to.size()), terms = static_cast<int>(from.size());
  library().make_tables(terms, rows, copy.data(), tables.data());
  library().encode(static_cast<int>(count), terms, rows, tables.data(), from.data(), to.data());
}

}  // namespace goban::galois
