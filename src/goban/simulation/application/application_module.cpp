#include "goban/simulation/application/application_module.hpp"

#include "goban/base/modules.hpp"

namespace goban {

const Application& load_application(const std::string& name) {
  const void* module = load_own_module("application " + name, "app-" + name, "app_" + name,
                                       "goban_application_module");
  return static_cast<const ApplicationModule*>(module)->application();
}

}  // namespace goban
