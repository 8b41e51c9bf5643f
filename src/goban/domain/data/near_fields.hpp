#pragma once
// Fields of patches that other ranks have, where devices of this one reach their memory.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <tuple>

#include "goban/backend/api.hpp"
#include "goban/base/communicator.hpp"
#include "goban/field/layout.hpp"
#include "goban/grid/patches.hpp"

namespace goban {

/// Calls but `bind` are collective. Memory must not go before it has been closed: others may still
/// store into it.
class NearFields {
 public:
  using ExecutorOf = std::function<Executor&(int patch)>;

  NearFields(std::shared_ptr<Communicator> communicator, const Patches& patches)
      : communicator_(std::move(communicator)), patches_(patches) {}

  /// A buffer of all ranks: on the rank's own patches, in their order.
  struct Own {
    int serial = -1;
    std::span<const FieldLayout> layout;
    std::span<const std::shared_ptr<std::byte>> memory;
    Index skew = 0;
  };
  bool is_open(int serial) const { return open_.count(serial) > 0; }
  /// Memory of the neighbours along these axes. Error (ExitCode::resources), on all ranks: one
  /// cannot be reached.
  void open(const Own& own, const std::array<bool, 3>& axes, const ExecutorOf& executor);
  /// Binds component 0 on patch `to`, for the device of this rank that computes its neighbour
  /// `from`.
  FieldBinding bind(int serial, int from, int to) const;
  /// Nothing that stores into it is under way on this rank.
  void close(int serial);
  void close();

 private:
  struct Place {
    std::shared_ptr<std::byte> memory;
    FieldLayout layout;
    Index skew = 0;
  };
  using Key = std::tuple<int, int, int>;  ///< serial, from, to

  std::shared_ptr<Communicator> communicator_;
  const Patches& patches_;
  std::set<int> open_;
  std::map<Key, Place> places_;
};

}  // namespace goban
