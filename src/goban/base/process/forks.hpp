#pragma once
// Processes that were forked from others: none of the threads of those is in them.

namespace goban {

/// How many forks lie between the process that loaded goban and this one.
int forks();

/// Error (usage): this process was forked from the one in which forks() was so many.
void require_same_process(int forks_then);

}  // namespace goban
