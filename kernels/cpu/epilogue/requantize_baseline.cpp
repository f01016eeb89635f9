// Sums of products of bytes on their way to floats or bytes, baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/epilogue/requantize.inc"
