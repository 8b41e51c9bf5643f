#include "tests/file_calls.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <map>
#include <stdexcept>

namespace goban::test {
namespace {

namespace fs = std::filesystem;

FileCallPlan plan;
std::atomic<bool> holds = false;
std::atomic<long> calls = 0;

/// Returns the path of the file with this number; empty if there is none.
std::string name_of(int file) {
  char name[4096];
  const auto size = ::readlink(fmt::format("/proc/self/fd/{}", file).c_str(), name, sizeof name);
  return size > 0 ? std::string(name, static_cast<std::size_t>(size)) : std::string();
}

/// Whether the call has to fail.
bool fails(const std::string& name) {
  if (!holds || !name.starts_with(plan.under.string())) return false;
  if (calls++ != plan.at) return false;
  if (plan.error_number == 0) ::_exit(99);
  errno = plan.error_number;
  return true;
}

bool fails(int file) { return holds && fails(name_of(file)); }
bool fails(int folder, const char* name) {
  const bool is_whole = folder == AT_FDCWD || name[0] == '/';
  return holds && fails(is_whole ? fs::absolute(name).string() : name_of(folder) + "/" + name);
}

bool is_unreadable(const char* name) {
  return holds && !plan.unreadable.empty() &&
         std::string(name).starts_with(plan.unreadable.string());
}

fs::path note_of(const fs::path& durable_in, ino_t inode) {
  return durable_in / std::to_string(inode);
}

ino_t inode_of(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) throw std::runtime_error("no " + path.string());
  return status.st_ino;
}

/// The content of a file; of a folder the names in it, with their inodes.
void note(const fs::path& path, const fs::path& durable_in) {
  const bool held = holds.exchange(false);
  std::ofstream out(note_of(durable_in, inode_of(path)), std::ios::binary);
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::directory_iterator(path)) {
      out << inode_of(entry.path()) << ' ' << entry.is_directory() << ' '
          << entry.path().filename().string() << '\n';
    }
  } else if (fs::file_size(path) > 0) {
    out << std::ifstream(path, std::ios::binary).rdbuf();
  }
  holds = held;
}

struct Entry {
  ino_t inode;
  bool is_folder;
};

std::map<std::string, Entry> names_in(const fs::path& noted) {
  std::map<std::string, Entry> names;
  std::ifstream in(noted);
  Entry entry{};
  for (std::string name;
       in >> entry.inode >> entry.is_folder && in.get() && std::getline(in, name);)
    names[name] = entry;
  return names;
}

void copy_folder(const fs::path& folder, ino_t inode, const fs::path& durable_in,
                 const fs::path& survivor, const std::function<bool()>& keeps) {
  fs::create_directories(survivor);
  const auto durable = names_in(note_of(durable_in, inode));
  auto names = durable;
  if (!folder.empty() && fs::exists(folder) && inode_of(folder) == inode) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (keeps())
        names[entry.path().filename().string()] = {inode_of(entry.path()), entry.is_directory()};
    }
    for (const auto& [name, entry] : durable) {
      if (!fs::exists(folder / name) && keeps()) names.erase(name);
    }
  }
  for (const auto& [name, entry] : names) {
    const fs::path now = folder.empty() ? fs::path() : folder / name;
    const bool is_there = !now.empty() && fs::exists(now) && inode_of(now) == entry.inode;
    if (entry.is_folder) {
      copy_folder(is_there ? now : fs::path(), entry.inode, durable_in, survivor / name, keeps);
    } else {
      const fs::path noted = note_of(durable_in, entry.inode);
      const fs::path from = is_there && keeps() ? now : noted;
      std::ofstream out(survivor / name, std::ios::binary);
      if (fs::exists(from) && fs::file_size(from) > 0)
        out << std::ifstream(from, std::ios::binary).rdbuf();
      // The size may have reached the disk without the bytes.
      const auto size = static_cast<std::streamoff>(is_there ? fs::file_size(now) : 0);
      if (from == noted && size > out.tellp() && keeps())
        out << std::string(static_cast<std::size_t>(size - out.tellp()), '\0');
    }
  }
}

}  // namespace

long count_file_calls(const FileCallPlan& wanted, const std::function<void()>& work) {
  plan = wanted;
  calls = 0;
  struct End {
    ~End() { holds = false; }
  } const end;
  holds = true;
  work();
  return calls;
}

void note_durable(const fs::path& folder, const fs::path& durable_in) {
  fs::create_directories(durable_in);
  note(folder, durable_in);
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) {
      note_durable(entry.path(), durable_in);
    } else {
      note(entry.path(), durable_in);
    }
  }
}

void lose_power(const fs::path& folder, const fs::path& durable_in, const fs::path& survivor,
                const std::function<bool()>& keeps) {
  copy_folder(folder, inode_of(folder), durable_in, survivor, keeps);
}

}  // namespace goban::test

using goban::test::fails;
using goban::test::is_unreadable;

extern "C" {

ssize_t write(int file, const void* bytes, size_t count) {
  return fails(file) ? -1 : ::syscall(SYS_write, file, bytes, count);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
  return fails(file) ? -1 : ::syscall(SYS_pwrite64, file, bytes, count, offset);
}

int ftruncate(int file, off_t size) noexcept {
  return fails(file) ? -1 : static_cast<int>(::syscall(SYS_ftruncate, file, size));
}

int fallocate(int file, int mode, off_t offset, off_t size) {
  return fails(file) ? -1 : static_cast<int>(::syscall(SYS_fallocate, file, mode, offset, size));
}

int fsync(int file) {
  using namespace goban::test;
  if (fails(file)) return -1;
  const int result = static_cast<int>(::syscall(SYS_fsync, file));
  if (result == 0 && holds && !plan.durable_in.empty()) {
    const std::string name = name_of(file);
    if (name.starts_with(plan.under.string())) note(name, plan.durable_in);
  }
  return result;
}

/// The number is free afterwards, whatever the call says.
int close(int file) {
  const bool is_lost = fails(file);
  const int error_number = errno;
  const int result = static_cast<int>(::syscall(SYS_close, file));
  if (is_lost) errno = error_number;
  return is_lost ? -1 : result;
}

int open(const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0 && fails(AT_FDCWD, name)) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, name, flags, mode));
}

int openat(int folder, const char* name, int flags, ...) {
  using namespace goban::test;
  va_list rest;
  va_start(rest, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  const bool is_lost = (flags & O_DIRECTORY) != 0 && is_unreadable(name);
  if (is_lost) errno = EIO;
  return is_lost ? -1 : static_cast<int>(::syscall(SYS_openat, folder, name, flags, mode));
}

// Newer C++ libraries call these by their names for large files.
int open64(const char* name, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char* name, int flags, ...) __attribute__((alias("openat")));
/// What openat becomes in libraries that are compiled with _FORTIFY_SOURCE.
int __openat_2(int folder, const char* name, int flags) { return openat(folder, name, flags); }

int rename(const char* from, const char* to) noexcept {
  return fails(AT_FDCWD, to)
             ? -1
             : static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  return fails(to_folder, to)
             ? -1
             : static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int mkdir(const char* name, mode_t mode) noexcept {
  return fails(AT_FDCWD, name) ? -1
                               : static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, name, mode));
}

int unlink(const char* name) noexcept {
  return fails(AT_FDCWD, name) ? -1 : static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, name, 0));
}

}  // extern "C"
