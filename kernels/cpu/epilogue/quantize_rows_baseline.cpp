// Rows of bytes for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/epilogue/quantize_rows.inc"
