// Register tiles over blocked tensors for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/conv/f32_nchwc/microkernel.inc"
