#include "goban/backend/cuda/launch/bundle_part.hpp"

#include <algorithm>
#include <set>

namespace goban::cuda {
namespace {

/// Returns whether `copy` includes all that `other` copies.
bool covers(const CopyTask& copy, const CopyTask& other) {
  const auto way = [](const CopyTask& task) {
    return task.target_box.lower - task.source_box.lower;
  };
  return copy.source.read == other.source.read && copy.target.write == other.target.write &&
         copy.source_box.contains(other.source_box) && way(copy) == way(other);
}

}  // namespace

std::vector<bool> changing_fields(const std::vector<BundlePart>& parts) {
  std::set<const std::byte*> written;
  const auto visit = [&](auto&& see) {
    for (const BundlePart& part : parts) {
      const auto& arguments = part.task->stage->arguments;
      for (std::size_t a = 0; a < arguments.size(); ++a) {
        see(arguments[a].field && arguments[a].access == Access::in,
            arguments[a].field && arguments[a].access != Access::in, part.call.fields[a]);
      }
    }
  };
  visit([&](bool, bool writes, const FieldBinding& field) {
    if (writes) written.insert(field.write);
  });
  std::vector<bool> all;
  visit([&](bool reads, bool, const FieldBinding& field) {
    all.push_back(reads && written.count(field.read) > 0);
  });
  return all;
}

bool has_short_offsets(const BundlePart& part) {
  constexpr Index reach = 64, most = Index{1} << 31;
  const auto& parameters = part.kernels->subject().footprint->parameters;
  const Box& box = part.task->box;
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    const FieldBinding& field = part.call.fields[a];
    Index elements = parameters[a].components * field.component_stride;
    for (int axis = 0; axis < 3; ++axis) {
      const Index cells = std::max(std::abs(box.lower[axis]), std::abs(box.upper[axis])) + reach;
      elements += cells * field.stride[static_cast<std::size_t>(axis)];
    }
    if (elements >= most) return false;
  }
  return true;
}

std::vector<CopyTask> sends_of(const std::vector<BundlePart>& parts) {
  std::vector<CopyTask> all;
  for (const BundlePart& part : parts) {
    for (const CopyTask& send : part.sends.by_copy) {
      const bool is_sent = std::any_of(all.begin(), all.end(),
                                       [&](const CopyTask& copy) { return covers(copy, send); });
      if (!is_sent) all.push_back(send);
    }
  }
  return all;
}

const KernelSubject& subject_with_packs(StageKernels& kernels, int pack) {
  return pack == kernels.shape().width ? kernels.subject() : kernels.with_packs(pack);
}

}  // namespace goban::cuda
