#pragma once

namespace goban {

/// What loops of the library are compiled for (cmake/row_loops.cmake).
enum class InstructionSet { baseline, avx2, avx512 };
/// The widest that the machine at hand has.
InstructionSet instruction_set();

}  // namespace goban
