#include "goban/backend/cuda/stage_kernels.hpp"

#include <algorithm>

namespace goban::cuda {
namespace {

constexpr const char* entry = "goban_kernel";

KernelSubject subject_of(const Stage& stage, std::vector<FoldedStrides> strides) {
  KernelSubject subject(stage);
  subject.strides = std::move(strides);
  return subject;
}

}  // namespace

StageKernels::StageKernels(std::shared_ptr<const Stage> stage, std::vector<FoldedStrides> strides)
    : stage_(std::move(stage)), subject_(subject_of(*stage_, std::move(strides))) {}

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

const Kernel& StageKernels::sweep(int device, ThreadBlock block) {
  return made("sweep", {block.rows, block.planes}, device,
              [&] { return sweep_text(subject_, block); });
}
const Kernel& StageKernels::in_place(int device) {
  return made("in_place", {}, device, [&] { return in_place_text(subject_); });
}
const Kernel& StageKernels::reduction(int device) {
  return made("reduce", {}, device, [&] { return reduction_text(subject_); });
}
const Kernel& StageKernels::march(int device, const MarchTiles& tiles, const std::string& shape) {
  return made(shape, {tiles.steps, tiles.rows, tiles.warps, tiles.ahead, tiles.blocks}, device,
              [&] { return march_text(subject_, tiles, shape); });
}

void StageKernels::prepare(int capability, const std::vector<ThreadBlock>& blocks) const {
  std::vector<KernelSource> sources;
  for (const ThreadBlock& block : blocks) {
    sources.push_back({sweep_text(subject_, block), entry, {}});
  }
  cuda::prepare(capability, sources);
}

StageKernels& StageKernelStore::of(const std::shared_ptr<const Stage>& stage,
                                   const std::vector<FieldBinding>& fields, bool is_large) {
  std::vector<FoldedStrides> strides;
  if (is_large) {
    strides.resize(fields.size());
    for (std::size_t a = 0; a < fields.size(); ++a) {
      const auto& field = stage->arguments[a].field;
      if (!field) continue;
      const auto stride = [&](std::size_t position) {
        return fields[a].stride[static_cast<std::size_t>(field->order[position])];
      };
      strides[a] = {static_cast<int>(stride(1)), stride(2),
                    fields[a].places ? 0 : fields[a].component_stride};
    }
  }
  for (Entry& one : entries_) {
    if (one.stage == stage.get() && one.kernels.strides() == strides) return one.kernels;
  }
  return entries_.emplace_back(Entry{stage.get(), StageKernels(stage, std::move(strides))}).kernels;
}

}  // namespace goban::cuda
