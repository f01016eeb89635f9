// Instruction-set dispatch: macros that declare which instruction sets a kernel is compiled for.
#pragma once

namespace ortool::cpu {

enum class Isa;

}  // namespace ortool::cpu

// The namespaces of the instruction sets above the baseline. On aarch64, those of x86-64 are
// declared too, for code that names them where `is_x86` (architecture.hpp) holds.
#define ORTOOL_ISA_X86_FUNCTIONS(...) \
  namespace avx2 {                    \
  __VA_ARGS__                         \
  }                                   \
  namespace avx512 {                  \
  __VA_ARGS__                         \
  }                                   \
  namespace vnni {                    \
  __VA_ARGS__                         \
  }                                   \
  namespace vbmi {                    \
  __VA_ARGS__                         \
  }                                   \
  namespace amx {                     \
  __VA_ARGS__                         \
  }
#if defined(__aarch64__)
#define ORTOOL_ISA_ARM_FUNCTIONS(...) \
  namespace neon {                    \
  __VA_ARGS__                         \
  }                                   \
  namespace dotprod {                 \
  __VA_ARGS__                         \
  }                                   \
  namespace i8mm {                    \
  __VA_ARGS__                         \
  }
#else
#define ORTOOL_ISA_ARM_FUNCTIONS(...)
#endif

// Declares functions or tables in the namespace of each instruction set. The first argument lists
// the instruction sets that have them:
//
//     ORTOOL_ISA_FUNCTIONS((avx2, vbmi), int64_t add_bytes(const FixedPointBinary& add);)
//
// For each instruction set that `loops.hpp` lists, cmake/OrtoolIsaKernels.cmake compiles
// `loops_<set>.cpp` if there is such a file, otherwise `loops.inc` with ORTOOL_ISA set to its name.
#define ORTOOL_ISA_FUNCTIONS(sets, ...) \
  namespace baseline {                  \
  __VA_ARGS__                           \
  }                                     \
  ORTOOL_ISA_ARM_FUNCTIONS(__VA_ARGS__) \
  ORTOOL_ISA_X86_FUNCTIONS(__VA_ARGS__)

// One function table per instruction set, and a generated function that selects the best one:
//
//     ORTOOL_ISA_KERNEL(PoolFunctions, pool_functions, baseline, avx2, avx512)
//
// Instruction sets are listed weakest first. `pool_functions(isa)` returns the first one if none
// fits.
#define ORTOOL_ISA_KERNEL(Type, name, ...) \
  const Type& name(Isa isa);               \
  ORTOOL_ISA_FUNCTIONS((__VA_ARGS__), extern const Type name;)

// The same, but `name(isa)` is null below the first listed instruction set.
#define ORTOOL_ISA_KERNEL_OR_NULL(Type, name, ...) \
  const Type* name(Isa isa);                       \
  ORTOOL_ISA_FUNCTIONS((__VA_ARGS__), extern const Type name;)
