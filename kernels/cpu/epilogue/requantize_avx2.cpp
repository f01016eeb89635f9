// Sums of products of bytes on their way to floats or bytes, avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/epilogue/requantize.inc"
