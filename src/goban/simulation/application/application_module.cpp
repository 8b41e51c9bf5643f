#include "goban/simulation/application/application_module.hpp"

#include "goban/base/modules.hpp"

namespace goban {
namespace {

const void* load(const std::string& what, const std::string& name, const char* symbol) {
  return load_own_module(what, "app-" + name, "app_" + name, symbol);
}

}  // namespace

const Application& load_application(const std::string& name) {
  const void* module = load("application " + name, name, "goban_application_module");
  return static_cast<const ApplicationModule*>(module)->application();
}

void load_part(const std::string& application, const std::string& part) {
  load("part " + part + " of application " + application, application + "-" + part,
       "goban_interface_of_part");
}

}  // namespace goban
