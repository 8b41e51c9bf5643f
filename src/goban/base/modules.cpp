#include "goban/base/modules.hpp"

#include <dlfcn.h>

#include <cstdlib>
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

std::string missing_module_text(const std::string& name) {
  return "there is no " + file_of(name) + " in " + module_folder().string();
}

void* load_module(const Path& module, const char* symbol, bool is_global,
                  const std::string& suggestion) {
  void* library = dlopen(module.c_str(), RTLD_NOW | (is_global ? RTLD_GLOBAL : RTLD_LOCAL));
  void* address = library == nullptr ? nullptr : dlsym(library, symbol);
  if (address == nullptr) {
    const char* why = dlerror();
    throw Error(ExitCode::resources, module.string() + " cannot be loaded",
                why == nullptr ? "" : why, suggestion);
  }
  return address;
}

}  // namespace goban
