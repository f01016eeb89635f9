// Rows of bytes for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/epilogue/quantize_rows.inc"
