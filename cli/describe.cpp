#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/context.hpp"
#include "cli/examples.hpp"
#include "cli/tuned_case.hpp"
#include "goban/io/case/print.hpp"
#include "goban/io/case/read.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/common_keys.hpp"
#include "goban/simulation/run/simulation.hpp"

namespace goban::cli {
namespace {

struct DescribeOptions {
  std::string subject;
  std::vector<std::string> overrides;
  bool kernels = false;
};

int describe_application(const Context& context, const Application& application,
                         const std::vector<std::string>& sections) {
  if (!sections.empty()) {
    context.out << key_table(schema_of(application), sections);
    return 0;
  }
  context.out << application.name() << ": " << application.summary() << "\n\n"
              << key_table(schema_of(application));
  const std::vector<ShownField> fields = application.fields();
  if (!fields.empty())
    context.out
        << "\nfields that outputs can show (goban describe CASE.toml lists those of a case)\n";
  for (const ShownField& field : fields) {
    context.out << fmt::format("  {:<18} {:<9} {}\n", field.name,
                               field.unit.empty() ? "-" : field.unit, field.note);
  }
  return 0;
}

/// What every sweep of a program computes, as it was recorded.
void print_kernels(std::ostream& out, const Program& program) {
  for (const auto& stage : program.stages()) {
    if (stage->is_loop()) {
      print_kernels(out, *stage->body);
      if (stage->check) print_kernels(out, *stage->check);
    }
    if (!stage->is_sweep()) continue;
    std::vector<std::string> names;
    for (const StageArgument& argument : stage->arguments) {
      const bool is_result = argument.kind == StageArgument::Kind::value && !argument.parameter;
      names.push_back(is_result ? "result" : argument.name());
    }
    out << "// " << stage->name << ": " << stage->footprint.flops << " flops, "
        << stage->footprint.bytes_per_update() << " bytes a cell\n";
    if (!stage->columns) {
      out << text_of(*stage->graph, stage->footprint, names) << "\n";
      continue;
    }
    for (const auto* sweep : {&stage->columns->forward, &stage->columns->backward}) {
      if (!sweep->graph) continue;
      out << (sweep == &stage->columns->forward ? "// forward\n" : "// backward\n")
          << text_of(*sweep->graph, sweep->footprint, names) << "\n";
    }
  }
}

/// What is computed and how, without computing it.
int describe_case(const Context& context, const DescribeOptions& options) {
  const Application& application = application_for(context, options.subject, options.overrides);
  const Case values = case_of(application, options.subject, options.overrides);
  Runtime runtime(options.kernels ? run_settings(values)
                                  : tuned_settings(context, application, values));
  runtime.leave_fields_empty();
  const std::unique_ptr<Setup> setup = application.setup(values, runtime);
  if (options.kernels) {
    const auto* simulation = dynamic_cast<const Simulation*>(&setup->run());
    require(simulation != nullptr, "--kernels is refused",
            application.name() + " has no sweeps over a grid", "leave it out");
    print_kernels(context.out, simulation->program());
    return 0;
  }
  const std::string& title = values.text("title");
  context.out << values.name() << (title.empty() ? "" : ": " + title) << "\n"
              << application.name() << ": " << application.summary() << "\n"
              << runtime.description() << "\n\n"
              << setup->run().describe();
  return 0;
}

int describe(const Context& context, const DescribeOptions& options) {
  const bool is_file = options.subject.find_first_of("./") != std::string::npos;
  if (is_file) return describe_case(context, options);
  require(!options.kernels, "--kernels needs a case", "an application alone has no program",
          "name a case file");
  const Application* application = find_application(context, options.subject);
  if (application == nullptr) refuse_application(context, "", options.subject);
  return describe_application(context, *application, options.overrides);
}

}  // namespace

void add_describe(CLI::App& root, Context& context) {
  CLI::App* command =
      root.add_subcommand("describe", "Show the keys of an application, or what a case will do");
  auto options = std::make_shared<DescribeOptions>();
  command->add_option("subject", options->subject, "Name of an application, or a case file")
      ->type_name("APP|CASE.toml")
      ->required();
  command
      ->add_option("overrides", options->overrides,
                   "Sections of the application to print, such as output.picture; or keys of the "
                   "case with other values")
      ->type_name("SECTION|key=value");
  command->add_flag("--kernels", options->kernels,
                    "Show what every sweep computes at a cell, line by line, as it was recorded");
  command->footer(examples(context, {{"GOBAN describe APP"},
                                     {"GOBAN describe APP grid output.picture"},
                                     {"GOBAN describe CASE grid.cells=64,64,64"},
                                     {"GOBAN describe CASE --kernels"}}));
  command->callback([&context, options] {
    context.action = [&context, options] { return describe(context, *options); };
  });
}

}  // namespace goban::cli
