#pragma once
// Finding the name a user meant.

#include <string>
#include <string_view>
#include <vector>

namespace goban {

/// Damerau-Levenshtein distance (insert, delete, replace, swap of neighbours), ignoring case and
/// reading '-' as '_'.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, or "" when none is near enough to be a slip of the fingers
/// (more than a third of its letters differ).
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// As nearest_name for dotted keys: a right last part in a wrong section is near too.
std::string nearest_key(std::string_view key, const std::vector<std::string>& candidates);

/// "did you mean X?" for a nearest name, "" when there is none.
std::string did_you_mean(const std::string& nearest);

/// "a, b, c".
std::string joined(const std::vector<std::string>& words);

}  // namespace goban
