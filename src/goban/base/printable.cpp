#include "goban/base/printable.hpp"

#include <cstddef>
#include <cstdint>

namespace goban {
namespace {

/// Bytes of the character that begins there; 0 if that is no UTF-8 (RFC 3629). C1 controls, which
/// some terminals obey as escapes, count as none.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t n) { return static_cast<std::uint8_t>(text[n]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = lead & (0xffu >> (length + 1));
  for (std::size_t n = 1; n < length; ++n) {
    if ((byte(n) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(n) & 0x3fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code >= least[length] && code < 0x110000 && !is_surrogate ? length : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    if (length > 0) {
      safe += text.substr(0, length);
    } else {
      safe += text[0] == '\n' || text[0] == '\t' ? ' ' : '?';
    }
    text.remove_prefix(length > 0 ? length : 1);
  }
  return safe;
}

}  // namespace goban
