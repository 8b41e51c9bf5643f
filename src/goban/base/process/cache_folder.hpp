#pragma once
// Where what was found out or compiled is kept for later runs.

#include <filesystem>
#include <string>

namespace goban {

/// The folder `name` in goban's folder of XDG_CACHE_HOME, if that is absolute, or ~/.cache; goban's
/// own without a name. It is made where it is missing, for this user alone. Empty where nothing is
/// kept: there is none and none can be made, or it is not is_own().
std::filesystem::path cache_folder(const std::string& name = {});

/// Whether what lies in this folder can only come from this user, so that code in it may be loaded:
/// the path is absolute, folder and link to it belong to the user, and nobody else may write to it
/// or put another in its place. The first time that it does not hold, a line on standard error says
/// why the folder is left alone.
bool is_own(const std::filesystem::path& folder);

}  // namespace goban
