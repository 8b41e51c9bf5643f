#include "cli/skeleton.hpp"

#include <cctype>
#include <sstream>

namespace goban::cli {

/// docs/new-application.md, of an application called spread.
extern const char* const page_of_new_application;

namespace {

/// "heat_wave" becomes "HeatWave".
std::string camel_case(const std::string& name) {
  std::string camel;
  bool start = true;
  for (const char c : name) {
    if (c != '_') camel += start ? static_cast<char>(std::toupper(c)) : c;
    start = c == '_';
  }
  return camel;
}

/// The text with another name in the place of spread, not in words that begin so.
std::string renamed(std::string text, const std::string& name) {
  const std::pair<std::string, std::string> words[] = {{"spread", name},
                                                       {"Spread", camel_case(name)}};
  for (const auto& [word, other] : words) {
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
      const std::size_t end = at + word.size();
      const bool is_name = end == text.size() || !std::islower(text[end]);
      if (is_name) text.replace(at, word.size(), other);
      at += is_name ? other.size() : word.size();
    }
  }
  return text;
}

}  // namespace

std::vector<SkeletonFile> skeleton(const std::string& name) {
  std::vector<SkeletonFile> files;
  std::istringstream page(page_of_new_application);
  std::string path;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("**`") && line.ends_with("`**")) path = line.substr(3, line.size() - 6);
    if (path.empty() || !line.starts_with("```")) continue;
    std::string text;
    while (std::getline(page, line) && line != "```") text += line + "\n";
    files.push_back({renamed(path, name), renamed(text, name)});
    path.clear();
  }
  return files;
}

}  // namespace goban::cli
