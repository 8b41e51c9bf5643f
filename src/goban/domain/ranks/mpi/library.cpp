#include "goban/domain/ranks/mpi/library.hpp"

#include <dlfcn.h>

#include "goban/base/error.hpp"

namespace goban::mpi {

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ExitCode::peer_lost, std::string("MPI failed in ") + what,
              std::string(text, static_cast<std::size_t>(length)));
}

std::shared_ptr<Library> Library::use() {
  static std::mutex mutex;
  static std::weak_ptr<Library> used;
  const std::lock_guard lock(mutex);
  auto library = used.lock();
  if (!library) {
    library.reset(new Library);
    used = library;
  }
  return library;
}

Library::Library() {
  if (has_ended())
    throw Error(ExitCode::usage, "MPI has ended", "MPI_Finalize was called",
                "keep a communicator until the program ends");
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized != 0) {
    MPI_Query_thread(&provided_);
    return;
  }
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided_), "its start");
  is_ours_ = true;
}

Library::~Library() {
  const Waiting waiting(*board, ActivityBoard::everybody);
  if (is_ours_ && !has_ended()) MPI_Finalize();
}

std::string Library::description() const {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string version(text, static_cast<std::size_t>(length));
  version = version.substr(0, version.find_first_of(",\n"));
  for (char& c : version) c = c == '\t' ? ' ' : c;  // "MPICH Version:\t4.0.2"
  const char* level = provided_ == MPI_THREAD_MULTIPLE     ? "multiple"
                      : provided_ == MPI_THREAD_SERIALIZED ? "serialized"
                      : provided_ == MPI_THREAD_FUNNELED   ? "funneled"
                                                           : "single";
  return version + ", thread level " + level;
}

/// Asks by extensions that an MPI need not have; they are looked up in the library that is loaded.
bool Library::takes_gpu_memory() {
  if (void* query = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support")) {
    return reinterpret_cast<int (*)()>(query)() == 1;
  }
  if (void* query = dlsym(RTLD_DEFAULT, "MPIX_GPU_query_support")) {
    constexpr int cuda = 0;  // MPIX_GPU_SUPPORT_CUDA
    int is_supported = 0;
    const int code = reinterpret_cast<int (*)(int, int*)>(query)(cuda, &is_supported);
    return code == MPI_SUCCESS && is_supported != 0;
  }
  return false;
}

void Library::stop_calls() noexcept {
  for (int tries = 0; tries < 300 && !mutex_.try_lock(); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool Library::has_ended() {
  int ended = 0;
  MPI_Finalized(&ended);
  return ended != 0;
}

Bytes::Bytes(std::size_t bytes) : count_(static_cast<int>(bytes)) {
  constexpr std::size_t block = std::size_t{1} << 30;
  if (bytes <= block) return;
  MPI_Datatype blocks;
  check(MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &blocks), "a type of many bytes");
  const int counts[] = {static_cast<int>(bytes / block), static_cast<int>(bytes % block)};
  const MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes / block * block)};
  const MPI_Datatype types[] = {blocks, MPI_BYTE};
  check(MPI_Type_create_struct(2, counts, places, types, &type_), "a type of many bytes");
  check(MPI_Type_commit(&type_), "a type of many bytes");
  MPI_Type_free(&blocks);
  count_ = 1;
}

Bytes::~Bytes() {
  if (type_ != MPI_BYTE) MPI_Type_free(&type_);
}

std::size_t bytes_of(const MPI_Status& status) {
  MPI_Count bytes = 0;
  check(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "the size of a message");
  return static_cast<std::size_t>(bytes);
}

}  // namespace goban::mpi
