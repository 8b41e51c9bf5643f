#include "goban/checkpoint/convert.hpp"

#include <memory>

#include "goban/grid/blocks.hpp"

namespace goban {
namespace {

/// With arrays in memory of their own, which is given back where they are copied out once.
CheckpointSubject subject_like(const Manifest& manifest, bool once) {
  CheckpointSubject subject;
  subject.program = manifest.program;
  subject.cells = manifest.cells;
  subject.spacing = manifest.spacing;
  subject.origin = manifest.origin;
  subject.seed = manifest.seed;
  for (const StoredArray& stored : manifest.arrays) {
    CheckpointArray& array = subject.arrays.emplace_back();
    array.name = stored.name;
    array.type = stored.type;
    array.extents = stored.extents;
    array.components = stored.components;
    array.optional = stored.optional;
    const auto values =
        std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(stored.bytes()));
    const Box whole{{0, 0, 0}, stored.extents};
    const auto copy = [whole, components = stored.components, size = size_of(stored.type)](
                          const Box& from_box, const void* from, const Box& to_box, void* to) {
      copy_common(from_box, from, to_box, to, components, size);
    };
    array.copy_out = [=](const Box& box, void* elements) {
      copy(whole, values->data(), box, elements);
      if (once) *values = {};
    };
    array.copy_in = [=](const Box& box, const void* elements) {
      copy(box, elements, whole, values->data());
    };
  }
  return subject;
}

}  // namespace

void convert_checkpoint(CheckpointStore& from, const CheckpointEntry& entry,
                        const Manifest& manifest, DirectoryStore& to,
                        const ConvertOptions& options) {
  const CheckpointSubject subject = subject_like(manifest, options.compress);
  const CheckpointState state = from.restore(entry, subject, [](const std::string&) {});
  if (!options.compress) return to.save(subject, state);
  StateCopy copy;
  copy.take(subject, state, 1, 0);
  to.save_parts(copy, {.compress = true});
}

}  // namespace goban
