#pragma once
// Files that appear whole or not at all, and series that grow by whole rows.

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "goban/base/process/descriptor.hpp"

namespace goban {

/// A sink for one file. Bytes go to "<path>.partial"; commit() makes them durable (fsync), renames
/// them to `path` and makes the name durable (fsync of the directory). Until then, whatever was at
/// `path` stays as it was; without commit() the partial file is removed. A partial file left by a
/// killed run is replaced. Every failing call throws Error(files), after which the sink is dead.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Sets blocks aside for `bytes` in all, so that a full disk shows before the work is done.
  /// Does nothing where the file system cannot.
  void reserve(Index bytes);
  /// Makes the file this large, for others that write to their places in it.
  void set_size(Index bytes);
  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

  const std::filesystem::path& path() const { return path_; }
  /// Where the bytes are until commit(), for libraries that open files by name.
  const std::filesystem::path& partial_path() const { return partial_; }

 private:
  void write_through(const std::byte* bytes, std::size_t count);
  /// Whether the name partial_ still belongs to the file this object made.
  bool owns_partial() const;
  [[noreturn]] void fail(std::string_view action, int error_number, Index needed = 0) const;

  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::vector<std::byte> buffer_;
  Descriptor file_;
  Index reserved_ = 0;
  Index written_ = 0;
};

/// Where the bytes of the file `path` are until it is committed.
std::filesystem::path partial_path_of(std::filesystem::path path);

/// Writes `bytes` as the whole content of `path`: AtomicFile, write, commit.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Before work whose result is to be the file `path`: makes its folder. Error(files): it cannot be
/// written there, or the file that is there does not begin like those that it would replace.
void prepare_file(const std::filesystem::path& path, std::string_view beginning);

/// Makes the entries of a directory durable. Some network file systems cannot sync directories and
/// say EINVAL: there a rename itself is all there is.
void sync_directory(const std::filesystem::path& directory);

/// Where a file goes that another program has put in the place of the growing file `path`.
std::filesystem::path replaced_path_of(std::filesystem::path path);

/// A file that only grows. Each append() is one write of whole rows handed to the system at once:
/// a killed process leaves complete rows, and a row that did not fit (full disk) is taken back.
class AppendFile {
 public:
  /// Opens or creates `path` and continues at its end.
  explicit AppendFile(std::filesystem::path path);

  void append(std::string_view rows);
  /// Makes everything appended durable, under its name: where another program has taken the file
  /// away or put one of its own in its place, as editors do, it comes back with all rows, and the
  /// other one is kept as replaced_path_of(). Returns whether that was so.
  /// Error (files): rows are gone, as the file was cut.
  bool sync();
  Index size() const { return size_; }

 private:
  void put_back();

  std::filesystem::path path_;
  Descriptor file_;
  Index size_ = 0;
};

}  // namespace goban
