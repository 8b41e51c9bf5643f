#include "goban/backend/cuda/transfer/cell_lists.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {
namespace {

struct Copies {
  std::weak_ptr<const CellNumbers> list;
  std::shared_ptr<void> source, target;
};

std::shared_ptr<void> copy_of(const std::vector<std::int32_t>& cells) {
  if (cells.empty()) return nullptr;
  const std::size_t bytes = cells.size() * sizeof(std::int32_t);
  std::shared_ptr<void> memory(allocate(bytes, "allocating lists of cells"),
                               [device = current_device()](void* p) {
                                 const OnDevice current(device);
                                 free_memory(p);
                               });
  check(driver().cuMemcpyHtoD(address(memory.get()), cells.data(), bytes),
        "copying lists of cells");
  return memory;
}

}  // namespace

ListOnDevice on_device(const std::shared_ptr<const CellNumbers>& list) {
  static std::mutex mutex;
  static auto& all = *new std::map<std::pair<int, const CellNumbers*>, Copies>;
  if (!list) return {};
  const std::lock_guard lock(mutex);
  const std::pair key{current_device(), list.get()};
  auto at = all.find(key);
  if (at == all.end() || at->second.list.expired()) {
    std::erase_if(all, [](const auto& one) { return one.second.list.expired(); });
    at = all.emplace(key, Copies{list, copy_of(list->source), copy_of(list->target)}).first;
  }
  return {static_cast<const int*>(at->second.source.get()),
          static_cast<const int*>(at->second.target.get())};
}

}  // namespace goban::cuda
