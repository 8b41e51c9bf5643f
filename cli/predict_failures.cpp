#include "cli/predict_failures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "goban/base/error.hpp"
#include "goban/base/named_numbers.hpp"
#include "goban/checkpoint/interval.hpp"
#include "goban/checkpoint/reliability.hpp"
#include "goban/simulation/report/progress.hpp"

namespace goban::cli {
namespace {

constexpr const char* nodes_and_bytes = "write nodes=384,mtbf=43200,bytes=1e9,local=4e8";

std::string duration(double seconds) {
  return seconds < 60 ? fmt::format("{:.3g} s", seconds) : format_duration(seconds);
}

void print_row(std::ostream& out, const std::string& level, const std::string& survives,
               double seconds, double chance, const NodeFailures& failures) {
  const double interval = young_interval(seconds, failures.mtbf);
  out << fmt::format("{:<12} {:<26} {:>9} {:>10} {:>7.1f}% {:>12.2g}%\n", level, survives,
                     duration(seconds), duration(interval),
                     100 * expected_waste(seconds, interval, failures.mtbf), 100 * chance);
}

}  // namespace

void print_failures(std::ostream& out, const std::string& text, const MachineRates& machine) {
  auto numbers = named_numbers(
      "--failures", text, {"nodes", "mtbf", "bytes", "local", "group", "lost", "repair", "run"},
      nodes_and_bytes);
  const auto refuse_unless = [&](bool holds, const std::string& why) {
    require(holds, "--failures " + text + " is refused", why, nodes_and_bytes);
  };
  for (const char* needed : {"nodes", "mtbf", "bytes", "local"}) {
    refuse_unless(numbers.count(needed) > 0, std::string(needed) + " is missing");
  }
  numbers.try_emplace("group", 8);
  numbers.try_emplace("lost", 2);
  for (const auto& [name, number] : numbers) refuse_unless(number > 0, name + " is 0");
  const double group = numbers["group"], lost = numbers["lost"];
  refuse_unless(group <= 255 && group == static_cast<int>(group), "groups have up to 255 nodes");
  refuse_unless(lost < group && lost == static_cast<int>(lost), "fewer are lost than a group has");
  refuse_unless(numbers["nodes"] >= group, "there are fewer nodes than in a group");
  require(machine.network.is_slow(), "--failures is refused",
          machine.name + " has no link between nodes", "name another --machine");
  NodeFailures failures;
  failures.nodes = numbers["nodes"];
  failures.mtbf = numbers["mtbf"];
  failures.bytes = numbers["bytes"];
  failures.local = numbers["local"];
  failures.network = machine.network.bytes_per_second;
  if (numbers.count("repair") > 0) failures.repair = numbers["repair"];
  if (numbers.count("run") > 0) failures.run = numbers["run"];
  out << fmt::format("{:.0f} nodes of {}, a failure every {}, a run of {}, repairs of {}\n\n",
                     failures.nodes, machine.name, duration(failures.mtbf), duration(failures.run),
                     duration(failures.repair));
  out << fmt::format("{:<12} {:<26} {:>9} {:>10} {:>8} {:>13}\n", "level", "survives the loss of",
                     "saving", "interval", "wasted", "run is lost");
  print_row(out, "local", "no node", seconds_of_local(failures), chance_to_lose(failures, 1, 0),
            failures);
  print_row(out, "copies", "a node between two others", seconds_of_copies(failures),
            chance_to_lose_copies(failures), failures);
  const auto nodes = static_cast<int>(group), losses = static_cast<int>(lost);
  print_row(out, fmt::format("parity {}+{}", nodes - losses, losses),
            fmt::format("{} of each {} nodes", losses, nodes),
            seconds_of_parity(failures, nodes, losses), chance_to_lose(failures, nodes, losses),
            failures);
}

}  // namespace goban::cli
