#pragma once
// Which instructions this copy of goban was compiled for, and which this processor has.

#include <cstdint>
#include <string>

namespace goban {

/// A set of processor extensions; on other processors than x86-64 always empty.
using Extensions = std::uint64_t;

/// What the library was compiled to use.
Extensions compiled_extensions();
/// What this processor and its operating system offer.
Extensions available_extensions();

/// The vector units in use, for banners: "AVX-512", "AVX2", "SSE2", "NEON".
std::string instruction_set_name(Extensions extensions);

/// The members of a set: "avx512f avx512bw"; empty for none.
std::string list_extensions(Extensions extensions);

/// Ends the process with exit code 3 and one line on standard error if it was compiled for
/// instructions that `available` lacks. It throws nothing and calls nothing compiled like the rest,
/// so that the line comes before the first illegal instruction. Programs that load goban have
/// called it before main().
void check_instruction_set(Extensions available = available_extensions());

}  // namespace goban
