#include "goban/checkpoint/nodes/recombine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "goban/base/agreement.hpp"
#include "goban/checkpoint/erasure/code.hpp"
#include "goban/checkpoint/erasure/galois.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

constexpr Index piece_bytes = Index{256} << 10;

/// A row of a stripe as it lies in a file.
struct RowPlace {
  bool is_parity;
  int member;
  Index offset;
};

RowPlace place_of(const GroupFiles& group, int stripe, int row) {
  const bool is_parity = row < group.parity;
  const int chunk = is_parity ? row : row - group.parity;
  return {is_parity, (stripe + row) % group.size(), chunk * group.chunk_bytes()};
}

const ReadableFile& file_of(const GroupFiles& group, const RowPlace& place) {
  const auto member = static_cast<std::size_t>(place.member);
  return place.is_parity ? group.parities[member] : group.parts[member];
}

/// One chunk of a wanted file: the rows it is the sum of.
struct Sum {
  std::size_t file;  ///< index among the wanted files
  Index offset;      ///< position in that file
  Index bytes;
  struct Term {
    RowPlace place;
    std::uint8_t factor;
  };
  std::vector<Term> terms;
};

bool is_there(const GroupFiles& group, const RowPlace& place) {
  const ReadableFile& file = file_of(group, place);
  return file.reader >= 0 || (!place.is_parity && file.bytes == 0);
}

/// Rows of data first: where all are there, nothing has to be multiplied.
std::vector<int> rows_there(const GroupFiles& group, int stripe) {
  std::vector<int> rows;
  for (int n = 0; n < group.size() && static_cast<int>(rows.size()) < group.data(); ++n) {
    const int row = (n + group.parity) % group.size();
    if (is_there(group, place_of(group, stripe, row))) rows.push_back(row);
  }
  return rows;
}

bool has_rows(const GroupFiles& group, const std::vector<int>& rows) {
  return static_cast<int>(rows.size()) == group.data();
}

std::vector<Sum> sums_of(const std::vector<GroupFiles>& groups,
                         const std::vector<WantedFile>& wanted) {
  std::vector<Sum> sums;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    const GroupFiles& group = groups[wanted[w].group];
    const ErasureCode code(group.data(), group.parity);
    const Index chunk = group.chunk_bytes();
    const auto member = static_cast<std::size_t>(wanted[w].member);
    const Index whole = wanted[w].is_parity ? group.parity * chunk : group.parts[member].bytes;
    for (int n = 0; n * chunk < whole; ++n) {
      const int row = wanted[w].is_parity ? n : group.parity + n;
      const int stripe = (wanted[w].member - row + group.size()) % group.size();
      const std::vector<int> rows = rows_there(group, stripe);
      if (!has_rows(group, rows)) {
        throw Error(ExitCode::no_checkpoint,
                    fmt::format("more than {} of {} members of a group are lost", group.parity,
                                group.size()));
      }
      const auto factors = code.factors(rows, row);
      Sum& sum = sums.emplace_back(Sum{w, n * chunk, std::min(chunk, whole - n * chunk), {}});
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const RowPlace place = place_of(group, stripe, rows[i]);
        if (factors[i] != 0 && file_of(group, place).reader >= 0) {
          sum.terms.push_back({place, factors[i]});
        }
      }
    }
  }
  return sums;
}

/// Files that are read, each opened once.
class OpenFiles {
 public:
  /// Zeros beyond the end.
  void read(const std::filesystem::path& path, Index offset, std::byte* bytes, Index count) {
    const InputFile& file = files_.try_emplace(path, path).first->second;
    const Index there = std::clamp<Index>(file.size() - offset, 0, count);
    file.read(offset, bytes, there);
    std::fill(bytes + there, bytes + count, std::byte{0});
  }

 private:
  std::map<std::filesystem::path, InputFile> files_;
};

/// How many files a rank may have to open.
Index files_of(int rank, const std::vector<GroupFiles>& groups,
               const std::vector<WantedFile>& wanted) {
  const auto is_own = [rank](const auto& file) { return file.reader == rank; };
  Index count = std::count_if(wanted.begin(), wanted.end(),
                              [rank](const WantedFile& file) { return file.maker == rank; });
  for (const GroupFiles& group : groups) {
    count += std::count_if(group.parts.begin(), group.parts.end(), is_own);
    count += std::count_if(group.parities.begin(), group.parities.end(), is_own);
  }
  return count;
}

