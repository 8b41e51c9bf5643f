#pragma once
// Applications as modules: goban knows their names and loads one when a case names it. Where
// ./goban has started the program it is built first.

#include <string>

#include "goban/simulation/application/application.hpp"

namespace goban {

/// What a module defines as `goban_application_module`; the build writes it.
struct ApplicationModule {
  /// Names the interface of the headers it was compiled with; see load_own_module().
  const char* interface;
  const Application& (*application)();
};

/// The application of libgoban-app-<name>.so, which stays loaded.
/// Error (ExitCode::resources): there is none, or it was compiled with other headers.
const Application& load_application(const std::string& name);

}  // namespace goban
