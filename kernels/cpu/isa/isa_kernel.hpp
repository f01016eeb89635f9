// Instruction-set dispatch: the row that says which sets a kernel is compiled for.
#pragma once

namespace ortool::cpu {

enum class Isa;

}  // namespace ortool::cpu

// Declares functions or tables in the namespace of each instruction set. The first argument lists
// those that have them:
//
//     ORTOOL_ISA_FUNCTIONS((avx2, vbmi), int64_t add_bytes(const FixedPointBinary& add);)
//
// For each set that the row of `loops.hpp` lists, cmake/OrtoolIsaKernels.cmake compiles
// `loops_<set>.cpp` where there is such a file, else `loops.inc` with ORTOOL_ISA as the set's name.
#define ORTOOL_ISA_FUNCTIONS(sets, ...) \
  namespace baseline {                  \
  __VA_ARGS__                           \
  }                                     \
  namespace avx2 {                      \
  __VA_ARGS__                           \
  }                                     \
  namespace avx512 {                    \
  __VA_ARGS__                           \
  }                                     \
  namespace vnni {                      \
  __VA_ARGS__                           \
  }                                     \
  namespace vbmi {                      \
  __VA_ARGS__                           \
  }                                     \
  namespace amx {                       \
  __VA_ARGS__                           \
  }

// One table of functions a set, and the choice of the best that a level has, which is generated:
//
//     ORTOOL_ISA_KERNEL(PoolFunctions, pool_functions, baseline, avx2, avx512)
//
// Sets stand weakest first. `pool_functions(isa)` gives the first where none fits.
#define ORTOOL_ISA_KERNEL(Type, name, ...) \
  const Type& name(Isa isa);               \
  ORTOOL_ISA_FUNCTIONS((__VA_ARGS__), extern const Type name;)

// The same, where `name(isa)` is null for levels below the first set.
#define ORTOOL_ISA_KERNEL_OR_NULL(Type, name, ...) \
  const Type* name(Isa isa);                       \
  ORTOOL_ISA_FUNCTIONS((__VA_ARGS__), extern const Type name;)
