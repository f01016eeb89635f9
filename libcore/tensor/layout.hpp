// How the numbers of a tensor lie in memory: row by row, or with channels in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "libcore/tensor/shape.hpp"

namespace ortool {

/// The shape of a tensor never depends on its layout. A blocked tensor N x C x D1 x ... lies as
/// N x ceil(C / block) x D1 x ... x block, row-major, which others call nChw16c; the channels that
/// fill up the last block are zero, but of quantised bytes they may be anything.
enum class Layout : std::uint8_t { plain, blocked8, blocked16 };

/// Channels in a block: 8, 16, or 1 for plain.
std::int64_t block_of(Layout layout);

/// "plain", "blocked8", "blocked16".
std::string_view layout_name(Layout layout);

/// Elements that a tensor of `shape` takes, with those that fill up blocks. A blocked one has at
/// least a batch and channels.
std::int64_t stored_elements(const Shape& shape, Layout layout);

/// Writes the plain form of elements of one or four bytes that lie as `layout` says: for looking at
/// values, not for speed.
void copy_to_plain(const std::byte* from, std::int64_t element_bytes, const Shape& shape,
                   Layout layout, std::byte* to);

}  // namespace ortool
