// Operators on boxes and images beyond ONNX's own, one line each, sorted by domain, then name.
#include "libcore/ops/contrib/vision/batched_nms.hpp"
#include "libcore/ops/contrib/vision/decode_image.hpp"
#include "libcore/ops/contrib/vision/draw_bounding_boxes.hpp"
#include "libcore/ops/contrib/vision/efficient_nms.hpp"
#include "libcore/ops/contrib/vision/efficient_nms_onnx.hpp"
#include "libcore/ops/contrib/vision/encode_image.hpp"
#include "libcore/ops/contrib/vision/gaussian_blur.hpp"
#include "libcore/ops/contrib/vision/mmdeploy_ops.hpp"
#include "libcore/ops/contrib/vision/nms_rotated.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry vision_entries[] = {
    op_entry<BatchedNmsDynamicWithoutDomain>(),
    op_entry<BatchedNmsWithoutDomain>(),
    op_entry<OnnxEfficientNmsWithoutDomain>(),
    op_entry<EfficientNmsWithoutDomain>(),
    op_entry<BatchedNmsDynamicOfTrt>(),
    op_entry<BatchedNmsOfTrt>(),
    op_entry<OnnxEfficientNmsOfTrt>(),
    op_entry<EfficientNmsOfTrt>(),
    op_entry<extensions::GaussianBlur>(),
    op_entry<extensions::ImageDecoder>(),
    op_entry<DecodeImage>(),
    op_entry<DrawBoundingBoxes>(),
    op_entry<EncodeImage>(),
    op_entry<MmcvDeformConv>(),
    op_entry<MmcvRoiAlignOfMmcv>(),
    op_entry<MmcvGridSampler>(),
    op_entry<MmdeployDeformConv>(),
    op_entry<MmdeployRoiAlign>(),
    op_entry<NmsRotated>(),
    op_entry<TrtBatchedNms>(),
    op_entry<MmdeployGridSampler>(),
    op_entry<BatchedNmsDynamicOfPlugins>(),
    op_entry<BatchedNmsOfPlugins>(),
    op_entry<OnnxEfficientNmsOfPlugins>(),
    op_entry<EfficientNmsOfPlugins>(),
};

}  // namespace

std::span<const OpEntry> vision_contrib_operators() {
  return vision_entries;
}

}  // namespace ortool
