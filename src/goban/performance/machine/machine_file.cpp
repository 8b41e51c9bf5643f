#include "goban/performance/machine/machine_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "goban/base/error.hpp"
#include "goban/io/case/toml.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

enum class Needed : std::uint8_t { yes, no };

/// A number of the file: how it is called, what it means, where it belongs.
struct MachineNumber {
  const char* table;
  const char* key;
  const char* meaning;
  double& (*of)(MachineRates&);
  Needed needed = Needed::no;
};

constexpr MachineNumber machine_numbers[] = {
    {"device", "single_precision", "operations a second",
     [](MachineRates& m) -> double& { return m.device.operations[0]; }, Needed::yes},
    {"device", "double_precision", "operations a second",
     [](MachineRates& m) -> double& { return m.device.operations[1]; }, Needed::yes},
    {"device", "integer", "operations a second",
     [](MachineRates& m) -> double& { return m.device.operations[2]; }, Needed::yes},
    {"device", "single_reads", "values of cells around read a second",
     [](MachineRates& m) -> double& { return m.device.reads[0]; }},
    {"device", "double_reads", "values of cells around read a second",
     [](MachineRates& m) -> double& { return m.device.reads[1]; }},
    {"device", "single_moves", "values of cells at hand read or written a second",
     [](MachineRates& m) -> double& { return m.device.moves[0]; }},
    {"device", "double_moves", "values of cells at hand read or written a second",
     [](MachineRates& m) -> double& { return m.device.moves[1]; }},
    {"device", "streams", "values a second from and to memory, of more than two fields",
     [](MachineRates& m) -> double& { return m.device.streams; }},
    {"device", "launch", "seconds a sweep takes beside its operations and bytes",
     [](MachineRates& m) -> double& { return m.device.launch; }},
    {"device", "gather", "seconds a value takes that is filled or packed at a row's end",
     [](MachineRates& m) -> double& { return m.device.gather; }},
    {"device", "gather_row", "seconds a row's end takes beside its values that are filled",
     [](MachineRates& m) -> double& { return m.device.gather_row; }},
    {"device", "gather_in_rows", "seconds a value takes that is filled or packed in rows",
     [](MachineRates& m) -> double& { return m.device.gather_in_rows; }},
    {"device", "end_sends", "seconds of a value that a sweep sends at a row's end",
     [](MachineRates& m) -> double& { return m.device.end_sends; }},
    {"device", "plane_sends", "seconds of a value that a sweep sends in rows and planes",
     [](MachineRates& m) -> double& { return m.device.plane_sends; }},
    {"device", "byte_sends", "seconds of a value of one byte sent at a row's end",
     [](MachineRates& m) -> double& { return m.device.byte_sends; }},
    {"device", "double_sends", "seconds of a value of eight bytes sent at a row's end",
     [](MachineRates& m) -> double& { return m.device.double_sends; }},
    {"device", "row", "seconds a row of a sweep takes beside its cells",
     [](MachineRates& m) -> double& { return m.device.row; }},
    {"device", "blocking_efficiency", "share of the model's rate that sweeps in passes reach",
     [](MachineRates& m) -> double& { return m.device.blocking_efficiency; }},
    {"device", "pass_step", "seconds a step of a pass takes beside its cells",
     [](MachineRates& m) -> double& { return m.device.pass_step; }},
    {"device", "pass_plane", "seconds a block of a pass takes for a plane and a step",
     [](MachineRates& m) -> double& { return m.device.pass_plane; }},
    {"device", "multiprocessors", "blocks of a pass at a time",
     [](MachineRates& m) -> double& { return m.device.multiprocessors; }},
    {"device", "overlap_exponent", "1: instructions and bytes one after the other; more: at once",
     [](MachineRates& m) -> double& { return m.device.overlap_exponent; }},
    {"device", "memory", "bytes", [](MachineRates& m) -> double& { return m.device.memory; }},
    {"device", "watts", "while it computes",
     [](MachineRates& m) -> double& { return m.device.watts; }},
    {"", "reduction", "seconds until the host has a sum over the cells of a device",
     [](MachineRates& m) -> double& { return m.reduction; }},
    {"", "run", "seconds until a run of stages begins, where a step has several",
     [](MachineRates& m) -> double& { return m.run; }},
    {"", "loop", "seconds a loop that a device repeats takes beside its rounds",
     [](MachineRates& m) -> double& { return m.loop; }},
    {"", "loop_round", "seconds a round of such a loop takes beside its commands",
     [](MachineRates& m) -> double& { return m.loop_round; }},
    {"", "loop_reduction", "seconds of a sum that stays on the device",
     [](MachineRates& m) -> double& { return m.loop_reduction; }},
    {"", "scalar", "seconds of a stage that computes numbers on the device",
     [](MachineRates& m) -> double& { return m.scalar; }},
    {"", "clock",
     "seconds until the host knows how long a step of the device was and begins the next",
     [](MachineRates& m) -> double& { return m.clock; }},
    {"", "price_per_node_hour", "in any currency",
     [](MachineRates& m) -> double& { return m.price_per_node_hour; }},
};

