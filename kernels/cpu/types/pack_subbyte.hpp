// Sub-byte types: conversion between packed elements of two, four or six bits and one byte each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// out[i] = the bits of element i, zero-extended. `bits` is 2, 4 or 6.
void unpack_elements(int bits, const std::byte* in, std::uint8_t* out, std::int64_t count,
                     Workers& workers);

/// Element i = the low bits of in[i]; unused bits of the last byte are 0.
void pack_elements(int bits, const std::uint8_t* in, std::byte* out, std::int64_t count,
                   Workers& workers);

}  // namespace ortool::cpu
