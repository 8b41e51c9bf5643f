#pragma once
// Standard input, output and error of a process that was started without some of them.

namespace goban {

/// Gives the numbers 0 to 2 that are closed to /dev/null, opened so that reading or writing goes on
/// to fail. Otherwise the next file that is opened gets such a number, and with it what is meant
/// for the terminal.
void reserve_standard_streams();

}  // namespace goban