struct MachineLink {
  const char* name;
  const char* meaning;
  LinkModel MachineRates::*link;
};
constexpr MachineLink machine_links[] = {
    {"process", "between devices of one process", &MachineRates::process},
    {"peer", "between GPUs of a node that write to each other's memory", &MachineRates::peer},
    {"nccl", "between GPUs of a node by NCCL", &MachineRates::nccl},
    {"node", "between processes of a node through memory of the host", &MachineRates::node},
    {"network", "between nodes", &MachineRates::network},
    {"host_copy", "between memory of a device and of the host", &MachineRates::host_copy},
    {"disk", "from a node to files", &MachineRates::disk},
};

/// Reads values of a table and remembers which; what is left was not expected.
class MachineTable {
 public:
  MachineTable(const TomlValue* table, std::string path, const std::string& origin)
      : table_(table), path_(std::move(path)), origin_(origin) {}

  [[noreturn]] void refuse(const std::string& key, const std::string& why) const {
    throw Error(ExitCode::usage, fmt::format("machine file {} is refused", origin_),
                (path_.empty() ? key : path_ + "." + key) + " " + why,
                "goban calibrate makes a new one");
  }
  const TomlValue* find(const std::string& key) {
    read_.push_back(key);
    return table_ == nullptr ? nullptr : table_->find(key);
  }
  std::optional<double> number(const std::string& key) {
    const TomlValue* value = find(key);
    if (value == nullptr) return {};
    return number_in(*value, key);
  }
  double number_in(const TomlValue& value, const std::string& key) const {
    const bool is_integer = value.kind == TomlValue::Kind::integer;
    if (!is_integer && value.kind != TomlValue::Kind::real) refuse(key, "is no number");
    const double number = is_integer ? static_cast<double>(value.integer) : value.real;
    if (!std::isfinite(number)) refuse(key, "is not finite");
    if (number < 0) refuse(key, "is negative");
    return number;
  }
  std::string text(const std::string& key) {
    const TomlValue* value = find(key);
    if (value == nullptr) return {};
    if (value->kind != TomlValue::Kind::text) refuse(key, "is no text in quotes");
    return value->text;
  }
  bool flag(const std::string& key, bool fallback = false) {
    const TomlValue* value = find(key);
    if (value == nullptr) return fallback;
    if (value->kind != TomlValue::Kind::boolean) refuse(key, "is neither true nor false");
    return value->boolean;
  }
  int count(const std::string& key) {
    const TomlValue* value = find(key);
    if (value == nullptr) return 1;
    constexpr int most = 1000000;
    if (value->kind != TomlValue::Kind::integer || value->integer < 1 || value->integer > most) {
      refuse(key, fmt::format("is no whole number from 1 to {}", most));
    }
    return static_cast<int>(value->integer);
  }
  MachineTable table(const std::string& key) {
    const TomlValue* value = find(key);
    if (value != nullptr && value->kind != TomlValue::Kind::table) refuse(key, "is no table");
    return {value, path_.empty() ? key : path_ + "." + key, origin_};
  }
  void check_all_read() const {
    if (table_ == nullptr) return;
    for (const TomlValue& item : table_->items) {
      if (std::find(read_.begin(), read_.end(), item.key) == read_.end()) {
        refuse(item.key, "is not known");
      }
    }
  }

 private:
  const TomlValue* table_;
  std::string path_;
  const std::string& origin_;
  std::vector<std::string> read_;
};

