#include "goban/checkpoint/nodes/protect.hpp"

#include <fmt/format.h>

#include <memory>

#include "goban/base/agreement.hpp"
#include "goban/checkpoint/block_file.hpp"
#include "goban/checkpoint/nodes/copies.hpp"
#include "goban/checkpoint/nodes/recombine.hpp"
#include "goban/checkpoint/nodes/survey.hpp"
#include "goban/checkpoint/parts.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

}  // namespace

void add_copies(Communicator& communicator, const NodeLayout& layout, const fs::path& folder,
                Manifest& manifest) {
  std::vector<FileCopy> copies;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const fs::path file = folder / part_name(rank);
    const StoredPart& part = manifest.parts[static_cast<std::size_t>(rank)];
    copies.push_back({rank, layout.partner_of(rank), part.bytes, file, file});
  }
  copy_files(communicator, copies);
  manifest.has_copies = true;
}

void add_parity(Communicator& communicator, const NodeLayout& layout, int size, int parity,
                const fs::path& folder, Manifest& manifest) {
  const int rank = communicator.rank();
  const auto groups = parity_groups(layout, size, parity);
  manifest.parity = parity;
  std::vector<GroupFiles> files;
  std::vector<WantedFile> wanted;
  std::vector<std::unique_ptr<BlockFileWriter>> writers;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    GroupFiles& group = files.emplace_back();
    group.parity = parity;
    StoredGroup& stored = manifest.groups.emplace_back();
    for (std::size_t m = 0; m < groups[g].size(); ++m) {
      const GroupMember& member = groups[g][m];
      stored.parts.push_back(member.part);
      stored.parities.push_back({fmt::format("parity-{:05}-{:02}", g, m), 0, 0});
      group.parities.emplace_back();
      ReadableFile& part = group.parts.emplace_back();
      if (member.part >= 0) {
        part = {member.part, manifest.parts[static_cast<std::size_t>(member.part)].bytes,
                folder / part_name(member.part)};
      }
      wanted.push_back({g, static_cast<int>(m), true, member.keeper, {}});
    }
  }
  agree(communicator, [&] {
    for (WantedFile& want : wanted) {
      writers.emplace_back();
      if (want.maker != rank) continue;
      const StoredGroup& stored = manifest.groups[want.group];
      writers.back() = std::make_unique<BlockFileWriter>(
          folder / stored.parities[static_cast<std::size_t>(want.member)].file);
      want.write = [&writer = *writers.back()](Index offset, const std::byte* bytes, Index count) {
        writer.write(offset, bytes, count);
      };
    }
  });
  recombine(communicator, files, wanted);
  std::vector<std::uint64_t> numbers(2 * wanted.size(), 0);
  agree(communicator, [&] {
    for (std::size_t n = 0; n < wanted.size(); ++n) {
      if (!writers[n]) continue;
      numbers[2 * n + 1] =
          writers[n]->finish(parity_about(manifest.state.step, wanted[n].group, wanted[n].member));
      numbers[2 * n] = static_cast<std::uint64_t>(writers[n]->bytes());
    }
  });
  communicator.sum(numbers);
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    StoredPart& stored =
        manifest.groups[wanted[n].group].parities[static_cast<std::size_t>(wanted[n].member)];
    stored.bytes = static_cast<Index>(numbers[2 * n]);
    stored.hash = numbers[2 * n + 1];
  }
}

}  // namespace goban
