#pragma once
// Command lines that help shows, with the names of the program that shows them.

#include <initializer_list>
#include <string>

#include "cli/context.hpp"

namespace goban::cli {

struct Example {
  const char* command;  ///< GOBAN, APP, CASE, OUT and SERIES stand for names
  const char* doc = "";
};

/// "Examples:" and a line for each: of `goban` those of heat and its hotspot, of a program with one
/// application, as `goban new` writes it, its own.
std::string examples(const Context& context, std::initializer_list<Example> lines);

}  // namespace goban::cli
