#pragma once
// Exchanges messages whose senders the receivers do not know beforehand, by MPI. Halos do not use
// them; see boxes.hpp.

#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/domain/ranks/mpi/connection.hpp"

namespace goban::mpi {

/// Implements Communicator::exchange(). It costs the messages and one barrier, however many ranks
/// there are: a rank enters the barrier when all its parcels have been received, and receives
/// parcels until all ranks are in the barrier (Hoefler, Siebert, Lumsdaine 2010). Two successive
/// exchanges need different tags, because a rank may begin the next before another has seen the end
/// of this one.
std::vector<Parcel> exchange(Connection& connection, std::vector<Parcel> parcels, int tag);

}  // namespace goban::mpi
