#pragma once
// Sets of vertices, a bit each, and how they travel between ranks.

#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "graph500/partition.hpp"

namespace goban::graph500 {

using Word = std::uint64_t;

inline bool has_bit(const Word* words, Index i) { return words[i / 64] >> (i % 64) & 1; }

/// `is_shared`: other threads may set bits of the word at the same time.
inline void set_bit(Word& word, Index t, bool is_shared) {
  const Word bit = Word{1} << t;
  if (!is_shared) {
    word |= bit;
  } else if (std::atomic_ref<Word> shared(word); !(shared.load(std::memory_order_relaxed) & bit)) {
    shared.fetch_or(bit, std::memory_order_relaxed);
  }
}

/// Calls f(t) for every bit t of the word.
template <class F>
void each_bit(Word word, const F& f) {
  for (; word != 0; word &= word - 1) f(static_cast<Index>(__builtin_ctzll(word)));
}

/// Numbers of a list in increasing order, as differences of 7 bits a byte.
class DeltaWriter {
 public:
  void add(std::uint64_t number);
  void add_value(std::uint64_t value);
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::uint64_t last_ = 0;
  std::vector<std::byte> bytes_;
};

class DeltaReader {
 public:
  explicit DeltaReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool is_over() const { return bytes_.empty(); }
  std::uint64_t next() { return last_ += next_value(); }
  std::uint64_t next_value();

 private:
  std::uint64_t last_ = 0;
  std::span<const std::byte> bytes_;
};

/// A set as bytes: below a density of 1/64 the differences of its elements, else its words.
std::vector<std::byte> packed(std::span<const Word> words);
/// Calls set(word, bits) for words of such bytes that are not 0.
template <class F>
void unpack(std::span<const std::byte> bytes, const F& set) {
  const bool is_list = bytes.front() == std::byte{1};
  bytes = bytes.subspan(1);
  if (!is_list) {
    for (std::size_t w = 0; w * sizeof(Word) < bytes.size(); ++w) {
      Word word;
      std::memcpy(&word, bytes.data() + w * sizeof(Word), sizeof(Word));
      if (word != 0) set(static_cast<Index>(w), word);
    }
    return;
  }
  for (DeltaReader reader(bytes); !reader.is_over();) {
    const auto bit = static_cast<Index>(reader.next());
    set(bit / 64, Word{1} << (bit % 64));
  }
}

}  // namespace goban::graph500
