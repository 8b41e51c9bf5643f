#pragma once
// The calls of this program that change files, counted, failing or the last ones it makes; and what
// of their effects would outlast a loss of power. The system's calls of these names are replaced
// for the whole program; without a plan they do what they always do.

#include <filesystem>
#include <functional>
#include <string>

namespace goban::test {

/// What happens at the call `at`, counted from 0, of those that concern files below `under`.
struct FileCallPlan {
  std::filesystem::path under;
  long at = -1;                           ///< negative: at none
  int error_number = 0;                   ///< the call fails with it; 0: the process ends there
  std::filesystem::path durable_in = {};  ///< what is made durable is noted there; empty: is not
  std::filesystem::path unreadable = {};  ///< folders whose entries a failing disk does not give
};

/// Calls made in `work` while the plan holds. Several threads may make them, then in any order.
long count_file_calls(const FileCallPlan& plan, const std::function<void()>& work);

/// Notes that a folder and all it holds is durable.
void note_durable(const std::filesystem::path& folder, const std::filesystem::path& durable_in);

/// Makes `survivor` hold what is left of `folder` when the power was lost: names as their folder
/// was when it was made durable, contents as the file was, nothing of files that never were.
/// `keeps` decides for what else is there now, or is gone by now, whether it had reached the disk
/// by itself.
void lose_power(const std::filesystem::path& folder, const std::filesystem::path& durable_in,
                const std::filesystem::path& survivor, const std::function<bool()>& keeps);

}  // namespace goban::test
