// Detection decoder: turns the outputs of a detector into boxes, scores and class numbers.
#pragma once

#include <span>
#include <vector>

#include "libcore/dataset/metrics/detection.hpp"
#include "libcore/dataset/metrics/detection_options.hpp"
#include "libcore/dataset/metrics/image_placement.hpp"
#include "libcore/dataset/metrics/named_tensor.hpp"

namespace ortool {

/// The categories of the annotations that outputs are compared with.
struct CategoryRange {
  std::int64_t count = 0;
  std::int64_t last_id = 0;
  bool are_named_by_model = false;  ///< its metadata says which class is which category
};

/// A layout with the outputs that hold its parts.
struct DetectionOutputs {
  DetectionLayout layout = DetectionLayout::automatic;
  const Tensor* boxes = nullptr;  ///< or all, in the layouts of one output
  const Tensor* scores = nullptr;
  const Tensor* labels = nullptr;  ///< may be missing where there is one category
  const Tensor* count = nullptr;     ///< may be missing
  std::int64_t mask_attributes = 0;  ///< coefficients of masks after the class scores
};

/// Finds the outputs of `layout`, or of the first layout that fits names and shapes. Throws
/// ErrorCode::invalid when there is none.
DetectionOutputs find_detection_outputs(std::span<const NamedTensor> outputs,
                                        DetectionLayout layout, const CategoryRange& categories);

class DetectionDecoder {
 public:
  DetectionDecoder(const DetectionOptions& options, const CategoryRange& categories)
      : options_(options), categories_(categories) {}

  /// The detections of one image in pixels of the input, with the class numbers of the model.
  /// Throws ErrorCode::invalid for outputs that have another layout.
  std::vector<Detection> decode(std::span<const NamedTensor> outputs, const ImageSize& input_size);

  /// Complete once something has been decoded.
  const DetectionOptions& options() const { return options_; }
  /// The classes that the model scores; 0 when its outputs do not tell.
  std::int64_t class_count() const { return class_count_; }
  /// Whether overlapping boxes are suppressed here.
  bool suppresses() const;

 private:
  void complete_options(const DetectionOutputs& outputs);
  /// The class number of the only category.
  std::int64_t only_class() const;

  DetectionOptions options_;
  CategoryRange categories_;
  std::int64_t class_count_ = 0;
  bool is_complete_ = false;
};

}  // namespace ortool
