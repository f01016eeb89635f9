#!/usr/bin/env bash
# Emulator of aarch64 programs, qemu-user: run_aarch64.sh SYSROOT PROGRAM [ARGUMENT...]. The environment variable
# ORTOOL_QEMU_CPU names the processor (cortex-a53, cortex-a72, cortex-a76, neoverse-n1, max; "max" without it), and
# ORTOOL_QEMU_OPTIONS further options of qemu, such as -plugin.
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
# shellcheck disable=SC2086 # several options
exec "$qemu" -L "$1" -cpu "${ORTOOL_QEMU_CPU:-max}" ${ORTOOL_QEMU_OPTIONS:-} "${@:2}"
