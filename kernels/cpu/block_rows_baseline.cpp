// Products with levels in blocks for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/block_rows.inc"
