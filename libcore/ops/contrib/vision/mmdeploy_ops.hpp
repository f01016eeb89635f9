// MMCV's and MMDeploy's forms of GridSample, RoiAlign and DeformConv, as OpenMMLab's exporters
// write them.
// https://github.com/open-mmlab/mmdeploy/blob/main/docs/en/06-custom-ops/onnxruntime.md
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// GridSample with numbers for its modes: 0 bilinear, 1 nearest, 2 bicubic; 0 zeros, 1 border, 2
/// reflection.
struct MmGridSampler {
  std::int64_t interpolation_mode = 0;
  std::int64_t padding_mode = 0;
  bool align_corners = false;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// RoiAlign with regions [n, 5], whose first column is the image's index.
struct MmcvRegionAlignment {
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t sampling_ratio = 0;
  float spatial_scale = 1;
  bool takes_maximum = false;
  bool is_aligned = true;  ///< shifted by half a pixel
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// DeformConv with the inputs x, offset, mask, weight and bias.
struct MmcvModulatedDeformConv2d {
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> pads;  ///< of both ends of each axis
  std::vector<std::int64_t> dilations;
  std::int64_t groups = 1;
  std::int64_t offset_groups = 1;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

// The operators in the domains of MMDeploy and, before it, MMCV.
struct MmdeployGridSampler : MmGridSampler {
  static const OpSchema schema;
};
struct MmcvGridSampler : MmGridSampler {
  static const OpSchema schema;
};
struct MmdeployRoiAlign : MmcvRegionAlignment {
  static const OpSchema schema;
};
struct MmcvRoiAlignOfMmcv : MmcvRegionAlignment {
  static const OpSchema schema;
};
struct MmdeployDeformConv : MmcvModulatedDeformConv2d {
  static const OpSchema schema;
};
struct MmcvDeformConv : MmcvModulatedDeformConv2d {
  static const OpSchema schema;
};

}  // namespace ortool
