#include "goban/io/case/guard.hpp"

#include <algorithm>

namespace goban {
namespace {

/// Length of the UTF-8 sequence at `i`; 0 when it is not one (overlong forms, surrogates and
/// values above U+10FFFF included).
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) {
    return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u;
  };
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;
    if (first == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

/// "U+03BB" of a UTF-8 sequence.
std::string code_point(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  unsigned long value = sequence.size() == 1 ? lead : lead & (0x7Fu >> sequence.size());
  for (const char c : sequence.substr(1))
    value = value << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  constexpr char hex[] = "0123456789ABCDEF";
  std::string digits;
  for (; value != 0 || digits.size() < 4; value >>= 4) digits.insert(0, 1, hex[value & 15]);
  return "U+" + digits;
}

/// Walks over TOML text telling apart what is inside texts and comments and what is not. Up to
/// the first syntax error it agrees with the parser, which reads no further.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// Calls visit(character, position) for every character outside texts and comments.
  template <class Visit>
  void walk(Visit&& visit) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_text(c);
      } else if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        visit(c, at_);
        ++at_;
      }
    }
  }

 private:
  bool triple(char quote) const {
    return at_ + 2 < text_.size() && text_[at_] == quote && text_[at_ + 1] == quote &&
           text_[at_ + 2] == quote;
  }

  void skip_text(char quote) {
    const bool multi_line = triple(quote);
    at_ += multi_line ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && quote == '"') {
        at_ += 2;
      } else if (multi_line ? triple(quote) : text_[at_] == quote) {
        at_ += multi_line ? 3 : 1;
        // Up to two quotes may precede the closing three.
        while (multi_line && at_ < text_.size() && text_[at_] == quote) ++at_;
        return;
      } else if (!multi_line && text_[at_] == '\n') {
        return;
      } else {
        ++at_;
      }
    }
    at_ = std::min(at_, text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

TextPosition position_of(std::string_view text, std::size_t offset) {
  TextPosition where;
  for (std::size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n') {
      ++where.line;
      where.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0u) != 0x80u) {
      ++where.column;
    }
  }
  return where;
}

}  // namespace

std::optional<TextProblem> guard(std::string_view text) {
  if (text.size() > largest_case_file) {
    return TextProblem{{},
                       "the case file is too large",
                       std::to_string(text.size()) + " bytes, at most 1 MiB is read",
                       "put data into files of their own and name them by a path"};
  }
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0) {
      return TextProblem{position_of(text, i), "the case file is not UTF-8 text",
                         "a byte does not belong to any character", "save it as UTF-8"};
    }
    i += length;
  }
  int dots = 0;
  std::optional<std::size_t> too_deep;
  Scanner(text).walk([&](char c, std::size_t at) {
    if (c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}') dots = 0;
    if (c == '.' && ++dots >= deepest_case_key && !too_deep) too_deep = at;
  });
  if (too_deep) {
    return TextProblem{position_of(text, *too_deep), "a key has too many parts",
                       "at most " + std::to_string(deepest_case_key) + " are read",
                       "keys are section.name"};
  }
  return std::nullopt;
}

std::optional<TextProblem> foreign_character(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  const std::size_t start = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  std::optional<std::size_t> first;
  Scanner(text).walk([&](char c, std::size_t at) {
    if (static_cast<unsigned char>(c) >= 0x80 && at >= start && !first) first = at;
  });
  if (!first) return std::nullopt;
  const std::string_view character = text.substr(*first, sequence_length(text, *first));
  return TextProblem{position_of(text, *first),
                     "the character " + std::string(character) + " (" + code_point(character) +
                         ") stands outside quotes",
                     "only texts and comments hold other characters than ASCII",
                     "put the text in quotes"};
}

std::vector<int> statement_starts(std::string_view text) {
  const auto lines = 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  std::vector<int> starts(lines, 0);
  int line = 1, depth = 0, start = 1;
  std::size_t counted = 0;
  const auto advance = [&](std::size_t offset, bool inside) {
    for (; counted < offset; ++counted) {
      if (text[counted] != '\n') continue;
      ++line;
      if (!inside) start = line;
      starts[static_cast<std::size_t>(line - 1)] = start;
    }
  };
  starts[0] = 1;
  Scanner(text).walk([&](char c, std::size_t at) {
    advance(at, true);  // line ends skipped over lie inside a multi-line text
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == '\n') advance(at + 1, depth > 0);
  });
  advance(text.size(), true);
  return starts;
}

}  // namespace goban
