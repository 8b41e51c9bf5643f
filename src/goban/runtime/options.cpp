#include "goban/runtime/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/domain/transport/mpi_loader.hpp"
#include "goban/io/case_common.hpp"
#include "goban/io/case_names.hpp"
#include "goban/simulation/options.hpp"

namespace goban {
namespace {

const std::string prefix = "--goban-";

/// An option and what it was given.
struct Given {
  std::string name, value;

  [[noreturn]] void refuse(const std::string& expected) const {
    throw Error(ExitCode::usage, prefix + name + "=" + value + " is refused",
                expected + " is expected");
  }
  Index number(Index least) const { return number_of(value, least); }
  Index number_of(const std::string& text, Index least) const {
    std::size_t used = 0;
    Index number = least - 1;
    try {
      number = std::stoll(text, &used);
    } catch (const std::logic_error&) {
      used = 0;
    }
    if (used != text.size() || number < least) {
      refuse("a whole number of at least " + std::to_string(least));
    }
    return number;
  }
  /// The one that has this name.
  template <class Named>
  Named one_of(std::initializer_list<Named> values) const {
    std::vector<std::string> names;
    for (const Named named : values) {
      if (value == name_of(named)) return named;
      names.emplace_back(name_of(named));
    }
    refuse("one of " + joined(names));
  }
};

void set_patches(Settings& settings, const Given& given) {
  if (given.value == "auto") {
    settings.patches = {0, 0, 0};
    return;
  }
  std::istringstream text(given.value);
  std::vector<Index> counts;
  for (std::string piece; std::getline(text, piece, ',');) {
    counts.push_back(given.number_of(piece, 1));
  }
  if (counts.size() != 3 || given.value.back() == ',') given.refuse("X,Y,Z or auto");
  std::copy(counts.begin(), counts.end(), settings.patches.begin());
}

void set_cuts(Settings& settings, const Given& given) {
  if (std::count(given.value.begin(), given.value.end(), ';') != 2) {
    given.refuse("the cells of patches along x;y;z, as 30,34;;");
  }
  std::istringstream text(given.value);
  for (std::string& axis : settings.cuts) {
    axis.clear();
    std::getline(text, axis, ';');
  }
}

void set_overlap(Settings& settings, const Given& given) {
  const std::vector<std::string> words{"auto", "none", "one-kernel", "two-kernel"};
  if (std::find(words.begin(), words.end(), given.value) == words.end()) {
    given.refuse("one of " + joined(words));
  }
  settings.overlap = overlap_named(given.value);
}

void set_speeds(Settings& settings, const Given& given) {
  const std::string expected = "a list of positive numbers, 1,3,10,";
  std::istringstream text(given.value);
  settings.speeds.clear();
  for (double speed = 0; text >> speed; text.ignore(1)) {
    if (speed <= 0 || (!text.eof() && text.peek() != ',')) given.refuse(expected);
    settings.speeds.push_back(speed);
  }
  if (settings.speeds.empty() || !text.eof()) given.refuse(expected);
}

void set_restart(Settings& settings, const Given& given) {
  restart_named(given.value);
  settings.restart = given.value;
}

int number_or_auto(const Given& given, int automatic) {
  if (given.value == "auto") return automatic;
  const Index number = given.number(0);
  constexpr int most = 1'000'000;
  if (number > most) given.refuse("a number of at most " + std::to_string(most));
  return static_cast<int>(number);
}

struct Option {
  const char* name;
  const char* values;
  const char* meaning;
  void (*set)(Settings& settings, const Given& given);
  const char* alone = nullptr;  ///< what it means without a value; null: it must have one
};

constexpr Option options[] = {
    {"restart", "[=STEP]",
     "go on from the newest good checkpoint, or from that of a step; without any, from the "
     "beginning",
     set_restart, "newest"},
    {"devices", "cpu|cuda|cuda:0,1|cuda+cpu", "what computes",
     [](Settings& s, const Given& g) { choose_devices(s, g.value); }},
    {"threads", "N|auto", "CPU threads; auto: all cores of the process",
     [](Settings& s, const Given& g) { s.threads = number_or_auto(g, 0); }},
    {"patches", "X,Y,Z|auto", "patches along the axes; auto: the grid predicted to be fastest",
     set_patches},
    {"cuts", "\"30,34;;\"", "cells of each patch along x;y;z; an empty axis is cut evenly",
     set_cuts},
    {"steps-per-exchange", "R|auto", "time steps between exchanges of halos; auto: tried",
     [](Settings& s, const Given& g) { s.steps_per_exchange = number_or_auto(g, 0); }},
    {"temporal-blocking", "auto|on|off|N",
     "time steps per pass through the cache; auto: tried; on is 4",
     [](Settings& s, const Given& g) {
       s.temporal_blocking = g.value == "off" ? 0 : g.value == "on" ? 4 : number_or_auto(g, -1);
     }},
    {"overlap", "auto|none|one-kernel|two-kernel", "computing while halos travel", set_overlap},
    {"transport", "auto|peer|nccl|mpi|host",
     "how halos go from rank to rank: GPU to GPU, NCCL, an MPI that takes GPU memory, the host",
     [](Settings& s, const Given& g) { s.transport = transport_named(g.value); }},
    {"halo-precision", "full|single|half",
     "what halos are rounded to between ranks; results then depend on the ranks",
     [](Settings& s, const Given& g) { s.halo_precision = halo_precision_named(g.value); }},
    {"balance", "choose|keep|off",
     "cuts between devices of different speed move; choose: a CPU that slows is left out",
     [](Settings& s, const Given& g) {
       s.balance = g.one_of({Balance::off, Balance::keep, Balance::choose});
     }},
    {"launches", "tuned|anew|preset|\"2x4 32x8x1 slabs\"",
     "how GPUs are given sweeps: tried once and remembered, tried again, never tried, one way",
     [](Settings& s, const Given& g) { s.launches = g.value; }},
    {"machine", "FILE|NAME", "what the performance model knows of the machine: a machine file",
     [](Settings& s, const Given& g) { s.machine = g.value; }},
    {"seed", "N", "of random numbers in functors",
     [](Settings& s, const Given& g) { s.seed = static_cast<std::uint64_t>(g.number(0)); }},
    {"trace", "FILE", "writes what ran when, for ui.perfetto.dev",
     [](Settings& s, const Given& g) { s.trace = g.value; }},
    {"backend", "cpu|reference|emulated",
     "kernels: packs, one cell at a time, the definition (slow), emulated devices",
     [](Settings& s, const Given& g) {
       s.backend = g.one_of({Backend::cpu, Backend::reference, Backend::emulated});
     }},
    {"recompute", "on|off", "computes stages again in halos instead of exchanging them",
     [](Settings& s, const Given& g) {
       if (g.value != "on" && g.value != "off") g.refuse("on or off");
       s.recompute = g.value == "on";
     }},
    {"link", "50us,1GB/s|off", "makes messages between ranks slow, for experiments",
     [](Settings& s, const Given& g) { s.link = link_named(g.value); }},
    {"speeds", "1,3,10", "of emulated devices in turn; 1 is ten million updates a second",
     set_speeds},
    {"delay", "MICROSECONDS", "longest random delay of an operation of emulated devices",
     [](Settings& s, const Given& g) { s.delay_microseconds = static_cast<int>(g.number(0)); }},
    {"delay-seed", "N", "of these delays",
     [](Settings& s, const Given& g) { s.delay_seed = static_cast<std::uint64_t>(g.number(0)); }},
};

const Option& option_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Option& option : options) {
    if (option.name == name) return option;
    names.emplace_back(option.name);
  }
  const std::string near = nearest_name(name, names);
  throw Error(ExitCode::usage, "unknown option " + prefix + name, "",
              near.empty() ? "see " + prefix + "help" : did_you_mean(prefix + near));
}

