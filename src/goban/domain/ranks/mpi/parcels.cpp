#include "goban/domain/ranks/mpi/parcels.hpp"

#include <algorithm>

namespace goban::mpi {
namespace {

std::vector<MPI_Request> send(Connection& connection, const std::vector<Parcel>& parcels, int tag) {
  std::vector<MPI_Request> requests(parcels.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < parcels.size(); ++i)
    connection.library().call("sending a parcel", [&] {
      const Bytes size(parcels[i].bytes.size());
      return MPI_Issend(parcels[i].bytes.data(), size.count(), size.type(), parcels[i].rank, tag,
                        connection.all(), &requests[i]);
    });
  return requests;
}

bool receive_one(Connection& connection, int tag, std::vector<Parcel>& received) {
  int is_there = 0;
  MPI_Message message;
  MPI_Status status;
  Library& library = connection.library();
  library.call("looking for a parcel", [&] {
    return MPI_Improbe(MPI_ANY_SOURCE, tag, connection.all(), &is_there, &message, &status);
  });
  if (is_there == 0) return false;
  Parcel parcel{status.MPI_SOURCE, std::vector<std::byte>(bytes_of(status))};
  MPI_Request request;
  library.call("receiving a parcel", [&] {
    const Bytes size(parcel.bytes.size());
    return MPI_Imrecv(parcel.bytes.data(), size.count(), size.type(), &message, &request);
  });
  library.wait(request);
  received.push_back(std::move(parcel));
  return true;
}

}  // namespace

std::vector<Parcel> exchange(Connection& connection, std::vector<Parcel> parcels, int tag) {
  Library& library = connection.library();
  std::vector<Parcel> received;
  auto sends = send(connection, parcels, tag);
  const auto are_sent = [&] {
    int done = 0;
    library.call("sending parcels", [&] {
      return MPI_Testall(static_cast<int>(sends.size()), sends.data(), &done, MPI_STATUSES_IGNORE);
    });
    return done != 0;
  };
  bool is_in_barrier = false;
  MPI_Request barrier = MPI_REQUEST_NULL;
  for (Patience patience;;) {
    if (receive_one(connection, tag, received)) {
      patience.reset();
    } else if (!is_in_barrier && are_sent()) {
      library.call("a barrier", [&] { return MPI_Ibarrier(connection.all(), &barrier); });
      is_in_barrier = true;
    } else if (is_in_barrier && library.is_done(barrier)) {
      break;
    } else {
      patience.wait();
    }
  }
  std::ranges::stable_sort(received, {}, &Parcel::rank);
  return received;
}

}  // namespace goban::mpi
