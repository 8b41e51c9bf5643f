#include "goban/backend/cuda/stage_kernels.hpp"

namespace goban::cuda {
namespace {

constexpr const char* entry = "goban_kernel";

}  // namespace

StageKernels::StageKernels(std::shared_ptr<const Stage> stage, std::vector<bool> are_numbers)
    : stage_(std::move(stage)), subject_(*stage_) {
  subject_.are_numbers = std::move(are_numbers);
}

template <class Text>
const Kernel& StageKernels::made(const std::string& shape, const std::array<int, 5>& numbers,
                                 int device, Text&& text) {
  for (const Made& one : made_) {
    if (one.device == device && one.numbers == numbers && one.shape == shape) return *one.kernel;
  }
  const Kernel& found = kernel(device, {text(), entry, {}});
  made_.push_back({shape, numbers, device, &found});
  return found;
}

const KernelSubject& StageKernels::with_packs(int cells) {
  if (cells == 0) return subject_;
  const auto [at, is_new] = narrower_.try_emplace(cells, subject_);
  if (is_new) at->second.shape.width = cells;
  return at->second;
}

const Kernel& StageKernels::sweep(int device, const LaunchChoice& choice, bool sends_ends) {
  const ThreadBlock& block = choice.block;
  return made("sweep", {block.rows, block.planes, choice.pack, sends_ends ? 1 : 0}, device,
              [&] { return sweep_text(with_packs(choice.pack), block, sends_ends); });
}
const Kernel& StageKernels::in_place(int device) {
  return made("in_place", {}, device, [&] { return in_place_text(subject_); });
}
const Kernel& StageKernels::reduction(int device, int planes) {
  return made("reduce", {planes}, device, [&] { return reduction_text(subject_, planes); });
}
const Kernel& StageKernels::columns(int device, bool in_segments) {
  return made("columns", {in_segments ? 1 : 0}, device,
              [&] { return column_text(subject_, in_segments); });
}
const Kernel& StageKernels::march(int device, const MarchTiles& tiles, const std::string& shape) {
  return made(shape, {tiles.steps, tiles.rows, tiles.warps, tiles.ahead, tiles.blocks}, device,
              [&] { return march_text(subject_, tiles, shape); });
}

void StageKernels::prepare(int capability, const std::vector<LaunchChoice>& choices) {
  std::vector<KernelSource> sources;
  const LaunchChoice* last = nullptr;
  for (const LaunchChoice& choice : choices) {
    if (choice.march || (last && last->is_same_kernel(choice))) continue;
    sources.push_back({sweep_text(with_packs(choice.pack), choice.block), entry, {}});
    last = &choice;
  }
  cuda::prepare(capability, sources);
}

StageKernels& StageKernelStore::of(const std::shared_ptr<const Stage>& stage,
                                   const std::vector<bool>& are_numbers) {
  return kernels_.try_emplace({stage, are_numbers}, stage, are_numbers).first->second;
}

}  // namespace goban::cuda
