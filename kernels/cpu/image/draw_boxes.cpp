// Drawing of frames: four filled rectangles.
#include "kernels/cpu/image/draw_boxes.hpp"

#include <algorithm>
#include <cmath>

namespace ortool::cpu {
namespace {

std::int64_t pixel_of(float coordinate, std::int64_t last) {
  return static_cast<std::int64_t>(
      std::clamp(std::round(coordinate), 0.0F, static_cast<float>(last)));
}

void fill(const ImageView& canvas, std::int64_t left, std::int64_t top, std::int64_t width,
          std::int64_t height, const Color& color) {
  for (std::int64_t y = top; y < std::min(top + height, canvas.height); ++y) {
    for (std::int64_t x = left; x < std::min(left + width, canvas.width); ++x)
      std::copy(color.begin(), color.end(), canvas.pixels + (y * canvas.width + x) * 3);
  }
}

}  // namespace

void draw_frame(const ImageView& canvas, const FrameBox& box, std::int64_t thickness,
                const Color& color) {
  const bool has_nan = std::isnan(box.left) || std::isnan(box.top) || std::isnan(box.right) ||
                       std::isnan(box.bottom);
  if (has_nan || canvas.height == 0 || canvas.width == 0) return;
  std::int64_t right = pixel_of(box.right, canvas.width - 1);
  std::int64_t bottom = pixel_of(box.bottom, canvas.height - 1);
  std::int64_t left = pixel_of(box.left, right);
  std::int64_t top = pixel_of(box.top, bottom);
  const std::int64_t side = std::min(right - left, bottom - top);
  thickness = std::min(thickness, side);
  if (thickness < 1) return;
  if (thickness != side) {
    const std::int64_t outside = thickness / 2;
    left = std::max<std::int64_t>(left - outside, 0);
    top = std::max<std::int64_t>(top - outside, 0);
    right = std::min(right + thickness - outside, canvas.width - 1);
    bottom = std::min(bottom + thickness - outside, canvas.height - 1);
  }
  fill(canvas, left, top, right - left, thickness, color);
  fill(canvas, left, top, thickness, bottom - top, color);
  fill(canvas, left, bottom - thickness, right - left, thickness, color);
  fill(canvas, right - thickness, top, thickness, bottom - top, color);
}

}  // namespace ortool::cpu
