// goban-protect: how fast one core makes parity of data that lies in memory, hashes both as a save
// does, and makes lost rows again.
//   goban-protect [MIB]      so much data, 1024 by default

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/checkpoint/erasure/code.hpp"
#include "goban/checkpoint/erasure/galois.hpp"
#include "goban/checkpoint/hash.hpp"

namespace {

using namespace goban;
using Rows = std::vector<std::vector<std::byte>>;

constexpr std::size_t piece = std::size_t{32} << 10;

/// On the core, whatever else runs there.
double seconds_of_thread() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Work>
double best_seconds(Work&& work) {
  double best = 1e300;
  for (int round = 0; round < 5; ++round) {
    const double start = seconds_of_thread();
    work();
    best = std::min(best, seconds_of_thread() - start);
  }
  return best;
}

/// rows[wanted] from k others, piece by piece; `hashes` those that are made.
void make(const ErasureCode& code, const std::vector<int>& from, const std::vector<int>& wanted,
          const Rows& rows, Rows& made, std::uint64_t* hashes) {
  std::vector<std::uint8_t> factors;
  for (const int row : wanted) {
    const auto of_row = code.factors(from, row);
    factors.insert(factors.end(), of_row.begin(), of_row.end());
  }
  std::vector<std::byte*> targets(wanted.size());
  std::vector<const std::byte*> sources(from.size());
  for (std::size_t at = 0; at < made.front().size(); at += piece) {
    for (std::size_t w = 0; w < wanted.size(); ++w) targets[w] = made[w].data() + at;
    for (std::size_t i = 0; i < from.size(); ++i) {
      sources[i] = rows[static_cast<std::size_t>(from[i])].data() + at;
    }
    galois::sum_products(targets, sources, factors, piece);
    if (!hashes) continue;
    for (const std::byte* const bytes : targets) *hashes ^= hash_of(bytes, piece);
    for (const std::byte* const bytes : sources) *hashes ^= hash_of(bytes, piece);
  }
}

void measure(int data, int parity, std::size_t bytes) {
  const ErasureCode code(data, parity);
  const std::size_t row_bytes =
      std::max<std::size_t>(1, bytes / static_cast<std::size_t>(data) / piece) * piece;
  std::mt19937_64 random(1);
  Rows rows(static_cast<std::size_t>(code.rows()), std::vector<std::byte>(row_bytes));
  std::vector<int> of_data, of_parity, left, lost;
  for (int row = 0; row < code.rows(); ++row) {
    (row < parity ? of_parity : of_data).push_back(row);
    // Half of what is lost is parity.
    const bool is_lost = row < parity / 2 || (row >= parity && row < 2 * parity - parity / 2);
    (is_lost ? lost : left).push_back(row);
    if (row < parity) continue;
    for (std::size_t i = 0; i < row_bytes; i += 8) {
      const std::uint64_t word = random();
      std::memcpy(rows[static_cast<std::size_t>(row)].data() + i, &word, 8);
    }
  }
  const double gigabytes = 1e-9 * static_cast<double>(row_bytes) * data;
  Rows made(of_parity.size(), std::vector<std::byte>(row_bytes));
  std::uint64_t hashes = 0;
  const double encoding =
      best_seconds([&] { make(code, of_data, of_parity, rows, made, nullptr); });
  const double both = best_seconds([&] { make(code, of_data, of_parity, rows, made, &hashes); });
  for (std::size_t row = 0; row < made.size(); ++row) rows[row] = made[row];
  const double again = best_seconds([&] { make(code, left, lost, rows, made, nullptr); });
  for (std::size_t i = 0; i < lost.size(); ++i) {
    require(made[i] == rows[static_cast<std::size_t>(lost[i])], "a row that was lost is another");
  }
  const double reading = best_seconds([&] {
    for (const int row : left) {
      std::memcpy(made.front().data(), rows[static_cast<std::size_t>(row)].data(), row_bytes);
    }
  });
  fmt::print("{:>4} {:>6} {:>14.1f} {:>22.1f} {:>24.1f} {:>18.2f}\n", data, parity,
             gigabytes / encoding, gigabytes / both, gigabytes / again, again / reading);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t mib = argc > 1 ? std::stoul(argv[1]) : 1024;
  fmt::print("GB/s of {} MiB of data, one core\n", mib);
  fmt::print(
      "   k      m         encode     encode and hash     make m lost again     / copying k\n");
  for (const auto& [data, parity] : {std::pair{4, 2}, {8, 2}, {8, 4}, {16, 4}}) {
    measure(data, parity, mib << 20);
  }
}
