#include "goban/base/error.hpp"

#include <algorithm>

namespace goban {
namespace {

/// What a message repeats at most of a line: what was given may be as long as a file.
constexpr std::size_t longest_line = 2000;

/// Lines that are longer lose their middle.
std::string bounded(const std::string& text) {
  if (text.size() <= longest_line) return text;
  std::string all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) all += '\n';
    if (end - begin <= longest_line) {
      all += text.substr(begin, end - begin);
    } else {
      const auto is_inside = [&](std::size_t at) {  // of a letter of several bytes
        return (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u;
      };
      std::size_t left = begin + longest_line / 2, right = end - longest_line / 2;
      while (is_inside(left)) --left;
      while (right < end && is_inside(right)) ++right;
      all += text.substr(begin, left - begin) + " ... " + text.substr(right, end - right);
    }
    begin = end + 1;
  }
  return all;
}

std::string one_line(const std::string& problem, const std::string& why,
                     const std::string& suggestion) {
  std::string line = bounded(problem);
  if (!why.empty()) line += " (" + bounded(why) + ")";
  if (!suggestion.empty()) line += "; " + bounded(suggestion);
  return line;
}

}  // namespace

Error::Error(ExitCode code, const std::string& problem, const std::string& why,
             const std::string& suggestion)
    : std::runtime_error(one_line(problem, why, suggestion)), code_(code) {}

}  // namespace goban
