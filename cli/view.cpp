#include "cli/view.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/earlier_run.hpp"
#include "cli/examples.hpp"
#include "cli/follow_run.hpp"
#include "goban/base/error.hpp"
#include "goban/base/printable.hpp"
#include "goban/io/picture/canvas.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

std::string view_footer(const Context& context) {
  return "\n"
         "Without --out the picture appears in the terminal. These options go together:\n"
         "  a plane     all but --line and --profile; --smooth, --vertical-exaggeration,\n"
         "              --contours and --streamlines need --out\n"
         "  a line      --field, --component, --magnitude, --index, --position, --range, --out;\n"
         "              --index and --position take the other axes in the order x, y, z, without\n"
         "              those of one layer\n"
         "  a profile   the options of a line, without --index and --position\n"
         "  surfaces    --field, --component, --magnitude, --from, --vertical-exaggeration,\n"
         "              --out\n"
         "  a series    (a .csv file) --field, --range, --out; there is a frame for each unit\n"
         "--live shows no file: it serves a page that follows a run by its folder, as of a batch\n"
         "job.\n" +
         examples(context, {{"GOBAN view OUT", "newest snapshot, middle plane"},
                            {"GOBAN view OUT --axis x --index 10 --out slice.png"},
                            {"GOBAN view OUT --axis y --position \"2 mm\" --colors thermal"},
                            {"GOBAN view OUT --line x", "values along x through the middle"},
                            {"GOBAN view OUT --line y --position \"2 mm,1 mm\"", "at this x and z"},
                            {"GOBAN view OUT --profile z", "means over planes across z"},
                            {"GOBAN view OUT --contours 310,330 --out lines.png"},
                            {"GOBAN view OUT --isosurface 320 --out surface.png"},
                            {"GOBAN view SERIES", "the numbers of the run over time"}});
}

bool is_snapshot(const fs::path& file) {
  return file.extension() == ".vtkhdf" || file.extension() == ".npy";
}

/// What lies in a folder and those below it. A run that goes on renames and removes files
/// meanwhile: what has gone is left out.
std::vector<fs::directory_entry> entries_below(const fs::path& folder) {
  std::vector<fs::directory_entry> all;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    all.push_back(*entry);
    std::error_code gone;
    const bool is_hidden = entry->path().filename().string().starts_with(".");
    if (is_hidden || !entry->is_directory(gone) || entry->is_symlink(gone)) continue;
    for (auto& below : entries_below(entry->path())) all.push_back(std::move(below));
  }
  return all;
}

/// What is shown first: snapshots of whole fields, then those of planes and statistics, then
/// series.
int rank_of(const fs::path& file) {
  if (!is_snapshot(file)) return 0;
  const std::string name = file.filename().string();
  // What a function of a script has returned has no name of a field behind the step.
  const std::string number = file.stem().extension().string();
  const bool is_array = file.extension() == ".npy" && number.size() > 1 &&
                        number.find_first_not_of("0123456789", 1) == std::string::npos;
  const bool is_other = is_array || name.find("_plane_") != std::string::npos ||
                        name.find("_statistics.") != std::string::npos;
  return is_other ? 1 : 2;
}

/// The newest file of a run that can be shown, of those that are shown first.
fs::path newest_in(const fs::path& folder) {
  fs::path newest;
  std::pair<int, fs::file_time_type> best{};
  for (const fs::directory_entry& entry : entries_below(folder)) {
    std::error_code gone;
    if (!is_snapshot(entry.path()) && entry.path().extension() != ".csv") continue;
    if (!entry.is_regular_file(gone)) continue;
    const std::pair rank{rank_of(entry.path()), entry.last_write_time(gone)};
    if (gone) continue;
    if (newest.empty() || rank > best || (rank == best && entry.path() > newest)) {
      newest = entry.path();
      best = rank;
    }
  }
  if (newest.empty()) {
    throw Error(ExitCode::files, "nothing to show in " + folder.string(),
                "it holds neither snapshots nor series",
                "give the case [output.snapshots] or [output.series]");
  }
  return newest;
}

int view(const Context& context, const ViewOptions& options) {
  if (!options.live.empty()) {
    require_fit(options, "--live", {"--live"});
    return follow_run(context, options.file, options.live == "true" ? "auto" : options.live);
  }
  if (!options.out.empty()) {
    picture_format(options.out);
    require_pictures();
  }
  if (!fs::exists(options.file)) {
    throw Error(ExitCode::files, "cannot read " + options.file, "no such file or folder");
  }
  const fs::path file =
      fs::is_directory(options.file) ? newest_in(options.file) : fs::path(options.file);
  if (const std::string death = death_of(options.file); !death.empty())
    context.err << printable(death) << "\n";
  if (file.extension() == ".csv") return show_series(context, options, file);
  if (!is_snapshot(file)) {
    throw Error(ExitCode::usage, "cannot show " + file.string(), "it is of an unknown kind",
                "name a .vtkhdf, .npy or .csv file, or the folder of a run");
  }
  return show_snapshot(context, options, read_snapshot(file));
}

