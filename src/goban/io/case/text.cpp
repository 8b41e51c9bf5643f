#include "goban/io/case/text.hpp"

#include <charconv>

namespace goban {
namespace {

std::string entry(double value) {
  std::string text = plain_number(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}
std::string entry(Index value) { return std::to_string(value); }
std::string entry(bool value) { return value ? "true" : "false"; }
std::string entry(const std::string& value) { return toml_quoted(value); }
std::string entry(std::monostate) { return ""; }

template <class T>
std::string entry(const std::vector<T>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ", ") + entry(values[i]);
  return text + "]";
}

}  // namespace

std::string plain_number(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return {digits, end};
}

std::string toml_text(const CaseValue& value) {
  return std::visit([](const auto& v) { return entry(v); }, value);
}

std::string toml_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': quoted += "\\\""; break;
      case '\\': quoted += "\\\\"; break;
      case '\n': quoted += "\\n"; break;
      case '\r': quoted += "\\r"; break;
      case '\t': quoted += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          constexpr char hex[] = "0123456789ABCDEF";
          quoted += std::string("\\u00") + hex[(c >> 4) & 15] + hex[c & 15];
        } else {
          quoted += c;
        }
    }
  }
  return quoted + "\"";
}

std::string shortened(std::string_view text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) return std::string(text);
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace goban
