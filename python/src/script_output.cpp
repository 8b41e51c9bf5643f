#include "script_output.hpp"

#include <algorithm>
#include <exception>

#include "calls.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/simulation/output/numbered_files.hpp"

namespace goban::python {

struct ScriptFile {
  std::filesystem::path stem;  ///< without an ending; empty on ranks that write nothing
  std::filesystem::path made;  ///< what was written; empty: nothing
  std::exception_ptr failure;  ///< why it was not; thrown behind the function of the script

  template <class Write>
  void write(const char* ending, const Write& write_to) {
    if (stem.empty()) return;
    const std::filesystem::path path = stem.string() + ending;
    try {
      write_to(path);
      made = path;
    } catch (const Error&) {
      failure = std::current_exception();
    }
  }
};

namespace {

class ScriptOutput : public SimulationOutput {
 public:
  ScriptOutput(std::string name, FileFunction function, When when)
      : SimulationOutput(std::move(name), std::move(when)), function_(function) {}

  bool reads_anything() const override { return true; }
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string describe() const override { return "what a function returns, as NPY or CSV"; }

  void open(const RunPlace& place, std::optional<Index> keep_until) override {
    if (!place.writes) return;
    stem_ = place.directory / (place.name + "_" + name());
    if (keep_until) {
      files_ =
          keep_numbered(place.directory, stem_.filename().string(), {".npy", ".csv"}, *keep_until);
    }
  }

  void write(const Moment& moment) override {
    ScriptFile file;
    if (!stem_.empty()) file.stem = numbered_name(stem_.string(), moment.clock.step, "");
    require_success(function_(moment.clock.step, moment.clock.time, moment.clock.wall, &file));
    if (file.failure) std::rethrow_exception(file.failure);
    const bool is_new = std::find(files_.begin(), files_.end(), file.made) == files_.end();
    if (!file.made.empty() && is_new) files_.push_back(file.made);
  }

 private:
  FileFunction function_;
  std::filesystem::path stem_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace

std::unique_ptr<SimulationOutput> script_output(std::string name, FileFunction function,
                                                When when) {
  return std::make_unique<ScriptOutput>(std::move(name), function, std::move(when));
}

}  // namespace goban::python

/// `bytes`: of a whole file of NumPy.
GOBAN_PYTHON_CALL int goban_python_file_array(goban::python::ScriptFile* file, const char* bytes,
                                              std::int64_t count) {
  return goban::python::guarded([&] {
    file->write(".npy", [&](const std::filesystem::path& path) {
      goban::write_file(path, {bytes, static_cast<std::size_t>(count)});
    });
  });
}
/// `columns`: JSON, a pair of name and unit for each; `values`: column after column.
GOBAN_PYTHON_CALL int goban_python_file_table(goban::python::ScriptFile* file, const char* columns,
                                              const double* values, std::int64_t rows) {
  return goban::python::guarded([&] {
    std::vector<goban::CsvColumn> headings;
    std::vector<std::vector<double>> table;
    for (const auto& one : goban::python::Json::parse(columns)) {
      headings.push_back({one.at(0), one.at(1)});
      table.emplace_back(values, values + rows);
      values += rows;
    }
    file->write(".csv", [&](const std::filesystem::path& path) {
      goban::write_csv(path, headings, table);
    });
  });
}
