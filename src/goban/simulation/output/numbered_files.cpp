#include "goban/simulation/output/numbered_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "goban/io/file/file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

/// The step in a name of this stem and ending, -1 for other names.
Index step_in(const std::string& name, const std::string& stem, const std::string& ending) {
  if (!name.starts_with(stem + ".") || !name.ends_with(ending)) return -1;
  const char* const begin = name.data() + stem.size() + 1;
  Index step = -1;
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), step);
  const bool whole = error == std::errc() && end - begin >= 7 &&
                     static_cast<std::size_t>(end - name.data()) + ending.size() == name.size();
  return whole && step >= 0 ? step : -1;
}

}  // namespace

std::string numbered_name(const std::string& stem, Index step, const std::string& ending) {
  return fmt::format("{}.{:07}{}", stem, step, ending);
}

std::vector<fs::path> keep_numbered(const fs::path& directory, const std::string& stem,
                                    const std::vector<std::string>& endings, Index last) {
  std::vector<std::pair<Index, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    for (const std::string& ending : endings) {
      const Index step = step_in(entry->path().filename().string(), stem, ending);
      if (step >= 0) found.emplace_back(step, entry->path());
    }
  }
  if (error) throw_file_error("read", directory, error.value());
  std::sort(found.begin(), found.end());
  std::vector<fs::path> kept;
  for (const auto& [step, path] : found) {
    if (step <= last) {
      kept.push_back(path);
    } else if (!fs::remove(path, error) && error) {
      throw_file_error("remove", path, error.value());
    }
  }
  return kept;
}

}  // namespace goban
