// The loops of the normalisations for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/normalization/normalize_rows.inc"
