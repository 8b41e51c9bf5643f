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

using Memory = std::set<const std::byte*>;

bool meet(const Memory& a, const Memory& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::byte* at) { return b.count(at) > 0; });
}

/// The fields that a part reads and writes.
struct Accesses {
  explicit Accesses(const BundlePart& part) {
    const auto& arguments = part.task->stage->arguments;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      if (!arguments[a].field) continue;
      reads.insert(part.call.fields[a].read);
      if (arguments[a].access != Access::in) writes.insert(part.call.fields[a].write);
    }
  }
  bool depend_on(const Accesses& other) const {
    return meet(writes, other.writes) || meet(writes, other.reads) || meet(reads, other.writes);
  }
  Memory reads, writes;
};

}  // namespace

std::vector<std::vector<std::size_t>> groups_of(const std::vector<BundlePart>& parts) {
  const std::vector<Accesses> all(parts.begin(), parts.end());
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    std::vector<std::size_t> joined = {p};
    std::erase_if(groups, [&](const std::vector<std::size_t>& group) {
      const bool depends = std::any_of(group.begin(), group.end(),
                                       [&](std::size_t q) { return all[p].depend_on(all[q]); });
      if (depends) joined.insert(joined.end(), group.begin(), group.end());
      return depends;
    });
    std::sort(joined.begin(), joined.end());
    groups.push_back(std::move(joined));
  }
  return groups;
}

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
