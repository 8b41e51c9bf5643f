#include "goban/domain/halo/message.hpp"

#include "goban/base/error.hpp"

namespace goban {
namespace {

constexpr std::size_t cache_line = 64;

}  // namespace

std::size_t MessageLayout::bytes_of(Index cells, std::size_t element_size) {
  return (static_cast<std::size_t>(cells) * element_size + cache_line - 1) / cache_line *
         cache_line;
}

FieldBinding MessageLayout::add(const Box& box, const std::array<int, 3>& order,
                                std::size_t element_size) {
  FieldBinding binding;
  Index stride = 1, first = 0;
  for (int axis : order) {
    binding.stride[axis] = stride;
    first += stride * box.lower[axis];
    stride *= box.extent(axis);
  }
  binding.write = memory_ + bytes_ - first * static_cast<Index>(element_size);
  binding.read = binding.write;
  bytes_ += bytes_of(box.volume(), element_size);
  return binding;
}

void Messages::close() {
  reached_.clear();
  outboxes_.clear();
  inboxes_.clear();
}

int Messages::tag(const HaloSide& halo) const {
  const int receiver = patches_.rank_of(halo.patch);
  const Index all = patches_.count_on(receiver);
  const Index position = patches_.position_on_its_rank(halo.patch);
  Index number = (position * 3 + halo.axis) * 2 + index_of(halo.side);
  if (halo.values_from >= 0) {
    const Index senders = patches_.count_on(patches_.rank_of(halo.values_from));
    number = 6 * all + position * senders + patches_.position_on_its_rank(halo.values_from);
  }
  require(number <= most_tag, "too many patches for one rank",
          std::to_string(all) + " are more than it can name", "use fewer");
  return static_cast<int>(number);
}

template <class Box, class Open>
Box& Messages::open(End<Box>& end, const HaloSide& halo, std::size_t most_bytes, Executor& executor,
                    MessagesIn in, Open&& open_box) {
  if (!end.box || end.bytes < most_bytes || end.in != in) {
    if (end.box) reached_.clear();  // some of it is of this box
    end.box.reset();
    end.bytes = most_bytes;
    end.in = in;
    const MessageAllocator on_device = [&](std::size_t bytes) { return executor.allocate(bytes); };
    end.box = open_box(tag(halo), in == MessagesIn::device ? on_device : allocate_message);
  }
  return *end.box;
}

Outbox& Messages::outbox(const HaloSide& halo, std::size_t most_bytes, Executor& executor,
                         MessagesIn in) {
  const auto open_box = [&](int tag, const MessageAllocator& allocate) {
    return communicator_.open_outbox(patches_.rank_of(halo.patch), tag, most_bytes, allocate);
  };
  return open(outboxes_[halo], halo, most_bytes, executor, in, open_box);
}

Inbox& Messages::inbox(const HaloSide& halo, int there, std::size_t most_bytes, Executor& executor,
                       MessagesIn in) {
  const auto open_box = [&](int tag, const MessageAllocator& allocate) {
    return communicator_.open_inbox(patches_.rank_of(there), tag, most_bytes, allocate);
  };
  return open(inboxes_[halo], halo, most_bytes, executor, in, open_box);
}

std::byte* Messages::reached(std::byte* message, std::size_t most_bytes, Executor& executor) {
  Reached& reached = reached_[{message, &executor}];
  if (reached.bytes < most_bytes) {  // as much as an earlier, smaller message needed, or nothing
    reached.memory.reset();
    HostReach* const reach = executor.host_reach();
    reached = {reach ? reach->reach(message, most_bytes) : nullptr, most_bytes};
  }
  return message;
}

std::byte* Messages::scratch(std::size_t bytes, Executor& executor) {
  if (bytes > scratch_bytes_) {
    reached_.clear();  // some of it is of the old one
    scratch_ = allocate_message(bytes);
    scratch_bytes_ = bytes;
  }
  return reached(scratch_.get(), scratch_bytes_, executor);
}

}  // namespace goban
