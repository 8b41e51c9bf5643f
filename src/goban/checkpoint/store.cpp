#include "goban/checkpoint/store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "goban/base/error.hpp"

namespace goban {
namespace {

std::string places(const std::vector<CheckpointStore*>& stores) {
  std::string text;
  for (const CheckpointStore* store : stores) {
    text += (text.empty() ? "" : " and ") + store->place();
  }
  return text;
}

}  // namespace

CheckpointStore::~CheckpointStore() = default;

std::vector<StoredCheckpoint> checkpoints_in(const std::vector<CheckpointStore*>& stores) {
  std::vector<StoredCheckpoint> all;
  for (CheckpointStore* store : stores) {
    for (CheckpointEntry& entry : store->entries()) all.push_back({store, std::move(entry)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.entry.step > b.entry.step; });
  return all;
}

std::optional<CheckpointState> load_checkpoint(const std::vector<CheckpointStore*>& stores,
                                               const CheckpointChoice& choice,
                                               const CheckpointSubject& subject,
                                               const CheckpointLog& log, CheckpointStore** from) {
  std::vector<StoredCheckpoint> candidates = checkpoints_in(stores);
  if (choice.step) {
    std::erase_if(candidates, [&](const auto& one) { return one.entry.step != *choice.step; });
    if (candidates.empty()) {
      throw Error(ExitCode::no_checkpoint,
                  fmt::format("there is no checkpoint of step {}", *choice.step),
                  "in " + places(stores));
    }
  }
  for (const auto& [store, entry] : candidates) {
    try {
      CheckpointState state = store->restore(entry, subject, log);
      log(fmt::format("restarted from {}: step {}, time {}", entry.path.string(), state.step,
                      state.time));
      if (from != nullptr) *from = store;
      return state;
    } catch (const Error& error) {
      if (error.code() != ExitCode::no_checkpoint) throw;
      log(fmt::format("checkpoint {} is refused ({})", entry.path.string(), error.what()));
    }
  }
  if (candidates.empty()) return std::nullopt;
  throw Error(ExitCode::no_checkpoint, "no usable checkpoint in " + places(stores),
              fmt::format("{} found, {} refused", candidates.size(), candidates.size()),
              "start anew without a restart, or repair one");
}

}  // namespace goban
