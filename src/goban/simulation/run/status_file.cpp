#include "goban/simulation/run/status_file.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/checkpoint/inventory.hpp"
#include "goban/checkpoint/nodes/record.hpp"
#include "goban/domain/watch/watch.hpp"
#include "goban/simulation/checkpointer/failure_count.hpp"
#include "goban/simulation/report/run_files.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

constexpr auto between_signs = std::chrono::minutes(1);

/// Says why the run quits at once, and cleans up, on a thread beside the run.
void quit_run(const fs::path& directory, const std::string& go_on) {
  const auto checkpoints = list_checkpoints(directory / "chk");
  const auto nodes = read_node_record(directory);
  const Index shared = checkpoints.empty() ? -1 : checkpoints.front().step;
  const Index on_nodes = nodes ? nodes->saved.value_or(-1) : -1;
  const std::string why =
      "SIGINT, twice: quit at once, " +
      (shared < 0 && on_nodes < 0 ? "there is no checkpoint"
       : on_nodes > shared
           ? fmt::format("go on from step {} or a later one on its nodes with {}", on_nodes, go_on)
           : fmt::format("go on from step {} with {}", shared, go_on));
  std::fputs(("\ngoban: " + why + "\n").c_str(), stderr);
  std::fflush(stderr);
  write_status(directory, "stopped: " + why);
  remove_unfinished(directory);
}

}  // namespace

StatusFile::StatusFile(fs::path directory, Writer writer, const std::string& go_on,
                       SignalWatch* signals)
    : directory_(std::move(directory)), writer_(writer), signals_(signals) {
  if (writer_ == Writer::none) return;
  if (writer_ == Writer::first) write_status(directory_, "running");
  Watch::set_last_words([directory = directory_, writer](const std::string& why) {
    if (why.empty() && writer != Writer::first) return;
    write_status(directory, "failed: " + (why.empty() ? "another rank has failed" : why));
    count_failure(directory);
  });
  if (writer_ == Writer::first && signals_ != nullptr) {
    signals_->set_last_words([directory = directory_, go_on] { quit_run(directory, go_on); });
  }
}

StatusFile::~StatusFile() { Watch::set_last_words(nullptr); }

void StatusFile::show_life() {
  const auto now = std::chrono::steady_clock::now();
  if (writer_ != Writer::first || now - last_sign_ < between_signs) return;
  last_sign_ = now;
  try {
    write_status(directory_, "running");
  } catch (const Error&) {  // as on a disk that will have room again
  }
}

void StatusFile::close() {
  Watch::set_last_words(nullptr);
  if (signals_ != nullptr) signals_->let_quit();
}

void StatusFile::write(const std::string& status) const {
  if (writer_ == Writer::first) write_status(directory_, status);
}

}  // namespace goban
