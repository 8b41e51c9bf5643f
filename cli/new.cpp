#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>

#include "cli/context.hpp"
#include "cli/skeleton.hpp"
#include "goban/base/error.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

bool is_identifier(const std::string& name) {
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

int write_project(const Context& context, const std::string& name) {
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
    std::ofstream out(path);
    out << file.text << std::flush;
    if (!out)
      throw Error(ExitCode::files, "cannot write " + path.string(), "", "is the disk full?");
    context.out << "wrote " << path.string() << "\n";
  }
  context.out << "\nnext:\n  cd " << name << "\n  cmake -B build && cmake --build build\n  build/"
              << name << " run cases/" << name << ".toml\n";
  return 0;
}

}  // namespace

void add_new(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand("new", "Start an application of your own");
  auto name = std::make_shared<std::string>();
  command->add_option("name", *name, "Lower-case name; a folder of that name is written")
      ->type_name("NAME")
      ->required();
  command->footer("Example: goban new wave");
  command->callback([&context, name] {
    context.action = [&context, name] { return write_project(context, *name); };
  });
}

}  // namespace goban::cli
