#include "goban/backend/cuda/driver/nccl.hpp"

#include <cstring>
#include <string>

#include "goban/base/activity.hpp"
#include "goban/base/found_library.hpp"

namespace goban::cuda {
namespace {

/// The part of NCCL's header that is needed here. It has not changed since version 2.7.
using NcclResult = int;
constexpr NcclResult nccl_success = 0, in_progress = 7;
constexpr int bytes_type = 0;
struct Communicator;  // a handle points to it
struct Id {
  char bytes[128];
};

struct Nccl {
  Nccl();
  static const Nccl& get() {
    static const Nccl library;
    return library;
  }

  std::string refusal;  ///< why NCCL cannot be used; empty if it can
  std::string version;  ///< "NCCL 2.28.9"

  NcclResult (*get_version)(int* version) = nullptr;
  NcclResult (*get_id)(Id* id) = nullptr;
  NcclResult (*join)(Communicator** all, int members, Id id, int member) = nullptr;
  NcclResult (*leave)(Communicator* all) = nullptr;
  NcclResult (*get_failure)(Communicator* all, NcclResult* failure) = nullptr;
  const char* (*text_of)(NcclResult result) = nullptr;
  NcclResult (*begin_group)() = nullptr;
  NcclResult (*end_group)() = nullptr;
  NcclResult (*send)(const void* from, std::size_t count, int type, int member, Communicator* all,
                     CUstream stream) = nullptr;
  NcclResult (*receive)(void* to, std::size_t count, int type, int member, Communicator* all,
                        CUstream stream) = nullptr;

  void check(NcclResult result, ExitCode code, const char* what) const {
    if (result == nccl_success) return;
    throw Error(code, std::string("NCCL failed while ") + what, text_of(result),
                "NCCL_DEBUG=WARN makes it say more");
  }
};

std::string text_of_version(int code) {
  const bool is_old = code < 10000;  // 2708 is 2.7.8
  const int step = is_old ? 10 : 100;
  return "NCCL " + std::to_string(code / (is_old ? 1000 : 10000)) + "." +
         std::to_string(code / 100 % step) + "." + std::to_string(code % 100);
}

Nccl::Nccl() {
  FoundLibrary library({"libnccl.so.2"}, "GOBAN_NCCL");
  library.find(get_version, "ncclGetVersion");
  library.find(get_id, "ncclGetUniqueId");
  library.find(join, "ncclCommInitRank");
  library.find(leave, "ncclCommDestroy");
  library.find(get_failure, "ncclCommGetAsyncError");
  library.find(text_of, "ncclGetErrorString");
  library.find(begin_group, "ncclGroupStart");
  library.find(end_group, "ncclGroupEnd");
  library.find(send, "ncclSend");
  library.find(receive, "ncclRecv");
  refusal = library.refusal();
  if (!library.is_there()) refusal += "; GOBAN_NCCL may name one";
  int code = 0;
  if (refusal.empty() && get_version(&code) == nccl_success) version = text_of_version(code);
}

class NcclGroup : public DeviceGroup {
 public:
  NcclGroup(int device, const Id& id, int member, int members) : device_(device) {
    const OnDevice current(device_);
    nccl_.check(nccl_.join(&all_, members, id, member), ExitCode::resources, "joining GPUs");
  }
  ~NcclGroup() override {
    const OnDevice current(device_);
    nccl_.leave(all_);
  }
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  void transfer(const std::vector<Transfer>& messages, CUstream stream) {
    constexpr const char* what = "moving halos";
    check_state();
    nccl_.check(nccl_.begin_group(), ExitCode::peer_lost, what);
    for (const Transfer& one : messages) {
      const bool sends = one.end == PeerPath::End::sends;
      nccl_.check(sends
                      ? nccl_.send(one.memory, one.bytes, bytes_type, one.member, all_, stream)
                      : nccl_.receive(one.memory, one.bytes, bytes_type, one.member, all_, stream),
                  ExitCode::peer_lost, what);
    }
    const Waiting waiting(activity_board, ActivityBoard::everybody);
    nccl_.check(nccl_.end_group(), ExitCode::peer_lost, what);
  }

 private:
  /// Throws an Error (ExitCode::peer_lost) if something has failed in queues since the last call.
  void check_state() const {
    NcclResult failure = nccl_success;
    nccl_.check(nccl_.get_failure(all_, &failure), ExitCode::peer_lost, "being asked for failures");
    if (failure != in_progress) nccl_.check(failure, ExitCode::peer_lost, "moving halos");
  }

  const Nccl& nccl_ = Nccl::get();
  int device_;
  Communicator* all_ = nullptr;
};

std::string hexadecimal(const CUuuid& id) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const char byte : id.bytes) {
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

}  // namespace

GroupCard group_card(int device) {
  return {Nccl::get().refusal, hexadecimal(uuid_of(device)), Nccl::get().version};
}

std::vector<std::byte> invite_group() {
  Id id;
  Nccl::get().check(Nccl::get().get_id(&id), ExitCode::resources, "inviting GPUs");
  const auto bytes = std::as_bytes(std::span(&id, 1));
  return {bytes.begin(), bytes.end()};
}

std::shared_ptr<DeviceGroup> join_group(int device, std::span<const std::byte> invitation,
                                        int member, int members) {
  Id id;
  std::memcpy(&id, invitation.data(), sizeof(id));
  return std::make_shared<NcclGroup>(device, id, member, members);
}

void transfer_messages(DeviceGroup& group, const std::vector<Transfer>& all, CUstream stream) {
  static_cast<NcclGroup&>(group).transfer(all, stream);
}

}  // namespace goban::cuda
