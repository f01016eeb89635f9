// Rows of bytes for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/byte_rows.inc"