std::vector<MemoryLevel> levels_in(MachineTable& device) {
  std::vector<MemoryLevel> levels;
  if (const TomlValue* caches = device.find("caches")) {
    if (caches->kind != TomlValue::Kind::list) device.refuse("caches", "is no list");
    for (const TomlValue& pair : caches->items) {
      if (pair.items.size() != 2) device.refuse("caches", "holds no pairs of bytes and rates");
      levels.push_back(
          {device.number_in(pair.items[0], "caches"), device.number_in(pair.items[1], "caches")});
      if (levels.back().capacity <= 0 || levels.back().bandwidth <= 0) {
        device.refuse("caches", "holds a number that is not positive");
      }
    }
  }
  const auto bandwidth = device.number("memory_bandwidth");
  if (!bandwidth || *bandwidth <= 0) device.refuse("memory_bandwidth", "must be positive");
  levels.push_back({.bandwidth = *bandwidth});
  return levels;
}

/// The numbers of a deviation, as they follow each other.
constexpr double SweepFeatures::*features_in_file[] = {
    &SweepFeatures::cells, &SweepFeatures::working_set, &SweepFeatures::reads,
    &SweepFeatures::moves, &SweepFeatures::value_bytes, &SweepFeatures::share,
    &SweepFeatures::steps};
constexpr const char* meaning_of_deviations =
    "Sweeps that were measured: cells, bytes of the working set, values read around a cell,\n"
    "# values moved, bytes of a value, share of instructions in the seconds of the rates above,\n"
    "# steps at a time, seconds measured to those of the rates.";

std::vector<Deviation> deviations_in(MachineTable& device) {
  constexpr const char* key = "deviations";
  std::vector<Deviation> deviations;
  const TomlValue* list = device.find(key);
  if (list == nullptr) return deviations;
  if (list->kind != TomlValue::Kind::list) device.refuse(key, "is no list");
  for (const TomlValue& numbers : list->items) {
    if (numbers.items.size() != std::size(features_in_file) + 1) {
      device.refuse(key, fmt::format("holds no lists of {}", std::size(features_in_file) + 1));
    }
    Deviation one;
    std::size_t n = 0;
    for (const auto feature : features_in_file) {
      one.of.*feature = device.number_in(numbers.items[n++], key);
    }
    one.ratio = device.number_in(numbers.items[n], key);
    for (const double positive :
         {one.of.cells, one.of.moves, one.of.value_bytes, one.of.steps, one.ratio}) {
      if (positive <= 0) device.refuse(key, "holds a number that is not positive");
    }
    deviations.push_back(one);
  }
  return deviations;
}

LinkModel link_in(MachineTable links, const MachineLink& link) {
  MachineTable table = links.table(link.name);
  const auto latency = table.number("latency"), bandwidth = table.number("bandwidth");
  if (latency.has_value() != bandwidth.has_value()) {
    table.refuse(latency ? "bandwidth" : "latency", "is missing");
  }
  table.check_all_read();
  if (!bandwidth) return {};
  if (*bandwidth <= 0) table.refuse("bandwidth", "must be positive");
  return {*latency, *bandwidth};
}

std::string number_text(double value) { return fmt::format("{:.6g}", value); }

