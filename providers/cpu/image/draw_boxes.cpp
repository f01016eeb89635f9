// Kernel for com.microsoft.extensions.DrawBoundingBoxes: the order and the colors of the boxes.
#include "kernels/cpu/image/draw_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/vision/draw_bounding_boxes.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// Red, yellow, lime, blue, cyan, magenta, orange, maroon, green and navy, blue first.
constexpr Color frame_colors[] = {{0, 0, 255},   {0, 255, 255}, {0, 255, 0},   {255, 0, 0},
                                  {255, 255, 0}, {255, 0, 255}, {0, 128, 255}, {0, 0, 128},
                                  {0, 128, 0},   {128, 0, 0}};
constexpr std::size_t box_length = 6;

FrameBox corners_of(DrawBoundingBoxes::Coding coding, const float* box) {
  if (coding == DrawBoundingBoxes::Coding::corners) return {box[0], box[1], box[2], box[3]};
  if (coding == DrawBoundingBoxes::Coding::corner_and_size)
    return {box[0], box[1], box[0] + box[2], box[1] + box[3]};
  return {box[0] - box[2] / 2, box[1] - box[3] / 2, box[0] + box[2] / 2, box[1] + box[3] / 2};
}

/// A box and the index of its color.
struct ColoredBox {
  const float* box;
  std::size_t color;
};

/// The boxes to be drawn, the topmost first.
std::vector<ColoredBox> colored_boxes(bool colors_are_of_classes, std::span<const float> boxes) {
  std::vector<const float*> sorted;
  for (std::size_t i = 0; i + box_length <= boxes.size(); i += box_length)
    sorted.push_back(boxes.data() + i);
  const auto score = [](const float* box) { return std::isnan(box[4]) ? -INFINITY : box[4]; };
  std::ranges::stable_sort(sorted,
                           [&](const float* a, const float* b) { return score(a) > score(b); });
  std::vector<ColoredBox> colored;
  std::vector<float> classes;
  for (const float* box : sorted) {
    if (!colors_are_of_classes) {
      if (colored.size() < std::size(frame_colors)) colored.push_back({box, colored.size()});
      continue;
    }
    const auto color =
        static_cast<std::size_t>(std::ranges::find(classes, box[5]) - classes.begin());
    if (color == std::size(frame_colors)) continue;
    if (color == classes.size()) classes.push_back(box[5]);
    colored.push_back({box, color});
  }
  std::ranges::stable_sort(colored, {}, &ColoredBox::color);
  return colored;
}

KernelPtr compile_draw_bounding_boxes(const NodeView& view, const KernelRow& row,
                                      const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<DrawBoundingBoxes>(view.node())](const PrepareContext& context) {
        const Shape& image = context.inputs[0].shape;
        const std::int64_t height = image[0];
        const std::int64_t width = image[1];
        const auto elements = static_cast<std::size_t>(context.inputs[1].shape.element_count());
        return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
          const auto* pixels = run.input<std::uint8_t>(0);
          const ImageView canvas = {run.output<std::uint8_t>(0), height, width};
          if (pixels != canvas.pixels) std::copy_n(pixels, height * width * 3, canvas.pixels);
          const std::vector<ColoredBox> boxes =
              colored_boxes(op.colors_are_of_classes, {run.input<float>(1), elements});
          for (std::size_t i = boxes.size(); i-- > 0;) {
            run.workers().poll();
            draw_frame(canvas, corners_of(op.coding, boxes[i].box), op.thickness,
                       frame_colors[boxes[i].color]);
          }
        });
      });
}

constexpr auto draw_boxes_rows =
    portable_row("draw_bounding_boxes", "DrawBoundingBoxes", "uint8", accepts_anything,
                 compile_draw_bounding_boxes, vision_extensions_domain);

}  // namespace

std::span<const KernelRow> draw_boxes_kernels() {
  return draw_boxes_rows;
}

}  // namespace ortool::cpu
