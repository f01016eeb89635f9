// Memory layouts of tensors: plain row-major, or NCHWc with channels in blocks, in float32 or
// bfloat16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "libcore/tensor/data_type.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

/// The shape of a tensor does not depend on its layout. A blocked tensor N x C x D1 x ... is stored
/// row-major as N x ceil(C / block) x D1 x ... x block, known as nChw16c for block 16. The padding
/// channels of the last block are zero, but arbitrary for quantized 8-bit elements. Elements of a
/// float32 tensor are stored as bfloat16 in blocked16_bfloat16.
enum class Layout : std::uint8_t { plain, blocked8, blocked16, blocked16_bfloat16 };

inline constexpr std::size_t layout_count = 4;

/// Channels in each block: 8, 16, or 1 for plain.
std::int64_t block_of(Layout layout);

/// "plain", "blocked8", "blocked16", "blocked16_bfloat16".
std::string_view layout_name(Layout layout);

/// The number of stored elements of a tensor of `shape`, including block padding. A blocked tensor
/// has at least batch and channel axes.
std::int64_t stored_elements(const Shape& shape, Layout layout);

/// The size of a tensor of `type` in memory.
std::int64_t stored_bytes(DataType type, const Shape& shape, Layout layout);

/// Converts a tensor of `type`, whose elements have one or four bytes, from `layout` to plain
/// layout. For inspecting values, not optimized for speed.
void copy_to_plain(const std::byte* from, DataType type, const Shape& shape, Layout layout,
                   std::byte* to);

}  // namespace ortool
