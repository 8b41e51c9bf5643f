#include "goban/io/file/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "goban/io/file/atomic_file.hpp"

namespace goban {
namespace {

using Bar = Timeline::Bar;

constexpr std::string_view beginning = "{\"displayTimeUnit\":\"ns\",\n\"otherData\":";

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Viewers keep 0 for the system and take a thread whose number is that of its process for another.
int process_number(int process) { return 10 * (process + 1); }
int thread_number(const Bar& bar) {
  return process_number(bar.process) + 1 + static_cast<int>(bar.row);
}

std::string metadata(const char* what, int process, int thread, const std::string& arguments) {
  return fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{{}}}}})", what, process,
                     thread, arguments);
}

std::string arguments_of(const Bar& bar) {
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", name, value);
  };
  if (bar.step >= 0) add("step", std::to_string(bar.step));
  if (bar.kind == Timeline::Kind::pass) add("steps", std::to_string(bar.steps));
  if (bar.patch >= 0) add("patch", std::to_string(bar.patch));
  if (bar.cells > 0) add("cells", std::to_string(bar.cells));
  if (!bar.box.empty()) {
    const auto& [lower, upper] = bar.box;
    add("box", fmt::format("[[{},{},{}],[{},{},{}]]", lower[0], lower[1], lower[2], upper[0],
                           upper[1], upper[2]));
  }
  return text;
}

std::string event_of(const Bar& bar, Timeline::Time start) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  return fmt::format(
      R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})",
      quoted(bar.name), name_of(bar.kind), process_number(bar.process), thread_number(bar),
      Microseconds(bar.begin - start).count(), Microseconds(bar.end - bar.begin).count(),
      arguments_of(bar));
}

}  // namespace

std::filesystem::path trace_file_of_rank(const std::filesystem::path& path, int rank) {
  if (rank == 0) return path;
  const std::string name = path.stem().string() + ".rank" + std::to_string(rank);
  return path.parent_path() / (name + path.extension().string());
}

void check_trace_file(const std::filesystem::path& path) { prepare_file(path, beginning); }

void write_trace(const std::filesystem::path& path, const Timeline& timeline) {
  std::vector<const Bar*> bars;
  std::map<int, const Bar*> rows;  // by number of the thread
  for (const Bar& bar : timeline.bars()) {
    bars.push_back(&bar);
    rows.emplace(thread_number(bar), &bar);
  }
  // What lies within another bar comes after it.
  std::sort(bars.begin(), bars.end(), [](const Bar* a, const Bar* b) {
    return std::tuple(thread_number(*a), a->begin, b->end) <
           std::tuple(thread_number(*b), b->begin, a->end);
  });
  prepare_file(path, beginning);
  AtomicFile file(path);
  file.write(beginning);
  file.write(fmt::format("{{\"events\":{},\"left_out\":{},\"note\":{}}},\n\"traceEvents\":[",
                         bars.size(), timeline.left_out(), quoted(timeline.note())));
  const char* separator = "\n";
  const auto write = [&](const std::string& event) {
    file.write(separator);
    file.write(event);
    separator = ",\n";
  };
  for (const auto& [thread, bar] : rows) {
    const int process = process_number(bar->process);
    const auto& name = timeline.processes()[static_cast<std::size_t>(bar->process)];
    write(metadata("process_name", process, thread, "\"name\":" + quoted(name)));
    write(
        metadata("process_sort_index", process, thread, fmt::format("\"sort_index\":{}", process)));
    write(metadata("thread_name", process, thread,
                   fmt::format("\"name\":\"{}\"", name_of(bar->row))));
    write(metadata("thread_sort_index", process, thread, fmt::format("\"sort_index\":{}", thread)));
  }
  for (const Bar* bar : bars) write(event_of(*bar, timeline.start()));
  file.write("\n]}\n");
  file.commit();
}

}  // namespace goban
