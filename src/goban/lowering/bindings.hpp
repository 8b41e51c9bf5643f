#pragma once
// The state that a schedule is lowered for: which memory names are bound to, what halos hold, which
// executor computes which patch, how halos travel between ranks, and which work is still under way.

#include <array>
#include <compare>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "goban/field/layout.hpp"
#include "goban/grid/patches.hpp"
#include "goban/grid/settings.hpp"
#include "goban/lowering/component_halo.hpp"
#include "goban/lowering/hazards.hpp"

namespace goban {

/// Which buffer every name is bound to, what its halo holds, and which channels exist between
/// ranks. It says nothing about the addresses of fields stored in place, which change with every
/// step.
struct BufferState {
  struct Entry {
    int serial = -1;  ///< the number of the buffer; -1: there is none
    Extents halo;
    std::vector<ComponentHalo> halos;  ///< one per component
    /// What has happened since the last RankBarrier. is_sent: devices of ranks have stored into
    /// each other's halos. is_used: the halos were in use, so that others must not store there yet.
    bool is_sent = false, is_used = true;
    bool operator==(const Entry&) const = default;
  };
  /// One per memory, by MemoryNumber.
  std::vector<Entry> entries;
  int channels = 0;  ///< how often channels have come or gone, see HaloChannels::changes()
  bool operator==(const BufferState&) const = default;
};

/// The number by which commands name memory. The buffer that field f is bound to when the cycle
/// begins has number f, and its spare buffer has f plus the number of fields of the grid. The
/// memory of messages has negative numbers.
using MemoryNumber = int;
constexpr MemoryNumber memory_of_channel(int channel) { return -1 - channel; }
constexpr MemoryNumber memory_of_group = std::numeric_limits<int>::min();

enum class MessageEnd : std::uint8_t { sends, receives };

/// The purpose of a message: the halo on one side of a patch, or values of the patch itself.
struct HaloSide {
  int patch = 0;  ///< the patch that receives
  int axis = 0;
  Side side = Side::low;
  /// The patch that sends values; -1 if it is a halo, which the neighbour on that side sends.
  int values_from = -1;
  auto operator<=>(const HaloSide&) const = default;
};

/// One end of the channel by which a halo travels between ranks.
struct ChannelBinding {
  Transport transport = Transport::host;  ///< the channel's transport; never automatic
  int number = 0;
};

/// Everything that lower() has to know about a domain. It holds no pointers, so that lists can be
/// made and compared without a device.
struct Bindings {
  BufferState state;
  std::vector<std::vector<FieldLayout>> layouts;  ///< by memory and patch of the rank
  /// By memory: devices of other ranks can store into its halos.
  std::vector<bool> are_halos_reached;
  /// What computes a patch. Several patches may have the same executor.
  struct Computer {
    int executor = 0;
    bool is_helper = false, has_device_memory = false;
  };
  std::vector<Computer> computers;  ///< one per patch of the rank
  /// Executors queue work; otherwise each command ends before the next.
  bool is_asynchronous = false;
  std::map<std::pair<MessageEnd, HaloSide>, ChannelBinding> channels;
  /// One patch of each executor that stores into halos of other ranks, or into whose halos they
  /// store.
  std::vector<int> patches_with_peers;
  Hazards before;  ///< what earlier commands have touched that may still be under way
};

}  // namespace goban
