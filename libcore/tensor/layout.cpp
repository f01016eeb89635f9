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

void copy_to_plain(const std::byte* from, std::int64_t element_bytes, const Shape& shape,
                   Layout layout, std::byte* to) {
  const std::int64_t block = block_of(layout);
  const std::int64_t pixels = shape.product(2, shape.rank());
  const std::int64_t blocks = (shape[1] + block - 1) / block;
  for (std::int64_t image = 0; image < shape[0]; ++image) {
    for (std::int64_t channel = 0; channel < shape[1]; ++channel) {
      const std::byte* plane =
          from +
          ((image * blocks + channel / block) * pixels * block + channel % block) * element_bytes;
      for (std::int64_t pixel = 0; pixel < pixels; ++pixel, to += element_bytes)
        std::memcpy(to, plane + pixel * block * element_bytes,
                    static_cast<std::size_t>(element_bytes));
    }
  }
}

}  // namespace ortool
