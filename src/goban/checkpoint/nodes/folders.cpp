#include "goban/checkpoint/nodes/folders.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace goban {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> words = {"{node}", "{rank}"};

std::string with_number(std::string text, std::string_view word, int number) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word)) {
    text.replace(at, word.size(), std::to_string(number));
  }
  return text;
}

/// Whether `name` is `pattern` with digits for its words.
bool matches(std::string_view name, std::string_view pattern) {
  while (!pattern.empty()) {
    const auto word = std::find_if(words.begin(), words.end(), [&](std::string_view candidate) {
      return pattern.starts_with(candidate);
    });
    if (word != words.end()) {
      const auto digits = std::min(name.find_first_not_of("0123456789"), name.size());
      if (digits == 0) return false;
      name.remove_prefix(digits);
      pattern.remove_prefix(word->size());
    } else if (!name.empty() && name.front() == pattern.front()) {
      name.remove_prefix(1);
      pattern.remove_prefix(1);
    } else {
      return false;
    }
  }
  return name.empty();
}

}  // namespace

std::vector<int> nodes_of(const std::string& pattern, const Communicator& communicator) {
  if (pattern.find("{rank}") == std::string::npos) return communicator.nodes();
  std::vector<int> ranks(static_cast<std::size_t>(communicator.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

fs::path folder_of(const std::string& pattern, const Communicator& communicator, int rank) {
  const int node = communicator.nodes()[static_cast<std::size_t>(rank)];
  return with_number(with_number(pattern, "{node}", node), "{rank}", rank);
}

std::vector<fs::path> folders_there(const std::string& pattern) {
  std::vector<fs::path> found{""};
  for (const fs::path& part : fs::path(pattern)) {
    std::vector<fs::path> longer;
    const bool has_word = std::any_of(words.begin(), words.end(), [&](std::string_view word) {
      return part.string().find(word) != std::string::npos;
    });
    for (const fs::path& folder : found) {
      if (!has_word) {
        longer.push_back(folder / part);
        continue;
      }
      std::error_code error;
      const fs::path listed = folder.empty() ? fs::path(".") : folder;
      for (fs::directory_iterator entry(listed, error), end; !error && entry != end;
           entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (matches(name, part.string())) longer.push_back(folder / name);
      }
    }
    found = std::move(longer);
  }
  std::error_code ignored;
  std::erase_if(found, [&](const fs::path& folder) { return !fs::is_directory(folder, ignored); });
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace goban
