// What `goban describe APP` says that outputs can show is what cases have.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "goban/io/case/read.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/application.hpp"
#include "goban/simulation/application/common_keys.hpp"
#include "goban/simulation/run/simulation.hpp"

namespace goban::shown_fields_test {
namespace {

const Application& application_named(const std::string& name) {
  const auto& all = applications();
  const auto named = [&](const KnownApplication& one) { return one.name == name; };
  return std::find_if(all.begin(), all.end(), named)->get();
}

/// "temperature [K]" and others, as describing the case lists them.
std::set<std::string> shown_by(const std::string& app, const std::string& path,
                               const std::vector<std::string>& changes) {
  const Application& application = application_named(app);
  CaseSchema schema;
  application.declare(schema);
  const Case values = read_case(schema, std::string(GOBAN_SOURCE_DIR) + "/cases/" + path, changes);
  Runtime runtime(run_settings(values));
  const auto setup = application.setup(values, runtime);
  const std::string text = setup->simulation().describe(), begin = "fields that outputs can show: ";
  const auto at = text.find(begin);
  EXPECT_NE(at, std::string::npos) << path;
  std::set<std::string> names;
  std::string line = text.substr(at + begin.size(), text.find('\n', at) - at - begin.size()) + ", ";
  for (auto end = line.find(", "); end != std::string::npos; end = line.find(", ")) {
    names.insert(line.substr(0, end));
    line.erase(0, end + 2);
  }
  return names;
}

std::set<std::string> listed_of(const std::string& app) {
  std::set<std::string> names;
  for (const ShownField& field : application_named(app).fields()) {
    names.insert(field.name + (field.unit.empty() ? "" : " [" + field.unit + "]"));
  }
  return names;
}

/// Expects that the cases together show every field that the application lists.
void expect_all_listed(const std::string& app, const std::vector<std::string>& cases,
                       const std::vector<std::string>& changes = {}) {
  std::set<std::string> all;
  for (const std::string& path : cases) all.merge(shown_by(app, path, changes));
  EXPECT_EQ(all, listed_of(app)) << app;
}

TEST(ShownFields, OfEveryApplicationAreListed) {
  expect_all_listed("heat", {"heat/fins.toml", "heat/spheres.toml"});
  expect_all_listed("life", {"life/plate.toml"});
  expect_all_listed("flow", {"flow/heated_cavity.toml", "flow/channel.toml", "flow/cylinders.toml"},
                    {"flow.smagorinsky=0.1"});
  expect_all_listed("lbm", {"lbm/cavity.toml"});
  expect_all_listed("blood", {"blood/bifurcation.toml"});
  expect_all_listed("dendrite", {"dendrite/pulling.toml", "dendrite/karma_rappel.toml"});
  expect_all_listed("seismic", {"seismic/basin.toml"}, {"output.displacement=true"});
  expect_all_listed("atmosphere", {"atmosphere/squall_line.toml", "atmosphere/beta_drift.toml"});
}

}  // namespace
}  // namespace goban::shown_fields_test
