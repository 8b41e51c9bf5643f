#include "cli/context.hpp"

#include <filesystem>

#include "goban/base/build_info.hpp"
#include "goban/base/error.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/case/setting_keys.hpp"

namespace goban::cli {

const Application* find_application(const Context& context, const std::string& name) {
  for (const KnownApplication& application : context.applications) {
    if (application.name == name) return &application.get();
  }
  return nullptr;
}

const Application& application_for(const Context& context, const std::string& file,
                                   const std::vector<std::string>& overrides) {
  if (!std::filesystem::exists(file) && find_application(context, file) != nullptr) {
    throw Error(ExitCode::usage, "cannot read case file " + file,
                "that is the name of an application, whose keys goban describe " + file + " lists",
                "name a case file, such as one of cases/" + file);
  }
  const std::string name = application_of(file, overrides);
  const Application* application = find_application(context, name);
  if (application == nullptr) refuse_application(context, file + ": ", name);
  return *application;
}

CaseSchema schema_of(const Application& application) {
  CaseSchema schema;
  application.declare(schema);
  return schema;
}

Case case_of(const Application& application, const std::string& file,
             const std::vector<std::string>& overrides, CaseOptions options) {
  const std::string name = std::filesystem::path(file).stem().string();
  require(name != "." && name != "..", file + " is refused as a case file",
          "results would go to out/" + name, "give it a name before its ending");
  const CaseSchema schema = schema_of(application);
  std::vector<std::string> all = settings_in_environment(schema);
  all.insert(all.end(), overrides.begin(), overrides.end());
  return read_case(schema, file, all, options);
}

void refuse_application(const Context& context, const std::string& where, const std::string& name) {
  std::vector<std::string> names;
  for (const KnownApplication& application : context.applications) {
    names.push_back(application.name);
  }
  throw Error(
      ExitCode::usage, where + "unknown application " + name,
      names.empty() ? "there are none in this program" : "the applications are " + joined(names),
      did_you_mean(nearest_name(name, names)));
}

std::string version_line() {
  const BuildInfo& info = build_info();
  return "goban " + std::string(info.version) + " (" + std::string(info.commit) + ")";
}

}  // namespace goban::cli
