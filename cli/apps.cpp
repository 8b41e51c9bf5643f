#include <ostream>

#include "cli/context.hpp"
#include "goban/base/error.hpp"

namespace goban::cli {
namespace {

std::string summary_of(const KnownApplication& application) {
  try {
    return application.get().summary();
  } catch (const Error&) {  // not built yet, or of another build
    return application.title + " (is built when a case first names it)";
  }
}

int list_applications(const Context& context) {
  std::size_t width = 0;
  for (const KnownApplication& application : context.applications) {
    width = std::max(width, application.name.size());
  }
  for (const KnownApplication& application : context.applications) {
    std::string name = application.name;
    name.resize(width + 2, ' ');
    context.out << name << summary_of(application) << "\n";
  }
  if (context.applications.empty()) context.out << "this program has no applications\n";
  return 0;
}

}  // namespace

void add_apps(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand("apps", "The applications there are");
  command->callback(
      [&context] { context.action = [&context] { return list_applications(context); }; });
}

}  // namespace goban::cli