std::string environment_name(const std::string& option) {
  std::string name = "GOBAN_" + option;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return name;
}

}  // namespace

void set_option(Settings& settings, const std::string& name, const std::string& value) {
  option_named(name).set(settings, {name, value});
}

std::string options_text() {
  std::string text =
      "Options of every goban program; the environment variable GOBAN_THREADS stands for\n"
      "--goban-threads, and so on. Results do not depend on them but on --goban-seed and\n"
      "--goban-halo-precision.\n";
  for (const Option& option : options) {
    const char* gap = option.alone == nullptr ? " " : "";
    text += fmt::format("  {}{}{}{}\n      {}\n", prefix, option.name, gap, option.values,
                        option.meaning);
  }
  return text + "  --goban-help\n      prints this\n";
}

Settings settings_from(int& argc, char** argv) {
  Settings settings;
  for (const Option& option : options) {
    if (const char* value = std::getenv(environment_name(option.name).c_str())) {
      set_option(settings, option.name, value);
    }
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
    const Option& option = option_named(name);
    std::string value;
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (option.alone != nullptr) {
      value = option.alone;
    } else {
      require(i + 1 < argc, prefix + name + " has no value", std::string(option.meaning),
              "write " + prefix + name + " " + option.values);
      value = argv[++i];
    }
    set_option(settings, name, value);
  }
  if (argc > 0) {
    argc = kept;
    argv[argc] = nullptr;
  }
  return settings;
}

}  // namespace goban
