// Sums of products of bytes on their way to floats or bytes, avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/epilogue/requantize.inc"
