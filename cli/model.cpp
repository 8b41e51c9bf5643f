// goban model report: what was predicted beside what was measured, of many runs.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "cli/context.hpp"
#include "cli/examples.hpp"
#include "goban/base/error.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/json_file.hpp"
#include "goban/io/picture/curve_picture.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> folders;
  std::string out = "model.html";
};

/// Seconds; nothing where one of the two is not known.
struct Compared {
  double predicted = 0, measured = 0;
  /// Positive: predicted to take longer.
  double error() const { return predicted / measured - 1; }
};

enum Part { whole_loop, computing, halos, solvers, outputs, part_count };
constexpr const char* part_names[part_count] = {"loop", "compute", "halo", "solver", "output"};

struct ReportedRun {
  std::string file, name, cells, machine, way;
  std::array<std::optional<Compared>, part_count> part;
};

std::optional<Compared> compared(double predicted, double measured) {
  constexpr double least = 1e-6;  // seconds
  if (predicted < least || measured < least) return {};
  return Compared{predicted, measured};
}

/// What the file says of a run; none: it was run without prediction.
std::optional<ReportedRun> reported_run(const fs::path& file) {
  nlohmann::json summary = read_json(file);
  if (!summary.is_object() || !summary.contains("predicted_step")) return {};
  const nlohmann::json& step = summary["predicted_step"];
  if (!step.is_object()) return {};
  // After all trials; runs that ended before are compared as a whole.
  const nlohmann::json& steady = summary["steady"];
  const bool is_steady = steady.is_object();
  const auto steps = (is_steady ? steady : summary).at("steps").get<double>();
  const auto measured = [&](const char* what) {
    return is_steady ? steady.at(what).get<double>()
                     : summary.at("time_split").at(what).at("max").get<double>();
  };
  const auto of_step = [&](const char* what) { return steps * step.at(what).get<double>(); };
  ReportedRun run;
  run.file = file.string();
  run.name = summary.at("case").get<std::string>();
  const auto cells = summary.at("cells").get<Index3>();
  run.cells = fmt::format("{} x {} x {}", cells[0], cells[1], cells[2]);
  const auto devices = summary.at("devices").get<std::vector<std::string>>();
  const auto ranks = summary.at("ranks").get<int>();
  run.machine = devices.front();
  if (devices.size() > 1) run.machine += fmt::format(" and {} more", devices.size() - 1);
  if (ranks > 1) run.machine += fmt::format(", {} ranks", ranks);
  const auto pass = summary.at("steps_per_pass").get<int>();
  run.way = pass > 1
                ? fmt::format("{} steps a pass", pass)
                : fmt::format("R = {}, overlap {}", summary.at("steps_per_exchange").get<int>(),
                              summary.at("overlap").get<std::string>());
  run.part[whole_loop] =
      compared(of_step("seconds"),
               is_steady ? measured("seconds") : summary.at("loop_seconds").get<double>());
  const double computes = of_step("operations") + of_step("bytes") + of_step("launch");
  const bool is_seen = devices.front().starts_with("cpu");  // by the thread that measures
  if (is_seen) {
    run.part[computing] = compared(computes, measured("compute"));
    run.part[halos] = compared(of_step("seconds") - computes, measured("halo"));
  }
  if (is_steady) run.part[solvers] = compared(of_step("solver"), measured("solver"));
  const nlohmann::json& files = summary["predicted_output_seconds"];
  run.part[outputs] = compared(files.is_number() ? files.get<double>() : 0,
                               summary.at("time_split").at("output").at("max").get<double>());
  return run;
}

