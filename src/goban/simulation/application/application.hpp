#pragma once
// What an application tells the command line: its name, its keys, and how a case becomes a run.

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace goban {

class Case;
class CaseSchema;
class Run;
class Runtime;
class Simulation;

/// One case made ready to run. In most applications it owns the grid, the fields, the program and
/// the simulation, which knows its outputs (add_outputs) and its results (Simulation::results).
class Setup {
 public:
  virtual ~Setup();
  /// The simulation, unless the case computes something else than steps of a grid.
  virtual Run& run();
  /// std::logic_error: the case has none.
  virtual Simulation& simulation();
};

/// What outputs of an application can show: pictures, snapshots, probes, lines, planes, statistics.
struct ShownField {
  std::string name;
  std::string unit;  ///< empty: a pure number
  std::string note;  ///< what it is and of which cases; may be empty
};

/// Stateless; there is one object of it, returned by <app>_application().
class Application {
 public:
  virtual ~Application();
  /// As in `app = "heat"` of a case file.
  virtual std::string name() const = 0;
  /// One line: what it computes.
  virtual std::string summary() const = 0;
  /// Declares every key of its cases, the common sections included (declare_common).
  virtual void declare(CaseSchema& schema) const = 0;
  /// The fields of all its cases together: a case has some of them.
  virtual std::vector<ShownField> fields() const { return {}; }
  /// Declares grid, fields and program as the case says; storage is made when the run starts.
  /// Errors (ExitCode::usage): values that do not fit together, by Case::error.
  virtual std::unique_ptr<Setup> setup(const Case& values, Runtime& runtime) const = 0;
};

/// Part of this program, or a module that is loaded when it is first asked for.
struct KnownApplication {
  std::string name;
  std::function<const Application&()> get;  ///< Errors: those of load_application()
  std::string title;                        ///< what a module computes, known before it is built
};

/// The applications of this program, sorted by name; the build writes it.
const std::vector<KnownApplication>& applications();

}  // namespace goban
