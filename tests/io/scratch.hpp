#pragma once
// Files, refusals and Python for the tests of this folder.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "goban/base/error.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban {

/// A directory of its own for every test, removed afterwards.
class ScratchTest : public ::testing::Test {
 protected:
  explicit ScratchTest(test::ScratchPlace place = test::ScratchPlace::disk) : folder_(place) {}

  std::filesystem::path path(std::string_view name) const { return folder_ / name; }
  const std::filesystem::path& directory() const { return folder_.path(); }

  std::filesystem::path store(std::string_view name, std::string_view bytes) const {
    return folder_.store(name, bytes);
  }
  std::string content(std::string_view name) const { return folder_.content(name); }
  std::size_t file_count() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory()))
      ++count;
    return count;
  }

  /// What the Error says that `f` throws, with this directory left out; empty if it throws none.
  template <class F>
  std::string refusal(F&& f, ExitCode expected) const {
    std::string text = test::refusal(expected, f);
    const std::string prefix = directory().string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }

 private:
  test::ScratchFolder folder_;
};

/// What a Python script prints; nothing if there is no Python that imports `modules`.
inline std::optional<std::string> python(const std::string& modules, const std::string& script) {
  const auto run = [](const std::string& command) -> std::pair<int, std::string> {
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return {-1, {}};
    std::string output;
    std::array<char, 4096> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
      output.append(buffer.data(), count);
    return {::pclose(pipe), output};
  };
  for (const std::string interpreter : {"/usr/bin/python3", "python3"}) {
    if (run(interpreter + " -c 'import " + modules + "' 2>/dev/null").first != 0) continue;
    const auto [code, output] =
        run(interpreter + " - <<'END_OF_SCRIPT' 2>&1\n" + script + "\nEND_OF_SCRIPT\n");
    EXPECT_EQ(code, 0) << output;
    return output;
  }
  return std::nullopt;
}

}  // namespace goban
