#pragma once
// SEG-Y: a volume of traces, one down from every point of a map (SEG Technical Standards, rev 2.0).

#include <filesystem>
#include <memory>

#include "goban/io/image/image_source.hpp"

namespace goban::seismic {

/// Named .sgy or .segy, in capitals, too.
bool is_segy(const std::filesystem::path& path);

/// First bytes of the numbers of lines in the headers of traces, counted from 1 as the standard
/// does.
struct SegyLines {
  Index inline_byte = 189, crossline_byte = 193;
};

/// A volume as float32: crossline numbers grow along x, inline numbers along y, samples along z.
/// Traces are sorted by inline, then crossline, or the other way round, numbers rising or falling
/// in equal steps, none missing. Values are IBM or IEEE floats of 4 bytes; either byte order.
/// Headers of traces are checked when values of theirs are read.
/// Error (files): unreadable, or another file than that. Error (usage): not as large as expected.
std::shared_ptr<ImageSource> open_segy(const std::filesystem::path& path, Index3 expected,
                                       const SegyLines& lines = {});

}  // namespace goban::seismic
