// Frames of boxes, drawn into the pixels of an image.
#pragma once

#include <array>
#include <cstdint>

namespace ortool::cpu {

using Color = std::array<std::uint8_t, 3>;

/// Pixels [height, width, 3].
struct ImageView {
  std::uint8_t* pixels = nullptr;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// Left, top, right and bottom in pixels.
struct FrameBox {
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
};

/// Draws a frame whose lines are at most `thickness` pixels wide, half of them outside, cut off at
/// the borders of the image. Draws nothing for a box without area, outside the image or with NaN.
void draw_frame(const ImageView& canvas, const FrameBox& box, std::int64_t thickness,
                const Color& color);

}  // namespace ortool::cpu
