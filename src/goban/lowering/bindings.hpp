#pragma once
// What a schedule is lowered for: which memory names are bound to, what its halos hold, who
// computes which patch, how halos travel, and what is still under way.

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

/// Which buffer every name is bound to and what its halo holds; nothing of the places of fields
/// stored in place, which change with every step. And which channels halos take to other ranks.
struct BufferState {
  struct Entry {
    int serial = -1;  ///< -1: no buffer
    Extents halo;
    std::vector<ComponentHalo> halos;  ///< per component
    /// Since the ranks last met over their channels: devices have stored into each other's halos;
    /// halos were in use, so that others must not store there yet.
    bool is_sent = false, is_used = true;
    bool operator==(const Entry&) const = default;
  };
  /// Per memory, see MemoryNumber.
  std::vector<Entry> entries;
  int channels = 0;  ///< how often some that work may have been recorded with have gone
  bool operator==(const BufferState&) const = default;
};

/// MemoryNumber that commands name by number: that of field f when the cycle begins is f, its spare
/// buffer is f + the number of fields of the grid. What holds messages has negative numbers.
using MemoryNumber = int;
constexpr MemoryNumber memory_of_channel(int channel) { return -1 - channel; }
constexpr MemoryNumber memory_of_group = std::numeric_limits<int>::min();

enum class MessageEnd : std::uint8_t { sends, receives };

/// What a message is for: the halo on one side of a patch, or its values.
struct HaloSide {
  int patch = 0;  ///< the patch that receives
  int axis = 0;
  Side side = Side::low;
  /// The patch that sends values; -1: it is a halo, which the neighbour sends.
  int values_from = -1;
  auto operator<=>(const HaloSide&) const = default;
};

/// One end of how a halo travels between ranks.
struct ChannelBinding {
  Transport transport = Transport::host;  ///< never automatic
  int number = 0;
};

struct Bindings {
  BufferState state;
  std::vector<std::vector<FieldLayout>> layouts;  ///< per memory and patch of the rank
  std::vector<bool> are_halos_reached;            ///< per memory: by devices of other ranks
  /// What computes a patch. Patches may share one.
  struct Computer {
    int executor = 0;
    bool is_helper = false, has_device_memory = false;
  };
  std::vector<Computer> computers;  ///< per patch of the rank
  bool is_asynchronous = false;     ///< work is queued; otherwise nothing waits
  std::map<std::pair<MessageEnd, HaloSide>, ChannelBinding> channels;
  /// One patch of each executor whose halos devices of other ranks store into, or the other way.
  std::vector<int> patches_with_peers;
  Hazards before;  ///< what the commands before have touched
};

}  // namespace goban
