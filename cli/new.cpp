#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string_view>

#include "cli/context.hpp"
#include "cli/examples.hpp"
#include "cli/skeleton.hpp"
#include "goban/base/error.hpp"
#include "goban/io/file/file.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

bool is_identifier(const std::string& name) {
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

/// Whether this is a keyword of C++20; those that cannot be names of applications are left out.
bool is_keyword(const std::string& name) {
  constexpr std::string_view keywords =
      " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
      "char16_t char32_t class co_await co_return co_yield compl concept const const_cast "
      "consteval "
      "constexpr constinit continue decltype default delete do double dynamic_cast else enum "
      "explicit export extern false float for friend goto if inline int long mutable namespace new "
      "noexcept not not_eq nullptr operator or or_eq private protected public register "
      "reinterpret_cast requires return short signed sizeof static static_assert static_cast "
      "struct "
      "switch template this thread_local throw true try typedef typeid typename union unsigned "
      "using virtual void volatile wchar_t while xor xor_eq ";
  return keywords.find(" " + name + " ") != std::string_view::npos;
}

/// Names of targets that CMake makes by itself, and of what the project links.
bool is_reserved(const std::string& name) {
  constexpr std::string_view names[] = {"all",
                                        "clean",
                                        "depend",
                                        "edit_cache",
                                        "goban",
                                        "help",
                                        "install",
                                        "package",
                                        "none",
                                        "preinstall",
                                        "package_source",
                                        "rebuild_cache",
                                        "test",
                                        "list_install_components"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// The build folder or the prefix that this program lies in; empty where it is not goban itself.
fs::path home() {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  return program.filename() == "goban" ? program.parent_path().parent_path() : fs::path();
}

std::string next_steps(const std::string& name) {
  const fs::path root = home();
  const bool is_build = root.empty() || fs::exists(root / "CMakeCache.txt");
  const std::string prefix = is_build ? "DIR" : root.string();
  std::string text = "\nnext:\n";
  if (is_build) {
    text += "  cmake --install " + (root.empty() ? "build/release" : root.string()) +
            " --prefix DIR" + (root.empty() ? "  # in the repository of goban" : "") + "\n";
  }
  return text + "  cd " + name + "\n  cmake -B build -DCMAKE_PREFIX_PATH=" + prefix +
         " && cmake --build build\n  build/" + name + " run cases/" + name + ".toml\n" +
         (is_build ? "where DIR, a full path, is to hold the installed goban\n" : "");
}

int write_project(const Context& context, const std::string& name) {
  require(!is_reserved(name), "an application cannot be called " + name,
          "CMake has a target of that name", "choose another name");
  require(!is_keyword(name), "an application cannot be called " + name, "C++ has a keyword like it",
          "choose another name");
  require(is_identifier(name), "an application cannot be called " + name,
          "the name becomes a program and a C++ name",
          "use lower-case letters, digits and _, a letter first");
  if (fs::exists(fs::symlink_status(name))) {
    throw Error(ExitCode::files, "cannot write " + name, "it exists already",
                "choose another name");
  }
  for (const SkeletonFile& file : skeleton(name)) {
    const fs::path path = fs::path(name) / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) throw_file_error("make folder", path.parent_path(), error.value());
    errno = 0;
    std::ofstream out(path);
    out << file.text << std::flush;
    if (!out) throw_file_error("write", path, errno);
    context.out << "wrote " << path.string() << "\n";
  }
  context.out << next_steps(name);
  return 0;
}

}  // namespace

void add_new(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand("new", "Start an application of your own");
  auto name = std::make_shared<std::string>();
  command
      ->add_option("name", *name,
                   "Lower-case name of the application, and of the folder that is written")
      ->type_name("NAME")
      ->required();
  command->footer(examples(context, {{"GOBAN new wave"}}));
  command->callback([&context, name] {
    context.action = [&context, name] { return write_project(context, *name); };
  });
}

}  // namespace goban::cli
