#include "goban/io/file/json_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "goban/base/error.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"

namespace goban {

void write_json(const std::filesystem::path& path, const nlohmann::json& document) {
  write_file(path, document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

bool is_too_deep(std::string_view json) {
  constexpr int most = 100;
  int depth = 0;
  bool is_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') is_text = !is_text;
    if (is_text) {
      i += c == '\\' ? 1 : 0;
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > most) return true;
  }
  return false;
}

nlohmann::json read_json(const std::filesystem::path& path) {
  const std::string text = read_text(path, Index{64} << 20);
  if (is_too_deep(text)) {
    throw Error(ExitCode::files, fmt::format("cannot read {}", path.string()),
                "its lists lie too deep within each other");
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    const auto line = 1 + std::count(text.begin(), end, '\n');
    throw Error(ExitCode::files, fmt::format("cannot read {}:{}", path.string(), line),
                "it is not JSON");
  } catch (const nlohmann::json::exception& error) {  // a number such as 1e999
    throw Error(ExitCode::files, fmt::format("cannot read {}", path.string()),
                "a number in it is out of range");
  }
}

}  // namespace goban
