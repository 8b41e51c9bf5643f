#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "goban/base/error.hpp"
#include "goban/domain/ranks/mpi/boxes.hpp"
#include "goban/domain/ranks/mpi/connection.hpp"
#include "goban/domain/ranks/mpi/parcels.hpp"
#include "goban/domain/ranks/mpi_module.hpp"

namespace goban {
namespace mpi {
namespace {

class MpiCommunicator : public Communicator {
 public:
  using Abandoned = void(int exit_code) noexcept;

  MpiCommunicator(MPI_Comm communicator, Abandoned* abandoned)
      : connection_(std::make_shared<Connection>(communicator)), abandoned_(abandoned) {
    check(MPI_Comm_rank(connection_->all(), &rank_), "the number of a rank");
    check(MPI_Comm_size(connection_->all(), &size_), "the number of ranks");
    find_nodes();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const std::vector<int>& nodes() const override { return nodes_; }
  std::string description() const override { return connection_->library().description(); }
  bool moves_device_memory() const override { return Library::takes_gpu_memory(); }
  void abandon(int exit_code) noexcept override {
    if (abandoned_ != nullptr) abandoned_(exit_code);
    connection_->leave_open();
    connection_->library().stop_calls();
    // MPICH waits in MPI_Abort for ranks that make no progress.
    std::thread([exit_code] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      _exit(exit_code);
    }).detach();
    MPI_Abort(connection_->all(), exit_code);
  }

  std::shared_ptr<Communicator> duplicate() override {
    return std::make_shared<MpiCommunicator>(connection_->all(), abandoned_);
  }

  void barrier() override {
    start_and_wait("a barrier",
                   [&](MPI_Request* request) { return MPI_Ibarrier(connection_->all(), request); });
  }

  void broadcast(std::span<std::byte> bytes, int root) override {
    start_and_wait("a broadcast", [&](MPI_Request* request) {
      const Bytes size(bytes.size());
      return MPI_Ibcast(bytes.data(), size.count(), size.type(), root, connection_->all(), request);
    });
  }

  void sum(std::span<std::uint64_t> values) override { reduce(values, MPI_UINT64_T, MPI_SUM); }
  void minimum(std::span<std::int64_t> values) override { reduce(values, MPI_INT64_T, MPI_MIN); }
  void maximum(std::span<std::int64_t> values) override { reduce(values, MPI_INT64_T, MPI_MAX); }

  std::vector<Parcel> exchange(std::vector<Parcel> parcels) override {
    for (const Parcel& parcel : parcels)
      if (parcel.rank < 0 || parcel.rank >= size_)
        throw std::logic_error("a parcel for rank " + std::to_string(parcel.rank));
    return mpi::exchange(*connection_, std::move(parcels), static_cast<int>(exchanges_++ % 2));
  }

  std::unique_ptr<Outbox> open_outbox(int rank, int tag, std::size_t most_bytes,
                                      const MessageAllocator& allocate) override {
    return mpi::open_outbox(connection_, rank, tag, most_bytes, allocate);
  }
  std::unique_ptr<Inbox> open_inbox(int rank, int tag, std::size_t most_bytes,
                                    const MessageAllocator& allocate) override {
    return mpi::open_inbox(connection_, rank, tag, most_bytes, allocate);
  }

 private:
  template <class Start>
  void start_and_wait(const char* what, Start&& start) {
    MPI_Request request;
    connection_->library().call(what, [&] { return start(&request); });
    connection_->library().wait(request);
  }

  template <class T>
  void reduce(std::span<T> values, MPI_Datatype type, MPI_Op op) {
    constexpr std::size_t most = std::size_t{1} << 27;  // elements at once
    for (std::size_t first = 0; first < values.size(); first += most) {
      const auto part = values.subspan(first, std::min(most, values.size() - first));
      start_and_wait("a reduction", [&](MPI_Request* request) {
        return MPI_Iallreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), type, op,
                              connection_->all(), request);
      });
    }
  }

  void find_nodes() {
    const Waiting waiting(*board, ActivityBoard::everybody);
    MPI_Comm node;
    check(MPI_Comm_split_type(connection_->all(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
          "finding machines");
    int first = rank_;  // of the ranks on this machine
    check(MPI_Bcast(&first, 1, MPI_INT, 0, node), "finding machines");
    MPI_Comm_free(&node);
    std::vector<std::int64_t> firsts(static_cast<std::size_t>(size_), 0);
    firsts[static_cast<std::size_t>(rank_)] = first;
    maximum(firsts);
    nodes_.resize(firsts.size());
    int count = 0;
    for (std::size_t rank = 0; rank < firsts.size(); ++rank) {
      const auto other = static_cast<std::size_t>(firsts[rank]);
      nodes_[rank] = other == rank ? count++ : nodes_[other];
    }
    const auto here =
        std::count(nodes_.begin(), nodes_.end(), nodes_[static_cast<std::size_t>(rank_)]);
    if (here > 1) is_crowded = here > sysconf(_SC_NPROCESSORS_ONLN);
  }

  std::shared_ptr<Connection> connection_;
  Abandoned* abandoned_;
  int rank_ = 0, size_ = 1;
  std::uint32_t exchanges_ = 0;
  std::vector<int> nodes_;
};

#ifdef OPEN_MPI
constexpr bool is_open_mpi = true;
#else
constexpr bool is_open_mpi = false;
#endif

MPI_Comm handle_in(const MpiRequest& request) {
  char ours[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(ours, &length);
  const std::string theirs = request.library;
  const bool is_ours = (theirs.find("Open MPI") != theirs.npos) == is_open_mpi && theirs == ours;
  if (!is_ours || request.bytes != sizeof(MPI_Comm))
    throw Error(ExitCode::resources, "this communicator is of another MPI",
                "it is of " + theirs.substr(0, theirs.find('\n')) + ", not " +
                    std::string(ours).substr(0, std::string(ours).find('\n')),
                "build goban with the MPI of the program");
  MPI_Comm result;
  std::memcpy(&result, request.communicator, sizeof(result));
  return result;
}

}  // namespace
}  // namespace mpi

extern "C" __attribute__((visibility("default"))) MpiModule goban_mpi_communicator_4;

extern "C" void goban_mpi_communicator_4(const MpiRequest* request,
                                         std::shared_ptr<Communicator>* result) {
  if (request->board != nullptr) mpi::board = request->board;
  const bool is_named = request->communicator != nullptr;
  const MPI_Comm communicator = is_named ? mpi::handle_in(*request) : MPI_COMM_WORLD;
  const auto library = mpi::Library::use();
  *result = std::make_shared<mpi::MpiCommunicator>(communicator, request->abandoned);
}

}  // namespace goban
