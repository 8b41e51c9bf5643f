#pragma once
// Reading files, and one way to say what a file operation failed on.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "goban/base/process/descriptor.hpp"

namespace goban {

/// Throws Error(files) "cannot <action> <path> (<text of errno>) <what to do>". On a full disk or
/// quota the reason also says how much was `needed` (0: unknown) and how much is free.
[[noreturn]] void throw_file_error(std::string_view action, const std::filesystem::path& path,
                                   int error_number, Index needed = 0);

/// Throws Error(files) "cannot read <path> (<why>) <suggestion>".
[[noreturn]] void throw_unreadable(const std::filesystem::path& path, const std::string& why,
                                   const std::string& suggestion = {});

/// A write over the limit on file sizes is an error to report, not a reason to die.
void ignore_file_size_signal();

/// Whether a file, a directory or what else has this name. Error(files) if that cannot be seen.
bool is_there(const std::filesystem::path& path);

/// Size of a regular file in bytes; Error(files) if it cannot be read or is not a regular file.
Index size_of_file(const std::filesystem::path& path);

/// The whole content of a regular file. Error(files) on any failure or if the file is larger than
/// `limit` bytes.
std::vector<std::byte> read_bytes(const std::filesystem::path& path, Index limit = Index{1} << 62);
std::string read_text(const std::filesystem::path& path, Index limit = Index{1} << 30);

/// Everything in this folder and in the folders in it, in no order; links are not followed. What
/// another thread or process removes meanwhile, or what cannot be read, is left out.
std::vector<std::filesystem::directory_entry> entries_below(const std::filesystem::path& folder);

/// A regular file of which parts are read, also by several threads at once. Error(files).
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  Index size() const { return size_; }
  /// Reads exactly so many bytes.
  void read(Index offset, void* bytes, Index count) const;

 private:
  std::filesystem::path path_;
  Descriptor file_;
  Index size_ = 0;
};

/// Creates the directory and its parents, and makes their names durable; Error(files) naming it on
/// failure.
void make_directory(const std::filesystem::path& directory);

/// Sees to it that so many files more can be open at once, raising the limit of this process where
/// it may be. Error (resources): it may not.
void require_open_files(Index count);

/// "1.5 MiB", "80 bytes".
std::string byte_text(Index bytes);

/// Now, in UTC: "2025-01-31T23:59:59Z".
std::string date_text();

}  // namespace goban
