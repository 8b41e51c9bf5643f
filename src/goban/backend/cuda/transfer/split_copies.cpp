#include "goban/backend/cuda/transfer/split_copies.hpp"

#include <algorithm>

namespace goban::cuda {
namespace {

Index bytes_of(const CopyTask& task) {
  return task.target_box.volume() * static_cast<Index>(size_of(task.type));
}

/// Returns `count` layers of a copy along an axis, from layer `first` on.
CopyTask layers(const CopyTask& task, int axis, Index first, Index count) {
  CopyTask part = task;
  for (Box* box : {&part.source_box, &part.target_box}) {
    box->lower[axis] += first;
    box->upper[axis] = box->lower[axis] + count;
  }
  return part;
}

void add(const CopyTask& task, Index most_bytes, std::vector<CopyTask>& all) {
  if (task.target_box.empty()) return;
  const int middle = task.order[1], slow = task.order[2];
  const int axis = task.target_box.extent(slow) > 1 ? slow : middle;
  const Index extent = task.target_box.extent(axis);
  if (bytes_of(task) <= most_bytes || extent == 1) return all.push_back(task);
  const Index count = std::max<Index>(1, most_bytes / (bytes_of(task) / extent));
  for (Index first = 0; first < extent; first += count) {
    add(layers(task, axis, first, std::min(count, extent - first)), most_bytes, all);
  }
}

}  // namespace

std::vector<CopyTask> split_copies(const std::vector<CopyTask>& tasks, Index most_bytes) {
  std::vector<CopyTask> all;
  for (const CopyTask& task : tasks) add(task, most_bytes, all);
  return all;
}

}  // namespace goban::cuda
