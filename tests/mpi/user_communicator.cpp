// A program that uses MPI itself hands goban a communicator of its own. Exit code 0: all is right.

#include <mpi.h>

#include <cstdio>
#include <string>

#include "goban/base/error.hpp"
#include "goban/mpi.hpp"

namespace {

int failures = 0;

void expect(bool condition, const char* claim) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", claim);
  ++failures;
}

bool is_refused(const goban::MpiRequest& request) {
  try {
    goban::open_mpi_communicator(request);
  } catch (const goban::Error& error) {
    return error.code() == goban::ExitCode::resources;
  }
  return false;
}

void test_part(MPI_Comm part) {
  int rank = 0, size = 0;
  MPI_Comm_rank(part, &rank);
  MPI_Comm_size(part, &size);
  const auto ranks = goban::mpi_communicator(part);
  expect(ranks->rank() == rank && ranks->size() == size, "ranks are those of the communicator");
  std::uint64_t value = 1;
  ranks->sum({&value, 1});
  expect(value == static_cast<std::uint64_t>(size), "sums are over its ranks alone");

  const auto outbox = ranks->open_outbox((rank + 1) % size, 7, 1);
  const auto inbox = ranks->open_inbox((rank + size - 1) % size, 7, 1);
  *outbox->next() = static_cast<std::byte>(rank);
  outbox->send(1);
  expect(inbox->next()[0] == static_cast<std::byte>((rank + size - 1) % size), "messages arrive");
  inbox->release();
}

void test_error_handlers() {
  MPI_Errhandler before, after;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  { const auto ranks = goban::mpi_communicator(MPI_COMM_WORLD); }
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &after);
  expect(before == after, "the error handler stays");
}

void test_refusals() {
  const MPI_Comm world = MPI_COMM_WORLD;
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  expect(is_refused({&world, sizeof(world) + 1, library}), "a handle of another size is refused");
  const std::string other = "a release of " + std::string(library);
  expect(is_refused({&world, sizeof(world), other.c_str()}), "another release is refused");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
  test_part(part);
  MPI_Comm_free(&part);
  test_error_handlers();
  test_refusals();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
