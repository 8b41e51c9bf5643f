#include "goban/io/case/names.hpp"

#include <algorithm>

namespace goban {
namespace {

constexpr std::size_t longest_compared = 200;

char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' ? '_' : c;
}

std::string_view last_part(std::string_view key) {
  const auto dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

std::size_t allowance(std::string_view name) { return std::max<std::size_t>(1, name.size() / 3); }

template <class Score>
std::string best(const std::vector<std::string>& candidates, Score&& score) {
  std::string found;
  std::size_t lowest = std::string::npos;
  for (const std::string& candidate : candidates) {
    const std::size_t s = score(candidate);
    if (s < lowest) lowest = s, found = candidate;
  }
  return found;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  if (a.size() > longest_compared || b.size() > longest_compared)
    return std::max(a.size(), b.size());
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
          folded(a[i - 2]) == folded(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  return best(candidates, [&](const std::string& candidate) {
    const std::size_t distance = edit_distance(name, candidate);
    return distance <= allowance(name) ? distance : std::string::npos;
  });
}

std::string nearest_key(std::string_view key, const std::vector<std::string>& candidates) {
  return best(candidates, [&](const std::string& candidate) {
    std::size_t score = std::string::npos;
    const std::size_t whole = edit_distance(key, candidate);
    if (whole <= allowance(last_part(key))) score = 2 * whole;
    const std::string_view word = last_part(key);
    const std::size_t last = edit_distance(word, last_part(candidate));
    if (last <= allowance(word) && word.size() > 1) score = std::min(score, 2 * last + 3);
    return score;
  });
}

std::string did_you_mean(const std::string& nearest) {
  return nearest.empty() ? "" : "did you mean " + nearest + "?";
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : ", ") + word;
  return line;
}

}  // namespace goban
