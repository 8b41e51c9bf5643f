#pragma once
// A cache of goban that belongs to one test.

#include <cstdlib>
#include <optional>
#include <string>

#include "tests/scratch_folder.hpp"

namespace goban::test {

/// XDG_CACHE_HOME is this, or a new folder, for as long as it lives.
class CacheOfTest {
 public:
  CacheOfTest() : CacheOfTest("") { ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
  explicit CacheOfTest(const std::string& place) {
    if (const char* before = std::getenv("XDG_CACHE_HOME")) before_ = before;
    ::setenv("XDG_CACHE_HOME", place.c_str(), 1);
  }
  ~CacheOfTest() {
    before_ ? ::setenv("XDG_CACHE_HOME", before_->c_str(), 1) : ::unsetenv("XDG_CACHE_HOME");
  }
  CacheOfTest(const CacheOfTest&) = delete;
  CacheOfTest& operator=(const CacheOfTest&) = delete;

  const ScratchFolder& folder() const { return folder_; }

 private:
  ScratchFolder folder_;
  std::optional<std::string> before_;
};

}  // namespace goban::test
