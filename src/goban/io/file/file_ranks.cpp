#include "goban/io/file/file_ranks.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "goban/base/agreement.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

/// Whether a file with this content comes to be there; networks take their time.
bool comes(const fs::path& path, const std::string& content) {
  constexpr auto patience = std::chrono::milliseconds(2000), pause = std::chrono::milliseconds(20);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    try {
      if (read_text(path, 1024) == content) return true;
    } catch (const Error&) {
    }
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(pause);
  }
}

/// Whether all of these ranks see what rank 0 writes to `directory`.
bool see_one_directory(Communicator& communicator, const std::vector<int>& writers,
                       const fs::path& directory) {
  std::array<std::uint64_t, 1> secret{0};
  if (communicator.rank() == 0) secret[0] = std::random_device()() | std::uint64_t{1} << 32;
  communicator.sum(secret);
  const std::string content = std::to_string(secret[0]);
  const fs::path probe = directory / (probe_prefix + content);
  agree(communicator, [&] {
    if (communicator.rank() == 0) write_file(probe, content);
  });
  const bool writes = std::binary_search(writers.begin(), writers.end(), communicator.rank());
  std::array<std::int64_t, 1> sees{!writes || comes(probe, content)};
  communicator.minimum(sees);
  std::error_code ignored;
  if (communicator.rank() == 0) fs::remove(probe, ignored);
  return sees[0] != 0;
}

}  // namespace

std::vector<int> FileRanks::writers() const {
  std::vector<int> all = writer_of;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

bool FileRanks::all_see_files() const {
  const std::vector<int>& machines = communicator->nodes();
  const int count = 1 + *std::max_element(machines.begin(), machines.end());
  return static_cast<int>(writers().size()) == count;
}

FileRanks one_writer(std::shared_ptr<Communicator> communicator) {
  FileRanks ranks;
  ranks.writer_of.assign(static_cast<std::size_t>(communicator->size()), 0);
  ranks.communicator = std::move(communicator);
  return ranks;
}

FileRanks writers_of_machines(std::shared_ptr<Communicator> communicator,
                              const fs::path& directory) {
  FileRanks ranks = one_writer(communicator);
  const std::vector<int>& machines = communicator->nodes();
  for (std::size_t r = 0; r < machines.size(); ++r) {
    const auto first = std::find(machines.begin(), machines.end(), machines[r]);
    ranks.writer_of[r] = static_cast<int>(first - machines.begin());
  }
  const std::vector<int> writers = ranks.writers();
  if (writers.size() == 1 || see_one_directory(*communicator, writers, directory)) return ranks;
  return one_writer(std::move(communicator));
}

std::vector<int> writer_of_pieces(const FileRanks& ranks, const std::vector<Box>& pieces) {
  const std::vector<int> writers = ranks.writers();
  if (writers.size() == 1) return std::vector<int>(pieces.size(), writers.front());
  struct Own {
    std::size_t writer;
    Box box;
  };
  std::vector<Own> owns;
  for (std::size_t r = 0; r < ranks.writer_of.size(); ++r) {
    const auto found = std::lower_bound(writers.begin(), writers.end(), ranks.writer_of[r]);
    owns.push_back(
        {static_cast<std::size_t>(found - writers.begin()), ranks.owned_by(static_cast<int>(r))});
  }
  Index all = 0;
  for (const Box& piece : pieces) all += piece.volume();
  const auto count = static_cast<Index>(writers.size());
  const Index share = (all + count - 1) / count;
  std::vector<Index> given(writers.size(), 0), cells(writers.size());
  std::vector<int> chosen;
  for (const Box& piece : pieces) {
    std::fill(cells.begin(), cells.end(), 0);
    for (const Own& own : owns) cells[own.writer] += intersection(piece, own.box).volume();
    std::size_t best = writers.size();
    for (std::size_t w = 0; w < writers.size(); ++w) {
      if (given[w] >= share) continue;
      if (best == writers.size() || cells[w] > cells[best]) best = w;
    }
    given[best] += piece.volume();
    chosen.push_back(writers[best]);
  }
  return chosen;
}

void write_pieces(const FileRanks& ranks, const std::vector<Box>& pieces, Index bytes_per_cell,
                  const BoxSource& values,
                  const std::function<void(std::size_t piece, const std::byte* values)>& write) {
  Communicator& communicator = *ranks.communicator;
  const std::vector<int> chosen = writer_of_pieces(ranks, pieces);
  std::vector<std::size_t> mine, counts(static_cast<std::size_t>(communicator.size()), 0);
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    ++counts[static_cast<std::size_t>(chosen[n])];
    if (chosen[n] == communicator.rank()) mine.push_back(n);
  }
  const std::size_t rounds = *std::max_element(counts.begin(), counts.end());
  std::vector<std::byte> memory;
  for (std::size_t round = 0; round < rounds; ++round) {
    const bool writes = round < mine.size();
    const Box box = writes ? pieces[mine[round]] : Box{};
    memory.resize(static_cast<std::size_t>(box.volume() * bytes_per_cell));
    values(box, memory.data());
    agree(communicator, [&] {
      if (writes) write(mine[round], memory.data());
    });
  }
}

FileShare::FileShare(std::filesystem::path path, std::filesystem::path name)
    : path_(std::move(path)), name_(std::move(name)) {}

void FileShare::write(Index offset, const void* bytes, Index count) {
  if (file_ < 0) file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
  if (file_ < 0) throw_file_error("write", name_, errno);
  ignore_file_size_signal();
  const Index done = write_at(file_, offset, bytes, count);
  written_ += done;
  if (done < count) throw_file_error("write", name_, errno, written_ + count - done);
}

void FileShare::close() {
  if (file_ < 0) return;
  if (::fsync(file_) != 0) throw_file_error("write", name_, errno, written_);
  if (!file_.close()) throw_file_error("write", name_, errno);
}

}  // namespace goban
