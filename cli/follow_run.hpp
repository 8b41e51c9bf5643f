#pragma once
// A live page of a run that another process computes, perhaps on another machine: by its folder.

#include <filesystem>
#include <string>

#include "cli/context.hpp"

namespace goban::cli {

/// Serves the page until Ctrl-C or SIGTERM: status, steps and series as files tell them, planes of
/// the newest snapshot. Save and stop are asked for by the files CHECKPOINT and STOP. Reads only
/// while somebody looks. Errors: `folder` holds no run; as of serve_live().
int follow_run(const Context& context, const std::filesystem::path& folder, const std::string& at);

}  // namespace goban::cli
