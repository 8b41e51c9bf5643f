#pragma once
// Applications as modules: goban knows their names and loads one when a case names it, and of it
// the parts that the case needs. Where ./goban has started the program they are built first.

#include <string>

#include "goban/simulation/application/application.hpp"

namespace goban {

/// What a module defines as `goban_application_module`; the build writes it.
struct ApplicationModule {
  const char* interface;  ///< of the headers it was compiled with; see load_own_module()
  const Application& (*application)();
};

/// The application of libgoban-app-<name>.so, which stays loaded.
/// Error (ExitCode::resources): there is none, or it was compiled with other headers.
const Application& load_application(const std::string& name);

/// Makes the functions of apps/<application>/parts/<part>.cpp callable: they are a module of their
/// own, libgoban-app-<application>-<part>.so, so that nobody waits for what no case of theirs
/// needs. Errors: those of load_application().
void load_part(const std::string& application, const std::string& part);

}  // namespace goban
