#include "goban/base/modules.hpp"

#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <system_error>

#include "goban/base/error.hpp"

namespace goban {
namespace {

using Path = std::filesystem::path;

Path module_folder() {
  if (const char* folder = std::getenv("GOBAN_MODULES")) return folder;
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&module_folder), &own);
  std::error_code ignored;
  return std::filesystem::canonical(own.dli_fname, ignored).parent_path() / "goban";
}

std::string file_of(const std::string& name) { return "libgoban-" + name + ".so"; }

}  // namespace

std::optional<Path> find_module(const std::string& name) {
  const Path file = module_folder() / file_of(name);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  return file;
}

void build_module(const std::string& target) {
  const char* builder = std::getenv("GOBAN_BUILDER");
  if (builder == nullptr || *builder == 0) return;
  std::string program = builder, build = "--build", name = target;
  char* arguments[] = {program.data(), build.data(), name.data(), nullptr};
  pid_t process = 0;
  int status = 0;
  if (posix_spawn(&process, builder, nullptr, nullptr, arguments, environ) == 0 &&
      waitpid(process, &status, 0) == process && status == 0) {
    return;
  }
  throw Error(ExitCode::resources, target + " is not built", program + " could not",
              "see what it said, or leave GOBAN_BUILDER empty to use what is built");
}

std::string missing_module_text(const std::string& name) {
  return "there is no " + file_of(name) + " in " + module_folder().string();
}

void* load_module(const Path& module, const char* symbol, const std::string& suggestion) {
  void* library = dlopen(module.c_str(), RTLD_LAZY | RTLD_GLOBAL);
  void* address = library == nullptr ? nullptr : dlsym(library, symbol);
  if (address == nullptr) {
    const char* why = dlerror();
    throw Error(ExitCode::resources, module.string() + " cannot be loaded",
                why == nullptr ? "" : why, suggestion);
  }
  return address;
}

const void* load_own_module(const std::string& what, const std::string& name,
                            const std::string& target, const char* symbol) {
  const std::string build = "./goban run in the repository builds what a case needs";
  build_module(target);
  const auto file = find_module(name);
  if (!file)
    throw Error(ExitCode::resources, what + " is not built", missing_module_text(name), build);
  const void* address = load_module(*file, symbol, build);
  if (std::strcmp(*static_cast<const char* const*>(address), interface_hash()) != 0) {
    throw Error(ExitCode::resources, file->string() + " cannot be used",
                "it was built with the headers of another goban", build);
  }
  return address;
}

}  // namespace goban
