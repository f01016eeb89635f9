// The loops of rotary embedding for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/attention/rotary_rows.inc"
