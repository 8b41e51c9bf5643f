#include "goban/performance/measure/instruction_set.hpp"

#include <unistd.h>

#include <cstddef>

#include "goban/base/error.hpp"

#if defined(__x86_64__)
#include <cpuid.h>

// Functions marked so hold no instruction beyond those of every x86-64 processor.
#define GOBAN_PLAIN_CODE                                                                    \
  __attribute__((noinline, target("general-regs-only,no-bmi,no-bmi2,no-lzcnt,no-popcnt,no-" \
                                  "movbe")))
#else
#define GOBAN_PLAIN_CODE
#endif

namespace goban {
namespace {

struct Extension {
  const char* name;
  bool compiled;
  unsigned leaf, subleaf;   ///< of the CPUID instruction
  int result;               ///< register of the answer: 0 eax, 1 ebx, 2 ecx, 3 edx
  int bit;                  ///< in that register
  unsigned register_state;  ///< the operating system must save these (bits of XCR0)
};

#if defined(__x86_64__)
constexpr unsigned any = 0, ymm = 0x6, zmm = 0xe6;

constexpr bool defined(const char* text) { return text[0] == '1'; }
#define GOBAN_TEXT(macro) #macro
#define GOBAN_COMPILED(macro) defined(GOBAN_TEXT(macro))

// What g++ and clang may use unasked.
constexpr Extension extensions[] = {
    {"sse3", GOBAN_COMPILED(__SSE3__), 1, 0, 2, 0, any},
    {"ssse3", GOBAN_COMPILED(__SSSE3__), 1, 0, 2, 9, any},
    {"sse4.1", GOBAN_COMPILED(__SSE4_1__), 1, 0, 2, 19, any},
    {"sse4.2", GOBAN_COMPILED(__SSE4_2__), 1, 0, 2, 20, any},
    {"movbe", GOBAN_COMPILED(__MOVBE__), 1, 0, 2, 22, any},
    {"popcnt", GOBAN_COMPILED(__POPCNT__), 1, 0, 2, 23, any},
    {"lzcnt", GOBAN_COMPILED(__LZCNT__), 0x80000001, 0, 2, 5, any},
    {"bmi", GOBAN_COMPILED(__BMI__), 7, 0, 1, 3, any},
    {"bmi2", GOBAN_COMPILED(__BMI2__), 7, 0, 1, 8, any},
    {"gfni", GOBAN_COMPILED(__GFNI__), 7, 0, 2, 8, any},
    {"avx", GOBAN_COMPILED(__AVX__), 1, 0, 2, 28, ymm},
    {"f16c", GOBAN_COMPILED(__F16C__), 1, 0, 2, 29, ymm},
    {"fma", GOBAN_COMPILED(__FMA__), 1, 0, 2, 12, ymm},
    {"avx2", GOBAN_COMPILED(__AVX2__), 7, 0, 1, 5, ymm},
    {"avxvnni", GOBAN_COMPILED(__AVXVNNI__), 7, 1, 0, 4, ymm},
    {"avx512f", GOBAN_COMPILED(__AVX512F__), 7, 0, 1, 16, zmm},
    {"avx512dq", GOBAN_COMPILED(__AVX512DQ__), 7, 0, 1, 17, zmm},
    {"avx512ifma", GOBAN_COMPILED(__AVX512IFMA__), 7, 0, 1, 21, zmm},
    {"avx512cd", GOBAN_COMPILED(__AVX512CD__), 7, 0, 1, 28, zmm},
    {"avx512bw", GOBAN_COMPILED(__AVX512BW__), 7, 0, 1, 30, zmm},
    {"avx512vl", GOBAN_COMPILED(__AVX512VL__), 7, 0, 1, 31, zmm},
    {"avx512vbmi", GOBAN_COMPILED(__AVX512VBMI__), 7, 0, 2, 1, zmm},
    {"avx512vbmi2", GOBAN_COMPILED(__AVX512VBMI2__), 7, 0, 2, 6, zmm},
    {"avx512vnni", GOBAN_COMPILED(__AVX512VNNI__), 7, 0, 2, 11, zmm},
    {"avx512bitalg", GOBAN_COMPILED(__AVX512BITALG__), 7, 0, 2, 12, zmm},
    {"avx512vpopcntdq", GOBAN_COMPILED(__AVX512VPOPCNTDQ__), 7, 0, 2, 14, zmm},
    {"avx512bf16", GOBAN_COMPILED(__AVX512BF16__), 7, 1, 0, 5, zmm},
};
constexpr int extension_count = sizeof(extensions) / sizeof(extensions[0]);

GOBAN_PLAIN_CODE unsigned saved_register_state() {
  unsigned a, b, c, d;
  __cpuid_count(1, 0, a, b, c, d);
  constexpr unsigned readable = 1u << 27;
  if ((c & readable) == 0) return 0;
  __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  return a;
}

GOBAN_PLAIN_CODE bool is_available(const Extension& extension, unsigned saved) {
  unsigned answer[4];
  const unsigned family = extension.leaf & 0x80000000u;
  __cpuid_count(family, 0, answer[0], answer[1], answer[2], answer[3]);
  if (answer[0] < extension.leaf) return false;
  __cpuid_count(extension.leaf, 0, answer[0], answer[1], answer[2], answer[3]);
  if (extension.leaf == 7 && answer[0] < extension.subleaf) return false;
  __cpuid_count(extension.leaf, extension.subleaf, answer[0], answer[1], answer[2], answer[3]);
  return (answer[extension.result] >> extension.bit & 1u) != 0 &&
         (saved & extension.register_state) == extension.register_state;
}
#else
constexpr Extension extensions[] = {{"", false, 0, 0, 0, 0, 0}};
constexpr int extension_count = 0;

unsigned saved_register_state() { return 0; }
bool is_available(const Extension&, unsigned) { return false; }
#endif

constexpr Extensions compiled() {
  Extensions set = 0;
  for (int i = 0; i < extension_count; ++i)
    if (extensions[i].compiled) set |= Extensions{1} << i;
  return set;
}
constexpr Extensions compiled_set = compiled();

/// A line of text that grows without the help of a library.
struct Line {
  char text[512];
  std::size_t length = 0;
};

GOBAN_PLAIN_CODE void append(Line& line, const char* text) {
  while (*text != '\0' && line.length < sizeof(line.text)) line.text[line.length++] = *text++;
}

GOBAN_PLAIN_CODE void append(Line& line, Extensions set) {
  const char* separator = "";
  for (int i = 0; i < extension_count; ++i) {
    if ((set >> i & 1) == 0) continue;
    append(line, separator);
    append(line, extensions[i].name);
    separator = " ";
  }
}

bool holds(Extensions set, const char* name) {
  for (int i = 0; i < extension_count; ++i)
    if (extensions[i].name == std::string(name)) return (set >> i & 1) != 0;
  return false;
}

}  // namespace

Extensions compiled_extensions() { return compiled_set; }

GOBAN_PLAIN_CODE Extensions available_extensions() {
  const unsigned saved = saved_register_state();
  Extensions set = 0;
  for (int i = 0; i < extension_count; ++i)
    if (is_available(extensions[i], saved)) set |= Extensions{1} << i;
  return set;
}

GOBAN_PLAIN_CODE void check_instruction_set(Extensions available) {
  const Extensions missing = compiled_set & ~available;
  if (missing == 0) return;
  Line line;
  append(line, "goban was built for another processor (this one lacks ");
  append(line, missing);
  append(line, "); rebuild it on this machine or with the preset \"portable\"\n");
  if (write(STDERR_FILENO, line.text, line.length) < 0) _exit(static_cast<int>(ExitCode::files));
  _exit(static_cast<int>(ExitCode::resources));
}

namespace {

/// Before constructors of other files.
[[gnu::constructor(101), maybe_unused]] GOBAN_PLAIN_CODE void check_when_loaded() {
  check_instruction_set(available_extensions());
}

}  // namespace

std::string list_extensions(Extensions set) {
  Line line;
  append(line, set);
  return std::string(line.text, line.length);
}

std::string instruction_set_name(Extensions set) {
#if defined(__x86_64__)
  if (holds(set, "avx512f")) return "AVX-512";
  if (holds(set, "avx2")) return "AVX2";
  return holds(set, "avx") ? "AVX" : "SSE2";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "scalar";
#endif
}

}  // namespace goban
