#pragma once
// Parts of goban that are loaded when they are wanted: one for each MPI, one for each application.

#include <filesystem>
#include <optional>
#include <string>

namespace goban {

/// "libgoban-<name>.so" beside this library, in a folder goban; in $GOBAN_MODULES alone if that is
/// set. Empty: there is none.
std::optional<std::filesystem::path> find_module(const std::string& name);

/// "there is no libgoban-<name>.so in /usr/lib/goban".
std::string missing_module_text(const std::string& name);

/// Loads it for the rest of the process and returns the address of `symbol`. `is_global`: its own
/// libraries find its symbols.
/// Error (ExitCode::resources) with the loader's reason and `suggestion`.
void* load_module(const std::filesystem::path& module, const char* symbol, bool is_global,
                  const std::string& suggestion);

}  // namespace goban
