#include "graph500/bitmap.hpp"

namespace goban::graph500 {

void DeltaWriter::add(std::uint64_t number) { add_value(number - std::exchange(last_, number)); }

void DeltaWriter::add_value(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::byte>(value | 0x80));
  bytes_.push_back(static_cast<std::byte>(value));
}

std::uint64_t DeltaReader::next_value() {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<std::uint64_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

std::vector<std::byte> packed(std::span<const Word> words) {
  Index count = 0;
  for (const Word word : words) count += __builtin_popcountll(word);
  if (count < static_cast<Index>(words.size())) {
    DeltaWriter writer;
    writer.add_value(1);
    for (std::size_t w = 0; w < words.size(); ++w) {
      each_bit(words[w], [&](Index t) { writer.add(w * 64 + static_cast<std::size_t>(t)); });
    }
    return writer.take();
  }
  std::vector<std::byte> bytes(1 + words.size_bytes());
  std::memcpy(bytes.data() + 1, words.data(), words.size_bytes());
  return bytes;
}

}  // namespace goban::graph500
