#pragma once
// Parcels that nobody expects, by MPI.

#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/domain/ranks/mpi/connection.hpp"

namespace goban::mpi {

/// Communicator::exchange. Costs what is sent and a barrier, however many ranks there are: who has
/// seen all its parcels taken enters the barrier, and takes others' until all are in it (Hoefler,
/// Siebert, Lumsdaine 2010). Tags of two exchanges in succession differ, as a rank may begin the
/// next before another has seen the end of this one.
std::vector<Parcel> exchange(Connection& connection, std::vector<Parcel> parcels, int tag);

}  // namespace goban::mpi
