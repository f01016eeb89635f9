// Sizes of tensors in blocked layouts, and conversion to plain layout.
#include "libcore/tensor/layout.hpp"

#include <cstring>

#include "libcore/base/error.hpp"

namespace ortool {

std::int64_t block_of(Layout layout) {
  switch (layout) {
    case Layout::blocked8:
      return 8;
    case Layout::blocked16:
    case Layout::blocked16_bfloat16:
      return 16;
    default:
      return 1;
  }
}

std::string_view layout_name(Layout layout) {
  switch (layout) {
    case Layout::blocked8:
      return "blocked8";
    case Layout::blocked16:
      return "blocked16";
    case Layout::blocked16_bfloat16:
      return "blocked16_bfloat16";
    default:
      return "plain";
  }
}

std::int64_t stored_elements(const Shape& shape, Layout layout) {
  if (layout == Layout::plain) return shape.element_count();
  ORTOOL_CHECK(shape.rank() >= 2);
  const std::int64_t block = block_of(layout);
  const std::int64_t channels = (shape[1] + block - 1) / block * block;
  return multiply_sizes(multiply_sizes(shape[0], channels), shape.product(2, shape.rank()));
}

std::int64_t stored_bytes(DataType type, const Shape& shape, Layout layout) {
  const DataType stored = layout == Layout::blocked16_bfloat16 ? DataType::bfloat16 : type;
  return bytes_of(stored, stored_elements(shape, layout));
}

void copy_to_plain(const std::byte* from, DataType type, const Shape& shape, Layout layout,
                   std::byte* to) {
  const bool is_narrow = layout == Layout::blocked16_bfloat16;
  const std::int64_t element_bytes = bytes_of(type, 1);
  const std::int64_t stored_element = is_narrow ? bytes_of(DataType::bfloat16, 1) : element_bytes;
  const std::int64_t block = block_of(layout);
  const std::int64_t pixels = shape.product(2, shape.rank());
  const std::int64_t blocks = (shape[1] + block - 1) / block;
  for (std::int64_t image = 0; image < shape[0]; ++image) {
    for (std::int64_t channel = 0; channel < shape[1]; ++channel) {
      const std::byte* element =
          from +
          ((image * blocks + channel / block) * pixels * block + channel % block) * stored_element;
      for (std::int64_t pixel = 0; pixel < pixels;
           ++pixel, element += block * stored_element, to += element_bytes) {
        // A bfloat16 is the upper half of a float32.
        if (is_narrow) std::memset(to, 0, static_cast<std::size_t>(element_bytes - stored_element));
        std::memcpy(to + element_bytes - stored_element, element,
                    static_cast<std::size_t>(stored_element));
      }
    }
  }
}

}  // namespace ortool