std::vector<ReportedRun> reported_runs(const std::vector<std::string>& folders) {
  std::vector<fs::path> files;
  for (const std::string& folder : folders) {
    require(fs::is_directory(folder), folder + " is no folder", "runs are looked for in it",
            "name folders of runs, or one that holds them");
    for (const fs::directory_entry& entry : entries_below(folder)) {
      if (entry.path().filename() == "summary.json") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<ReportedRun> runs;
  for (const fs::path& file : files) {
    if (auto run = reported_run(file)) runs.push_back(std::move(*run));
  }
  require(!runs.empty(), "there is nothing to report",
          fmt::format("none of {} summaries has a prediction", files.size()),
          "name folders of runs whose end report has a line \"model\"");
  return runs;
}

/// The errors of some runs: how many runs, the median of the errors' sizes, and the largest with
/// the run that has it.
struct Errors {
  std::size_t count = 0;
  double median = 0, worst = 0;
  std::string worst_file;
};

Errors errors_of(const std::vector<ReportedRun>& runs, Part part) {
  Errors errors;
  std::vector<double> sizes;
  for (const ReportedRun& run : runs) {
    if (!run.part[part]) continue;
    const double size = std::abs(run.part[part]->error());
    sizes.push_back(size);
    if (size >= errors.worst) errors.worst = size, errors.worst_file = run.file;
  }
  errors.count = sizes.size();
  if (sizes.empty()) return errors;
  std::sort(sizes.begin(), sizes.end());
  errors.median = 0.5 * (sizes[(sizes.size() - 1) / 2] + sizes[sizes.size() / 2]);
  return errors;
}

std::string picture_of(const std::vector<ReportedRun>& runs) {
  Curve equal{.label = "as predicted", .x = {}, .y = {}, .style = CurveStyle::dashed};
  Curve points{.label = "runs", .x = {}, .y = {}, .style = CurveStyle::points};
  for (const ReportedRun& run : runs) {
    if (!run.part[whole_loop]) continue;
    points.x.push_back(run.part[whole_loop]->measured);
    points.y.push_back(run.part[whole_loop]->predicted);
    for (const double end : {run.part[whole_loop]->measured, run.part[whole_loop]->predicted}) {
      equal.x.push_back(end);
      equal.y.push_back(end);
    }
  }
  std::sort(equal.x.begin(), equal.x.end());
  std::sort(equal.y.begin(), equal.y.end());
  const std::string svg = curve_picture({{.curves = {points, equal},
                                          .options = {.title = "time of all steps",
                                                      .x_name = "measured",
                                                      .x_unit = "s",
                                                      .y_name = "predicted",
                                                      .y_unit = "s",
                                                      .x_scale = AxisScale::logarithmic,
                                                      .y_scale = AxisScale::logarithmic}}},
                                        PictureFormat::svg);
  return svg.substr(svg.find("<svg"));  // what is before that belongs into files
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return safe;
}

std::string cell(const std::string& text) { return "<td>" + escaped(text) + "</td>"; }

std::string page(const std::vector<ReportedRun>& runs) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n<title>Predicted and "
      "measured</title>\n<style>body{font:15px sans-serif;margin:2em auto;max-width:75em}"
      "table{border-collapse:collapse}td,th{padding:.2em .7em;border-bottom:1px solid #ccc;"
      "text-align:left}svg{max-width:100%;height:auto}</style>\n"
      "<h1>Predicted and measured</h1>\n";
  text += fmt::format(
      "<p>{} runs. An error of +10 % says that a tenth more time was predicted than measured.</p>\n"
      "<table><tr><th>part<th>runs<th>median error<th>worst<th>of\n",
      runs.size());
  for (int part = whole_loop; part < part_count; ++part) {
    const Errors errors = errors_of(runs, static_cast<Part>(part));
    if (errors.count == 0) continue;
    text += "<tr>" + cell(part_names[part]) + cell(std::to_string(errors.count)) +
            cell(fmt::format("{:.1f} %", 100 * errors.median)) +
            cell(fmt::format("{:.1f} %", 100 * errors.worst)) + cell(errors.worst_file) + "\n";
  }
  text += "</table>\n" + picture_of(runs) +
          "\n<table><tr><th>case<th>cells<th>machine<th>way<th>measured<th>predicted";
  for (const char* name : part_names) text += std::string("<th>") + name;
  text += "<th>summary\n";
  for (const ReportedRun& run : runs) {
    text += "<tr>" + cell(run.name) + cell(run.cells) + cell(run.machine) + cell(run.way);
    text += cell(run.part[whole_loop] ? quantity_text(run.part[whole_loop]->measured, "s", 3) : "");
    text +=
        cell(run.part[whole_loop] ? quantity_text(run.part[whole_loop]->predicted, "s", 3) : "");
    for (const auto& part : run.part) {
      text += cell(part ? fmt::format("{:+.1f} %", 100 * part->error()) : "");
    }
    text += cell(run.file) + "\n";
  }
  return text + "</table>\n</html>\n";
}

int report(const Context& context, const ReportOptions& options) {
  const std::vector<ReportedRun> runs = reported_runs(options.folders);
  write_file(options.out, page(runs));
  context.out << fmt::format("{:<8}  {:>4}  {:>6}  {:>6}\n", "part", "runs", "median", "worst");
  for (int part = whole_loop; part < part_count; ++part) {
    const Errors errors = errors_of(runs, static_cast<Part>(part));
    if (errors.count == 0) continue;
    context.out << fmt::format("{:<8}  {:>4}  {:>5.1f}%  {:>5.1f}%  {}\n", part_names[part],
                               errors.count, 100 * errors.median, 100 * errors.worst,
                               errors.worst_file);
  }
  context.out << options.out << "\n";
  return 0;
}

}  // namespace

void add_model(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand("model", "Compare predictions with runs");
  command->require_subcommand(1);
  CLI::App* inner =
      command->add_subcommand("report", "Write a page of runs with predicted and measured times");
  auto options = std::make_shared<ReportOptions>();
  inner->add_option("folders", options->folders, "Folders of runs, or folders that hold some")
      ->type_name("DIR")
      ->required();
  inner->add_option("--out", options->out, "The page (default model.html)")->type_name("FILE.html");
  inner->callback([&context, options] {
    context.action = [&context, options] { return report(context, *options); };
  });
  command->footer(examples(context, {{"GOBAN model report out"}}));
}

}  // namespace goban::cli
