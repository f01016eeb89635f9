// Detections of an object detection model, and the overlap (IoU) of bounding boxes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ortool {

/// A bounding box as COCO writes it: the top left corner and the size, in pixels of the image.
struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double area() const { return width * height; }
};

/// Intersection over union, in the arithmetic of pycocotools. For a crowd, whose box any number of
/// detections may share: over the area of the detection.
inline double intersection_over_union(const Box& detected, const Box& truth, bool is_crowd) {
  const double width =
      std::min(detected.width + detected.x, truth.width + truth.x) - std::max(detected.x, truth.x);
  const double height = std::min(detected.height + detected.y, truth.height + truth.y) -
                        std::max(detected.y, truth.y);
  if (!(width > 0) || !(height > 0)) return 0;
  const double common = width * height;
  return common / (is_crowd ? detected.area() : detected.area() + truth.area() - common);
}

/// A box that a model found. `category` is a class number of the model or an index into the
/// categories of a data set.
struct Detection {
  Box box;
  double score = 0;
  std::int64_t category = 0;
};

}  // namespace ortool
