#pragma once
// What one of several writers has to do with a file.

#include <filesystem>

#include "goban/base/descriptor.hpp"

namespace goban {

/// A file that is there, of its full size, and gets bytes at their places from several processes.
/// It is opened with the first write. Error(files).
class FileShare {
 public:
  /// `name`: what errors call it.
  FileShare(std::filesystem::path path, std::filesystem::path name);

  void write(Index offset, const void* bytes, Index count);
  /// Makes durable what was written, and closes.
  void close();

 private:
  std::filesystem::path path_, name_;
  Descriptor file_;
  Index written_ = 0;
};

}  // namespace goban