/// Before the bytes of a parcel.
struct Label {
  std::uint64_t sum;
  std::uint64_t factor;
};

/// Adds parcels to what was made of sums so far.
void add(std::map<std::size_t, std::vector<std::byte>>& made, const std::vector<Parcel>& parcels) {
  struct Pieces {
    std::vector<const std::byte*> bytes;
    std::vector<std::uint8_t> factors;
  };
  std::map<std::size_t, Pieces> pieces;
  for (const Parcel& parcel : parcels) {
    Label label{};
    std::memcpy(&label, parcel.bytes.data(), sizeof(label));
    pieces[label.sum].bytes.push_back(parcel.bytes.data() + sizeof(label));
    pieces[label.sum].factors.push_back(static_cast<std::uint8_t>(label.factor));
  }
  for (auto& [n, of_sum] : pieces) {
    std::vector<std::byte>& sum = made.at(n);
    std::vector<std::byte> more(sum.size());
    of_sum.bytes.push_back(sum.data());
    of_sum.factors.push_back(1);
    galois::sum_products(std::array{more.data()}, of_sum.bytes, of_sum.factors, sum.size());
    sum = std::move(more);
  }
}

}  // namespace

Index GroupFiles::chunk_bytes() const {
  Index most = 0;
  for (const ReadableFile& part : parts) most = std::max(most, part.bytes);
  constexpr Index line = 64;
  return ((most + data() - 1) / data() + line - 1) / line * line;
}

bool GroupFiles::is_enough() const {
  for (int stripe = 0; stripe < size(); ++stripe) {
    if (!has_rows(*this, rows_there(*this, stripe))) return false;
  }
  return true;
}

void recombine(Communicator& communicator, const std::vector<GroupFiles>& groups,
               const std::vector<WantedFile>& wanted) {
  const std::vector<Sum> sums = sums_of(groups, wanted);
  Index longest = 0;
  for (const Sum& sum : sums) longest = std::max(longest, sum.bytes);
  agree(communicator, [&] { require_open_files(files_of(communicator.rank(), groups, wanted)); });
  OpenFiles files;
  std::map<std::size_t, std::vector<std::byte>> made;  // per sum of this rank
  for (Index begin = 0; begin < longest; begin += piece_bytes) {
    std::vector<Parcel> parcels;
    agree(communicator, [&] {
      for (std::size_t n = 0; n < sums.size(); ++n) {
        const Index count = std::min(piece_bytes, sums[n].bytes - begin);
        if (count <= 0) continue;
        const int maker = wanted[sums[n].file].maker;
        const bool is_own = maker == communicator.rank();
        std::vector<Parcel> own;
        for (const auto& [place, factor] : sums[n].terms) {
          const ReadableFile& file = file_of(groups[wanted[sums[n].file].group], place);
          const bool is_beyond = !place.is_parity && place.offset + begin >= file.bytes;
          if (file.reader != communicator.rank() || is_beyond) continue;
          const Label label{n, factor};
          Parcel& parcel = (is_own ? own : parcels).emplace_back(Parcel{maker, {}});
          parcel.bytes.resize(sizeof(label) + static_cast<std::size_t>(count));
          std::memcpy(parcel.bytes.data(), &label, sizeof(label));
          files.read(file.path, place.offset + begin, parcel.bytes.data() + sizeof(label), count);
        }
        if (is_own) {
          made[n].assign(static_cast<std::size_t>(count), std::byte{0});
          add(made, own);
        }
      }
    });
    add(made, communicator.exchange(std::move(parcels)));
    agree(communicator, [&] {
      for (const auto& [n, bytes] : made) {
        if (begin >= sums[n].bytes) continue;
        wanted[sums[n].file].write(sums[n].offset + begin, bytes.data(),
                                   static_cast<Index>(bytes.size()));
      }
    });
  }
}

}  // namespace goban
