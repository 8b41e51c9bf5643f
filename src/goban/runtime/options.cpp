#include "goban/runtime/options.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "goban/base/error.hpp"
#include "goban/domain/ranks/mpi_loader.hpp"
#include "goban/io/case/check.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/case/setting_keys.hpp"
#include "goban/simulation/live/live_address.hpp"
#include "goban/simulation/options.hpp"

namespace goban {
namespace {

const std::string prefix = "--goban-";

/// Settings that no case has, because `goban run` has an option for them or nobody needs them
/// there.
void declare_program_settings(CaseSchema& schema) {
  schema.text("run.restart", "")
      .into(+[](Settings& settings, const std::string& word) {
        restart_named(word);
        settings.restart = word;
      })
      .shown_as("[=STEP]")
      .doc(
          "go on from the newest good checkpoint, or from that of a step; without any, from the "
          "beginning");
  schema.text("run.out", "")
      .into(+[](Settings& settings, const std::string& folder) {
        require(!folder.empty(), prefix + "out has no value", "it names the folder of the output",
                "write " + prefix + "out=DIR");
        settings.out = folder;
      })
      .shown_as("DIR")
      .doc(
          "folder of the output, in place of the one that the program names or out/NAME; {name} in "
          "it stands for the name of that one, where a program has several simulations");
  schema.text("run.live", "")
      .into(+[](Settings& settings, const std::string& at) {
        live_address(at);
        settings.live = at;
      })
      .shown_as("[=PORT|SOCKET]")
      .doc(
          "serves a page that shows the simulation in a browser, at a port of 127.0.0.1 or a Unix "
          "socket; default: any free port");
  schema.integers("run.predict")
      .between(1, 1e6)
      .length(1, 64)
      .optional()
      .into(+[](Settings& settings, const std::vector<Index>& devices) {
        settings.predict = devices;
      })
      .shown_as("N,N,...")
      .doc(
          "computes nothing, but prints how long the simulation would take on these numbers of "
          "devices of this machine or of --goban-machine");
  schema.key("run.trace", &Settings::trace)
      .shown_as("FILE")
      .doc("writes what ran when, for ui.perfetto.dev");
  schema.key("run.recompute", &Settings::recompute, {{"on", true}, {"off", false}})
      .doc("computes stages again in halos instead of exchanging them");
  schema.key("run.delay", &Settings::delay_microseconds)
      .at_least(0)
      .shown_as("MICROSECONDS")
      .doc("longest random delay of an operation of emulated devices");
  schema.key("run.delay_seed", &Settings::delay_seed).at_least(0).doc("seed of these delays");
}

const CaseSchema& options() {
  static const CaseSchema all = [] {
    CaseSchema schema;
    declare_machine(schema, "");
    declare_settings(schema);
    declare_program_settings(schema);
    return schema;
  }();
  return all;
}

const CaseKey& option_named(const std::string& name) {
  std::vector<std::string> names;
  for (const CaseKey& option : options().keys()) {
    names.push_back(option_of(option, ""));
    if (names.back() == name) return option;
  }
  const std::string near = nearest_name(name, names);
  throw Error(ExitCode::usage, "unknown option " + prefix + name, "",
              near.empty() ? "see " + prefix + "help" : did_you_mean(prefix + near));
}

void set(Settings& settings, const CaseKey& option, const std::string& value) {
  TomlValue word;
  word.kind = TomlValue::Kind::word;
  word.text = value;
  std::vector<ValueProblem> wrong;
  const CaseValue read = checked(option, typed(word, option), "", ".", wrong);
  require(wrong.empty(), option_of(option, prefix) + "=" + value + " is refused",
          option.allowed() + " is expected",
          "write " + option_of(option, prefix) + "=" + option.values());
  option.assign(&settings, read);
}

}  // namespace

void set_option(Settings& settings, const std::string& name, const std::string& value) {
  set(settings, option_named(name), value);
}

std::string options_text() {
  std::string text =
      "Options of every goban program; the environment variable GOBAN_THREADS stands for\n"
      "--goban-threads, and so on. Results do not depend on them but on --goban-seed,\n"
      "--goban-halo-precision and --goban-subnormals.\n";
  for (const CaseKey& option : options().keys()) {
    const std::string values = option.values();
    text += fmt::format("  {}{}{}\n      {}\n", option_of(option, prefix),
                        values.starts_with('[') ? "" : " ", values, option.doc());
  }
  return text + "  --goban-help\n      prints this\n";
}

Settings settings_from(int& argc, char** argv) {
  std::map<std::string, std::string> given;
  for (const CaseKey& option : options().keys()) {
    const char* const value = std::getenv(environment_name(option).c_str());
    if (value && *value) given[option.name()] = value;
  }
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (!word.starts_with(prefix)) {
      argv[kept++] = argv[i];
      continue;
    }
    word = word.substr(prefix.size());
    if (word == "help") {
      if (world_communicator()->rank() == 0) std::fputs(options_text().c_str(), stdout);
      std::exit(0);
    }
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const CaseKey& option = option_named(name);
    std::string& value = given[option.name()];
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (name == "restart" || name == "live") {
      value = name == "live" ? "auto" : "newest";
    } else {
      require(i + 1 < argc, prefix + name + " has no value", option.doc(),
              "write " + prefix + name + " " + option.values());
      value = argv[++i];
    }
  }
  if (argc > 0) {
    argc = kept;
    argv[argc] = nullptr;
  }
  Settings settings;
  for (const CaseKey& option : options().keys()) {
    const auto value = given.find(option.name());
    if (value != given.end()) set(settings, option, value->second);
  }
  return settings;
}

}  // namespace goban
