#include "goban/simulation/application/application_module.hpp"

#include <cstring>

#include "goban/base/error.hpp"
#include "goban/base/modules.hpp"

namespace goban {
namespace {

const std::string build = "./goban run in the repository builds what a case needs";

/// `what` defines `symbol` in libgoban-app-<name>.so.
const void* load_current(const std::string& what, const std::string& name, const char* symbol) {
  build_module("app_" + name);
  const auto file = find_module("app-" + name);
  if (!file) {
    throw Error(ExitCode::resources, what + " is not built", missing_module_text("app-" + name),
                build);
  }
  const void* address = load_module(*file, symbol, build);
  if (std::strcmp(*static_cast<const char* const*>(address), interface_hash()) != 0) {
    throw Error(ExitCode::resources, file->string() + " cannot be used",
                "it was built with the headers of another goban", build);
  }
  return address;
}

}  // namespace

const Application& load_application(const std::string& name) {
  const void* module = load_current("application " + name, name, "goban_application_module");
  return static_cast<const ApplicationModule*>(module)->application();
}

void load_part(const std::string& application, const std::string& part) {
  load_current("part " + part + " of application " + application, application + "-" + part,
               "goban_interface_of_part");
}

}  // namespace goban
