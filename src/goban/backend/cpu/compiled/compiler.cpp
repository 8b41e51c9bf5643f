#include "goban/backend/cpu/compiled/compiler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/base/process/descriptor.hpp"

extern char** environ;

namespace goban::cpu {
namespace {

namespace fs = std::filesystem;

/// A file in memory for this process and those that it starts.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : file_(::memfd_create(name, 0)) {
    if (file_ < 0) {
      throw Error(ExitCode::resources, "cannot compile a kernel", std::strerror(errno));
    }
  }
  void write(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t written = ::write(file_, bytes.data() + at, bytes.size() - at);
      if (written < 0 && errno != EINTR) {
        throw Error(ExitCode::resources, "cannot compile a kernel", std::strerror(errno));
      }
      if (written > 0) at += static_cast<std::size_t>(written);
    }
    ::lseek(file_, 0, SEEK_SET);
  }
  std::string content() const {
    const off_t size = ::lseek(file_, 0, SEEK_END);
    std::string bytes(static_cast<std::size_t>(size > 0 ? size : 0), '\0');
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t read =
          ::pread(file_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
      if (read == 0) break;
      if (read < 0 && errno != EINTR) break;
      if (read > 0) at += static_cast<std::size_t>(read);
    }
    return bytes;
  }
  int number() const { return file_; }

 private:
  Descriptor file_;
};

/// Runs a command with a text as its input and writes what it prints to `output`. Returns its exit
/// code.
int run(const std::vector<std::string>& words, const std::string& input, MemoryFile& output) {
  MemoryFile text("kernel-text");
  text.write(input);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, text.number(), 0);
  posix_spawn_file_actions_adddup2(&files, output.number(), 1);
  posix_spawn_file_actions_adddup2(&files, output.number(), 2);
  pid_t child = 0;
  const int refused =
      posix_spawn(&child, words.front().c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (refused != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Splits a command into words. The path of an existing program is one word, even with spaces.
std::vector<std::string> words_of(const std::string& command) {
  if (::access(command.c_str(), X_OK) == 0) return {command};
  std::istringstream text(command);
  return {std::istream_iterator<std::string>(text), {}};
}

/// Returns a command with the full path of its first word; empty if no such program can be run.
std::string on_path(const std::string& command) {
  const auto words = words_of(command);
  if (words.empty()) return "";
  const std::string name = words.front(), rest = command.substr(name.size());
  if (name.find('/') != std::string::npos) {
    return ::access(name.c_str(), X_OK) == 0 ? command : "";
  }
  const char* const path = std::getenv("PATH");
  const std::string folders = path ? path : "/usr/bin:/bin";
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const std::string file = folders.substr(at, end - at) + "/" + name;
    if (end > at && ::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file)) {
      return file + rest;
    }
    at = end + 1;
  }
  return "";
}

Compiler find_compiler() {
  Compiler found;
  const char* const asked = std::getenv("GOBAN_CXX");
  if (asked != nullptr) {
    found.command = on_path(asked);
    found.why_not = std::string("GOBAN_CXX names ") + (*asked ? asked : "none");
  } else {
    for (const char* command : {"c++", "g++", "clang++", "zig c++"}) {
      if (found.command.empty()) found.command = on_path(command);
    }
    found.why_not = "there is none of c++, g++, clang++ and zig";
  }
  if (found.command.empty()) return found;
  MemoryFile said("compiler");
  std::vector<std::string> words = words_of(found.command);
  words.emplace_back("--version");
  if (run(words, "", said) != 0) {
    found.why_not = found.command + " cannot be run";
    found.command.clear();
    return found;
  }
  const std::string all = said.content();
  found.version = all.substr(0, all.find('\n'));
  found.why_not.clear();
  return found;
}

std::vector<std::string> options(const InstructionSet& isa) {
  std::vector<std::string> all = {"-x",
                                  "c++",
                                  "-std=c++20",
                                  "-O2",
                                  "-march=" + isa.name,
                                  "-fPIC",
                                  "-shared",
                                  "-nostdlib",
                                  "-w",
                                  "-ffp-contract=off",
                                  "-fwrapv",
                                  "-fno-math-errno",
                                  "-fno-exceptions",
                                  "-fno-rtti",
                                  "-fno-stack-protector",
                                  "-fno-asynchronous-unwind-tables",
                                  "-fno-semantic-interposition",
                                  "-DGOBAN_CPU_KERNEL"};
  return all;
}

}  // namespace

const Compiler& compiler() {
  static const Compiler* const found = new Compiler(find_compiler());  // used while programs end
  return *found;
}

std::string compiled(const std::string& text, const InstructionSet& isa) {
  if (compiler().command.empty()) {
    throw Error(ExitCode::resources, "cannot compile a kernel", compiler().why_not,
                "install g++ or clang++");
  }
  MemoryFile said("compiler");
  std::vector<std::string> words = words_of(compiler().command);
  const bool is_zig = words.size() > 1 && words.back() == "c++";
  for (std::string& word : options(isa)) words.push_back(std::move(word));
  // zig's names of processors have no dashes.
  for (std::string& word : words) {
    if (!is_zig || word != "-march=" + isa.name) continue;
    word = isa.name == "armv8-a" ? "-mcpu=baseline" : word;
    std::replace(word.begin() + 6, word.end(), '-', '_');
  }
  // Linkers put a new file in the place of one that is there.
  std::string folder = (fs::temp_directory_path() / "goban-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    throw Error(ExitCode::resources, "cannot compile a kernel", std::strerror(errno),
                "set TMPDIR to a folder that can be written");
  }
  const std::string file = folder + "/kernel.so";
  words.insert(words.end(), {"-o", file, "-"});
  const int exit = run(words, text, said);
  std::string bytes;
  if (exit == 0) {
    const Descriptor made(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    char part[1 << 16];
    for (ssize_t size = 0; made >= 0 && (size = ::read(made, part, sizeof(part))) > 0;) {
      bytes.append(part, static_cast<std::size_t>(size));
    }
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  if (bytes.empty()) {
    throw Error(ExitCode::resources, "cannot compile a kernel",
                compiler().command + " says: " + said.content().substr(0, 2000));
  }
  return bytes;
}

std::string compiler_key(const InstructionSet& isa) {
  std::string key;
  for (const std::string& word : options(isa)) key += word + ' ';
  return key;
}

}  // namespace goban::cpu
