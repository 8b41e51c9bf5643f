#include "goban/domain/halo/channel.hpp"

#include "goban/domain/halo/message.hpp"

namespace goban {

ChannelWork::~ChannelWork() = default;
HaloChannel::~HaloChannel() = default;

std::size_t place_in(std::byte* memory, BoundMessage& message) {
  MessageLayout layout(memory);
  for (CopyTask& task : message.cells) {
    const FieldBinding there = layout.add(task.target_box, task.order, size_of(task.type));
    if (message.message->end == MessageEnd::sends) {
      task.target = there;
    } else {
      task.source = there;
      task.source_box = task.target_box;
    }
  }
  return layout.bytes();
}

}  // namespace goban
