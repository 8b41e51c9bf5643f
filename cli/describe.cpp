#include <memory>
#include <ostream>

#include "cli/context.hpp"
#include "goban/io/case_print.hpp"
#include "goban/io/case_read.hpp"

namespace goban::cli {
namespace {

struct Options {
  std::string subject;
  std::vector<std::string> overrides;
};

int describe_application(const Context& context, const Application& application) {
  context.out << application.name() << ": " << application.summary() << "\n\n"
              << key_table(schema_of(application));
  return 0;
}

}  // namespace

void add_describe(CLI::App& root, Context& context) {
  CLI::App* command =
      root.add_subcommand("describe", "The keys of an application; what a case will do");
  auto options = std::make_shared<Options>();
  command->add_option("subject", options->subject, "Name of an application, or a case file")
      ->type_name("APP|CASE.toml")
      ->required();
  command->add_option("overrides", options->overrides, "Keys of the case with other values")
      ->type_name("key=value");
  command->callback([&context, options] {
    context.action = [&context, options] {
      const Application* application = find_application(context, options->subject);
      return describe_application(context, *application);
    };
  });
}

}  // namespace goban::cli
