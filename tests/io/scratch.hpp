#pragma once
// Files, refusals and Python for the tests of this folder.

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "goban/base/error.hpp"

namespace goban {

/// A directory of its own for every test, removed afterwards.
class ScratchTest : public ::testing::Test {
 protected:
  explicit ScratchTest(const std::string& parent = ::testing::TempDir()) {
    std::string name = parent + "goban_io_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = name;
  }
  ~ScratchTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  std::filesystem::path path(std::string_view name) const { return directory_ / name; }
  const std::filesystem::path& directory() const { return directory_; }

  std::filesystem::path store(std::string_view name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string content(std::string_view name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  std::size_t file_count() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_))
      ++count;
    return count;
  }

  /// What the Error says that `f` throws, with this directory left out; empty if it throws none.
  template <class F>
  std::string refusal(F&& f, ExitCode expected) const {
    try {
      f();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), expected);
      std::string text = error.what();
      const std::string prefix = directory_.string() + "/";
      for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
        text.erase(at, prefix.size());
      return text;
    }
    return {};
  }

 private:
  std::filesystem::path directory_;
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
