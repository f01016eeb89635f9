// The loops of the normalisations for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/normalize_rows.inc"
