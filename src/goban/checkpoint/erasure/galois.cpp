#include "goban/checkpoint/erasure/galois.hpp"

#include <dlfcn.h>

#include "goban/base/error.hpp"

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
    void* const library = ::dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL);  // never closed
    if (library == nullptr) return;
    const auto find = [library](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(library, name));
    };
    find(multiply, "gf_mul");
    find(invert, "gf_inv");
    find(invert_matrix, "gf_invert_matrix");
    find(make_tables, "ec_init_tables");
    find(encode, "ec_encode_data");
  }
  bool is_there() const { return multiply && invert && invert_matrix && make_tables && encode; }
};

const Library& library() {
  static const Library isal;
  if (!isal.is_there())
    throw Error(ExitCode::resources, "parity cannot be made", "there is no libisal.so.2",
                "install libisal2, or leave checkpoint.parity out");
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
