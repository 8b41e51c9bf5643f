#pragma once
// The table of the settings: their names, values, defaults and meanings. A setting is a key of
// [run] in cases, an option of `goban run`, and --goban-NAME and GOBAN_NAME of every program.

#include <string>
#include <vector>

#include "goban/grid/settings.hpp"
#include "goban/io/case/file.hpp"
#include "goban/io/case/schema.hpp"

namespace goban {

/// What computes, threads, how messages go: all settings of applications without a grid. `doc`: of
/// the section [run].
void declare_machine(CaseSchema& schema, const std::string& doc);
/// The other settings of programs on a grid.
void declare_settings(CaseSchema& schema);

/// Those of a case.
Settings run_settings(const Case& values);

/// "GOBAN_STEPS_PER_EXCHANGE" of the key run.steps_per_exchange.
std::string environment_name(const CaseKey& setting);

/// "run.threads=2", in the manner of the command line, for settings of `schema` that the
/// environment gives a value.
std::vector<std::string> settings_in_environment(const CaseSchema& schema);

/// "--steps-per-exchange" of the key run.steps_per_exchange.
std::string option_of(const CaseKey& setting, const std::string& prefix = "--");

}  // namespace goban
