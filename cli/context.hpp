#pragma once
// What every command gets, and what the commands share.

#include <CLI/CLI.hpp>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "goban/io/case/read.hpp"
#include "goban/simulation/application/application.hpp"

namespace goban::cli {

struct Context {
  std::string program;  ///< as typed by the user
  const std::vector<KnownApplication>& applications;
  std::ostream& out;
  std::ostream& err;
  std::vector<std::string> arguments;  ///< as typed, after the program
  std::function<int()> action;         ///< what the chosen command does; returns the exit code
  bool is_for_ranks = false;           ///< all ranks do it together
};

// Each adds one command to the root, in a file of its own name.
void add_run(CLI::App& root, Context& context);
void add_apps(CLI::App& root, Context& context);
void add_describe(CLI::App& root, Context& context);
void add_calibrate(CLI::App& root, Context& context);
void add_predict(CLI::App& root, Context& context);
void add_tune(CLI::App& root, Context& context);
void add_model(CLI::App& root, Context& context);
void add_precompile(CLI::App& root, Context& context);
void add_new(CLI::App& root, Context& context);
void add_view(CLI::App& root, Context& context);
void add_bench(CLI::App& root, Context& context);
void add_doctor(CLI::App& root, Context& context);
void add_checkpoint(CLI::App& root, Context& context);
void add_test(CLI::App& root, Context& context);

/// The application of this name; null: there is none.
const Application* find_application(const Context& context, const std::string& name);

/// The application a case file names and its keys. Errors: an unknown application.
const Application& application_for(const Context& context, const std::string& file,
                                   const std::vector<std::string>& overrides);

CaseSchema schema_of(const Application& application);

/// The case in a file, with the settings of the environment and, of more weight, the overrides.
Case case_of(const Application& application, const std::string& file,
             const std::vector<std::string>& overrides, CaseOptions options = {});

/// Throws Error(usage) that lists the applications and names the nearest.
[[noreturn]] void refuse_application(const Context& context, const std::string& where,
                                     const std::string& name);

/// "goban 0.1.0 (38a3262f1b2c)".
std::string version_line();

}  // namespace goban::cli
