// The loops of attention for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/attention/attention_rows.inc"
