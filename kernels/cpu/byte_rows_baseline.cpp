// Rows of bytes for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/byte_rows.inc"
