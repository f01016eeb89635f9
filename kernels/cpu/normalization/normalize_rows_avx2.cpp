// The loops of the normalisations for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/normalization/normalize_rows.inc"