/// TOML tells numbers that are no integers by a point or an exponent.
std::string real_text(double value) {
  const std::string text = number_text(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string in_quotes(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '"' || c == '\\' || c == '\n' ? '\'' : c;
  return '"' + safe + '"';
}

}  // namespace

MachineRates parse_machine(std::string_view text, const std::string& origin) {
  const TomlDocument document = parse_toml(text);
  if (const auto& wrong = document.problem)
    throw Error(ExitCode::usage, fmt::format("machine file {} is refused", origin),
                fmt::format("line {}: {}", wrong->where.line, wrong->problem), wrong->suggestion);
  MachineTable root(&document.root, "", origin);
  if (const int format = root.count("format");
      document.root.find("format") == nullptr || format != machine_file_format) {
    root.refuse("format", fmt::format("is not {}", machine_file_format));
  }
  MachineRates machine;
  machine.name = root.text("name");
  machine.source = root.text("source");
  machine.host = root.text("host");
  machine.is_quick = root.flag("quick");
  machine.devices_per_node = root.count("devices_per_node");
  machine.devices_per_network_link = root.count("devices_per_network_link");
  MachineTable device = root.table("device");
  machine.device.name = device.text("name");
  const std::string kind = device.text("kind");
  if (kind != "cpu" && kind != "gpu") device.refuse("kind", "is neither \"cpu\" nor \"gpu\"");
  machine.device.is_gpu = kind == "gpu";
  machine.device.levels = levels_in(device);
  machine.device.caches_planes = device.flag("caches_planes", true);
  machine.device.deviations = deviations_in(device);
  for (const MachineNumber& number : machine_numbers) {
    MachineTable& table = *number.table == '\0' ? root : device;
    const auto value = table.number(number.key);
    if (value) number.of(machine) = *value;
    if (number.needed == Needed::yes && (!value || *value <= 0)) {
      table.refuse(number.key, "must be positive");
    }
  }
  if (machine.device.overlap_exponent < 1) device.refuse("overlap_exponent", "is less than 1");
  if (machine.device.blocking_efficiency <= 0) {
    device.refuse("blocking_efficiency", "must be positive");
  }
  MachineTable links = root.table("link");
  for (const MachineLink& link : machine_links) {
    machine.*link.link = link_in(links, link);
    links.find(link.name);
  }
  links.check_all_read();
  device.check_all_read();
  root.check_all_read();
  return machine;
}

MachineRates read_machine(const std::filesystem::path& file) {
  return parse_machine(read_text(file, Index{1} << 20), file.string());
}

std::string machine_text(const MachineRates& machine) {
  MachineRates m = machine;
  std::string text = fmt::format(
      "# What goban knows of a machine, for its performance model.\n"
      "format = {}\nname = {}\nsource = {}\n",
      machine_file_format, in_quotes(m.name), in_quotes(m.source));
  if (!m.host.empty()) text += fmt::format("host = {}  # where it holds\n", in_quotes(m.host));
  if (m.is_quick) text += "quick = true  # measured in passing, by a first run\n";
  text += fmt::format(
      "devices_per_node = {}\n"
      "devices_per_network_link = {}  # that share a link between nodes\n",
      m.devices_per_node, m.devices_per_network_link);
  const auto add_numbers = [&](std::string_view table) {
    for (const MachineNumber& number : machine_numbers) {
      if (table != number.table || number.of(m) == 0) continue;
      text += fmt::format("{} = {}  # {}\n", number.key, real_text(number.of(m)), number.meaning);
    }
  };
  add_numbers("");
  text += fmt::format("\n[device]\nname = {}\nkind = \"{}\"\n", in_quotes(m.device.name),
                      m.device.is_gpu ? "gpu" : "cpu");
  text += fmt::format("memory_bandwidth = {}  # bytes a second, read and written\n",
                      real_text(m.device.memory_bandwidth()));
  std::string caches;
  for (std::size_t l = 0; l + 1 < m.device.levels.size(); ++l) {
    caches += fmt::format("{}[{}, {}]", l == 0 ? "" : ", ", real_text(m.device.levels[l].capacity),
                          real_text(m.device.levels[l].bandwidth));
  }
  text += fmt::format("caches = [{}]  # bytes and bytes a second, the fastest first\n", caches);
  if (!m.device.caches_planes) {
    text += "caches_planes = false  # every value that is read comes from memory\n";
  }
  add_numbers("device");
  if (!m.device.deviations.empty()) {
    text += fmt::format("# {}\ndeviations = [\n", meaning_of_deviations);
    for (const Deviation& one : m.device.deviations) {
      text += "  [";
      for (const auto feature : features_in_file) text += real_text(one.of.*feature) + ", ";
      text += fmt::format("{:.4f}],\n", one.ratio);
    }
    text += "]\n";
  }
  text += "\n# A message of s bytes takes latency + s / bandwidth: seconds, bytes a second.\n";
  for (const MachineLink& link : machine_links) {
    const LinkModel& model = m.*link.link;
    if (!model.is_slow()) continue;
    text += fmt::format("[link.{}]  # {}\nlatency = {}\nbandwidth = {}\n", link.name, link.meaning,
                        real_text(model.latency), real_text(model.bytes_per_second));
  }
  return text;
}

MachineRates machine_named(const std::string& file_or_name) {
  std::string names;
  for (const MachineText& shipped : shipped_machines()) {
    if (shipped.name == file_or_name) return parse_machine(shipped.text, shipped.name);
    names += (names.empty() ? "" : ", ") + shipped.name;
  }
  require(is_there(file_or_name), "there is no machine " + file_or_name,
          "it is neither a file nor one of " + names, "goban calibrate makes a file");
  return read_machine(file_or_name);
}

}  // namespace goban