/// CLI11 repeats the choices in the help unless the validator has no description.
CLI::Validator one_of(const std::vector<std::string>& choices) {
  CLI::Validator validator = CLI::IsMember(choices);
  return validator.description("");
}

}  // namespace

void add_view(CLI::App& root, Context& context) {
  CLI::App* command =
      root.add_subcommand("view", "Show a slice, a curve or a surface of an output file");
  auto options = std::make_shared<ViewOptions>();
  command->add_option("file", options->file, "A .vtkhdf, .npy or .csv file, or a run's folder")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--field", options->field,
                   "Name of the field (default: the first), or column of a series (default: all)")
      ->type_name("NAME");
  CLI::Option* component =
      command->add_option("--component", options->component, "Component of the field")
          ->type_name("N");
  command
      ->add_flag("--magnitude", options->magnitude, "Magnitude of all components, in place of one")
      ->excludes(component);
  command
      ->add_option("--axis", options->axis,
                   "Normal of the plane (default z, or the axis with one layer of cells)")
      ->check(one_of({"x", "y", "z"}))
      ->type_name("x|y|z");
  CLI::Option* index =
      command
          ->add_option("--index", options->index,
                       "Cell layer of the plane (default: the middle); for a line two layers")
          ->type_name("N[,N]");
  command
      ->add_option("--position", options->position,
                   "Place of the plane or line as coordinates, in place of --index")
      ->type_name("LENGTH[,LENGTH]")
      ->excludes(index);
  command->add_option("--line", options->line, "Show a curve along this axis in place of a plane")
      ->check(one_of({"x", "y", "z"}))
      ->type_name("x|y|z");
  command
      ->add_option("--profile", options->profile,
                   "Show the means over planes across this axis as a curve")
      ->check(one_of({"x", "y", "z"}))
      ->type_name("x|y|z");
  command->add_option("--contours", options->contours, "Draw lines where a plane has these values")
      ->delimiter(',')
      ->type_name("VALUE,...");
  command
      ->add_option("--streamlines", options->streamlines,
                   "Draw streamlines of a velocity on a plane: a field with a component for each "
                   "axis, or a field for each")
      ->type_name("NAME[,NAME,...]");
  command
      ->add_option(
          "--isosurface", options->isosurfaces,
          "Draw the surfaces on which the field has these values, seen from outside the box")
      ->delimiter(',')
      ->type_name("VALUE,...");
  command
      ->add_option("--from", options->from,
                   "Direction from which surfaces are seen: degrees around z (0 in front, 90 at "
                   "large x) and degrees above the horizon (default 30,25)")
      ->expected(2)
      ->delimiter(',')
      ->type_name("AROUND,ABOVE");
  command->add_option("--range", options->range, "Values at the ends of the colour bar or axis")
      ->expected(2)
      ->delimiter(',')
      ->type_name("LOW,HIGH");
  command
      ->add_option("--colors", options->colors,
                   "Colour map: sequential, thermal, diverging, grey, stones")
      ->check(one_of({"sequential", "thermal", "diverging", "grey", "stones"}))
      ->type_name("MAP");
  command->add_flag("--smooth", options->smooth, "Interpolate between cells");
  CLI::Option* mask =
      command
          ->add_option(
              "--mask", options->mask,
              "Name of a field; cells where it is not 0, such as those of bodies, are grey")
          ->type_name("NAME");
  command
      ->add_option("--mask-value", options->mask_value,
                   "Value of the mask whose cells are grey, in place of all that are not 0")
      ->type_name("N")
      ->needs(mask);
  command
      ->add_option("--vertical-exaggeration", options->vertical_exaggeration,
                   "Factor by which lengths upwards are drawn longer")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("FACTOR");
  command
      ->add_option("--out", options->out,
                   "Write this picture: PNG, or SVG or PDF, which can be scaled")
      ->type_name("FILE.png|.svg|.pdf");
  command
      ->add_flag("--live", options->live,
                 "Serve a page that follows the run in a folder, at this port of 127.0.0.1 or Unix "
                 "socket (default: any free port), until Ctrl-C")
      ->option_text("[=PORT|SOCKET]");
  command->footer(view_footer(context));
  command->callback([&context, command, options] {
    for (const CLI::Option* option : command->get_options()) {
      if (option->count() > 0 && !option->get_lnames().empty()) {
        options->given.push_back("--" + option->get_lnames().front());
      }
    }
    context.action = [&context, options] { return view(context, *options); };
  });
}

}  // namespace goban::cli
