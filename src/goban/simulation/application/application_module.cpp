#include "goban/simulation/application/application_module.hpp"

#include <cstring>

#include "goban/base/error.hpp"
#include "goban/base/modules.hpp"

namespace goban {

const Application& load_application(const std::string& name) {
  const std::string build = "./goban run in the repository builds what a case needs";
  const auto file = find_module("app-" + name);
  if (!file) {
    throw Error(ExitCode::resources, "application " + name + " is not built",
                missing_module_text("app-" + name), build);
  }
  const auto* module = static_cast<const ApplicationModule*>(
      load_module(*file, "goban_application_module", false, build));
  if (std::strcmp(module->interface, interface_hash()) != 0) {
    throw Error(ExitCode::resources, file->string() + " cannot be used",
                "it was built with the headers of another goban", build);
  }
  return module->application();
}

}  // namespace goban
