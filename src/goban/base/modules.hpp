#pragma once
// Parts of goban that are loaded when they are wanted: one for each MPI, one for each application,
// one for GPUs.

#include <filesystem>
#include <optional>
#include <string>

namespace goban {

/// "libgoban-<name>.so" beside this library, in a folder goban; in $GOBAN_MODULES alone if that is
/// set. Empty: there is none.
std::optional<std::filesystem::path> find_module(const std::string& name);

/// Has what started this program build a target of the repository, if that is stale:
/// $GOBAN_BUILDER, which ./goban sets, is called with it. Does nothing where there is none. Error
/// (ExitCode::resources): it could not; the reason has been printed.
void build_module(const std::string& target);

/// "there is no libgoban-<name>.so in /usr/lib/goban".
std::string missing_module_text(const std::string& name);

/// Loads it for the rest of the process and returns the address of `symbol`. What is loaded later
/// finds its symbols, and functions of its own that are not there yet are looked for when they are
/// first called.
/// Error (ExitCode::resources) with the loader's reason and `suggestion`.
void* load_module(const std::filesystem::path& module, const char* symbol,
                  const std::string& suggestion);

/// The hash of the headers that this library was compiled with.
const char* interface_hash();

/// Loads libgoban-<name>.so, after building `target` (see build_module), and returns the address of
/// `symbol`, which begins with a pointer to the hash of the headers that it was compiled with.
/// Error (ExitCode::resources), which begins with `what`: there is none, or it was compiled with
/// other headers.
const void* load_own_module(const std::string& what, const std::string& name,
                            const std::string& target, const char* symbol);

}  // namespace goban
