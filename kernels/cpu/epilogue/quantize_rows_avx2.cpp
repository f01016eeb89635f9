// Rows of bytes for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/epilogue/quantize_rows.inc"
