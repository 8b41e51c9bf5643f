#include "cli/examples.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

namespace goban::cli {

std::string examples(const Context& context, std::initializer_list<Example> lines) {
  const bool is_own = context.applications.size() == 1;
  const std::string app = is_own ? context.applications[0].name : "heat";
  const std::string file = is_own ? "cases/" + app + ".toml" : "cases/heat/hotspot.toml";
  const std::string name = std::filesystem::path(file).stem().string();
  const std::pair<std::string_view, std::string> names[] = {
      {"GOBAN", context.program},
      {"APP", app},
      {"CASE", file},
      {"OUT", "out/" + name},
      {"SERIES", "out/" + name + "/" + name + "_series.csv"}};
  const auto named = [&](std::string text) {
    for (const auto& [mark, word] : names) {
      const auto at = text.find(mark);
      if (at != std::string::npos) text.replace(at, mark.size(), word);
    }
    return text;
  };
  std::size_t width = 0;
  for (const Example& line : lines) {
    if (*line.doc != '\0') width = std::max(width, named(line.command).size());
  }
  std::string text = "\nExamples:";
  for (const Example& line : lines) {
    std::string command = named(line.command);
    if (*line.doc != '\0') command.resize(width + 2, ' ');
    text += "\n  " + command + named(line.doc);
  }
  return text;
}

}  // namespace goban::cli
