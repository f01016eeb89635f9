// The loops of the normalisations for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/normalization/normalize_rows.inc"
