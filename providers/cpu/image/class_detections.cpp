// Kernels for the non-maximum suppression of TensorRT and MMDeploy: EfficientNMS_TRT,
// EfficientNMS_ONNX_TRT, BatchedNMS_TRT, BatchedNMSDynamic_TRT and TRTBatchedNMS.
#include "kernels/cpu/image/class_detections.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/vision/batched_nms.hpp"
#include "libcore/ops/contrib/vision/efficient_nms.hpp"
#include "libcore/ops/contrib/vision/efficient_nms_onnx.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr const char* detection_type_names = "float32, float16";

/// The struct of an operator that several domains have.
template <typename Op>
Op read_of_any_domain(const Node& node) {
  return read_op<Op>(node, *version_of(*find_op(node.domain(), node.op_type()), node));
}

DetectionSizes detection_sizes(const PrepareContext& context, std::int64_t most) {
  const Shape& boxes = context.inputs[0].shape;
  const Shape& scores = context.inputs[1].shape;
  DetectionSizes sizes = {.batch = scores[0],
                          .boxes = scores[1],
                          .classes = scores[2],
                          .has_class_boxes = boxes.rank() == 4 && boxes[2] != 1};
  if (multiply_sizes(sizes.boxes, sizes.classes) > INT32_MAX) {
    throw Error(ErrorCode::unsupported, format("an image has {} boxes of {} classes (expected "
                                               "fewer than 2^31 scores)",
                                               sizes.boxes, sizes.classes));
  }
  sizes.most = std::min(most, sizes.scores());
  return sizes;
}

/// The scratch memory of a run.
struct DetectionWorkspace {
  std::int64_t found = 0;
  std::int64_t counts = 0;
  std::int64_t candidates = 0;
  std::int64_t bytes = 0;

  explicit DetectionWorkspace(const DetectionSizes& sizes) {
    WorkspaceLayout layout;
    const std::int64_t detections = multiply_sizes(sizes.batch, sizes.most);
    found = layout.add(multiply_sizes(detections, sizeof(Detection)));
    counts = layout.add(multiply_sizes(sizes.batch, sizeof(std::int64_t)));
    candidates = layout.add(detection_workspace_bytes(sizes));
    bytes = layout.bytes();
  }
  Detection* found_of(const RunContext& run) const {
    return reinterpret_cast<Detection*>(run.workspace() + found);
  }
  std::int64_t* counts_of(const RunContext& run) const {
    return reinterpret_cast<std::int64_t*>(run.workspace() + counts);
  }
};

float clipped(float coordinate, bool clips) {
  return clips ? std::max(std::min(coordinate, 1.0F), 0.0F) : coordinate;
}

/// The rows of the outputs: detections, then rows of padding.
class DetectionRows {
 public:
  DetectionRows(const DetectionSizes& sizes, std::int64_t most, const Detection* found,
                const std::int64_t* counts)
      : sizes_(sizes), most_(most), found_(found), counts_(counts) {}

  /// Calls body(row, detection), with null for padding.
  template <typename Body>
  void for_each(Body body) const {
    for (std::int64_t image = 0; image < sizes_.batch; ++image) {
      for (std::int64_t i = 0; i < most_; ++i) {
        body(image * most_ + i, i < counts_[image] ? found_ + image * sizes_.most + i : nullptr);
      }
    }
  }
  void write_counts(std::int32_t* out) const {
    std::transform(counts_, counts_ + sizes_.batch, out,
                   [](std::int64_t count) { return static_cast<std::int32_t>(count); });
  }
  /// Boxes [N, M, 4] of TensorRT's operators, and their scores and classes; each may be null.
  template <typename Class>
  void write_columns(bool clips, Class no_class, float* boxes, float* scores,
                     Class* classes) const {
    for_each([&](std::int64_t row, const Detection* found) {
      for (int i = 0; i < 4 && boxes != nullptr; ++i)
        boxes[row * 4 + i] = found == nullptr ? 0.0F : clipped(found->corners[i], clips);
      if (scores != nullptr) scores[row] = found == nullptr ? 0.0F : found->score;
      if (classes != nullptr)
        classes[row] = found == nullptr ? no_class : static_cast<Class>(found->kind);
    });
  }

 private:
  const DetectionSizes& sizes_;
  std::int64_t most_;
  const Detection* found_;
  const std::int64_t* counts_;
};

KernelPtr compile_efficient_nms(const NodeView& view, const KernelRow& row,
                                const CompileContext&) {
  const auto op = read_of_any_domain<EfficientNms>(view.node());
  KernelPtr kernel = make_kernel(row.name, [op](const PrepareContext& context) {
    const DetectionSizes sizes = detection_sizes(context, op.most);
    const JointDetectionRules rules = {
        .score_threshold = op.score_threshold,
        .iou_threshold = op.iou_threshold,
        .background = op.background,
        .applies_sigmoid = op.applies_sigmoid,
        .ignores_classes = op.ignores_classes,
        .center_and_size = op.coding == EfficientNms::Coding::center_and_size,
        .shares_anchors = context.has_input(2) && context.inputs[2].shape[0] == 1};
    const DetectionWorkspace memory(sizes);
    return make_prepared({.workspace_bytes = memory.bytes}, [=](const RunContext& run) {
      find_joint_detections(sizes, rules, run.input<float>(0), run.input<float>(1),
                            run.input<float>(2), memory.found_of(run), memory.counts_of(run),
                            run.workspace() + memory.candidates, run.workers());
      const DetectionRows rows(sizes, op.most, memory.found_of(run), memory.counts_of(run));
      if (auto* counts = run.output<std::int32_t>(0)) rows.write_counts(counts);
      rows.write_columns<std::int32_t>(false, 0, run.output<float>(1), run.output<float>(2),
                                       run.output<std::int32_t>(3));
    });
  });
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

/// Image, class and box of the detections [count, 3], then the last one again, or -1 without any.
void write_indices(const DetectionSizes& sizes, std::int64_t rows, const Detection* found,
                   const std::int64_t* counts, std::int32_t* out) {
  std::int32_t last[3] = {-1, -1, -1};
  const std::int32_t* const end = out + rows * 3;
  for (std::int64_t image = 0; image < sizes.batch; ++image) {
    for (std::int64_t i = 0; i < counts[image]; ++i) {
      const Detection& each = found[image * sizes.most + i];
      last[0] = static_cast<std::int32_t>(image);
      last[1] = each.kind;
      last[2] = each.box;
      out = std::copy_n(last, 3, out);
    }
  }
  while (out < end) out = std::copy_n(last, 3, out);
}

KernelPtr compile_efficient_nms_onnx(const NodeView& view, const KernelRow& row,
                                     const CompileContext&) {
  const auto op = read_of_any_domain<OnnxEfficientNms>(view.node());
  KernelPtr kernel = make_kernel(row.name, [op](const PrepareContext& context) {
    const DetectionSizes sizes = detection_sizes(context, op.most);
    const JointDetectionRules rules = {.score_threshold = op.score_threshold,
                                       .iou_threshold = op.iou_threshold,
                                       .center_and_size = op.center_and_size};
    const DetectionWorkspace memory(sizes);
    return make_prepared({.workspace_bytes = memory.bytes}, [=](const RunContext& run) {
      find_joint_detections(sizes, rules, run.input<float>(0), run.input<float>(1), nullptr,
                            memory.found_of(run), memory.counts_of(run),
                            run.workspace() + memory.candidates, run.workers());
      write_indices(sizes, sizes.batch * op.most, memory.found_of(run), memory.counts_of(run),
                    run.output<std::int32_t>(0));
    });
  });
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

ClassDetectionRules class_rules(const ClasswiseNms& op, const DetectionSizes& sizes) {
  return {.score_threshold = op.score_threshold,
          .iou_threshold = op.iou_threshold,
          .most_of_class =
              op.most_of_class < 0 ? sizes.boxes : std::min(op.most_of_class, sizes.boxes),
          .background = op.background,
          .is_normalized = op.is_normalized,
          .counts_last_pixels = op.counts_last_pixels};
}

/// A kernel that finds detections and lets `write` put them into the outputs.
template <typename Op, typename Write>
KernelPtr make_classwise_nms(const KernelRow& row, const Op& op, Write write) {
  return make_kernel(row.name, [op, write](const PrepareContext& context) {
    const std::int64_t most = op.most < 0 ? context.inputs[1].shape[1] : op.most;
    const DetectionSizes sizes = detection_sizes(context, most);
    const ClassDetectionRules rules = class_rules(op, sizes);
    const DetectionWorkspace memory(sizes);
    return make_prepared({.workspace_bytes = memory.bytes}, [=](const RunContext& run) {
      find_class_detections(sizes, rules, run.input<float>(0), run.input<float>(1),
                            memory.found_of(run), memory.counts_of(run),
                            run.workspace() + memory.candidates, run.workers());
      write(DetectionRows(sizes, most, memory.found_of(run), memory.counts_of(run)), run);
    });
  });
}

KernelPtr compile_batched_nms(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_of_any_domain<BatchedNms>(view.node());
  const bool clips = op.clips_boxes;
  KernelPtr kernel =
      make_classwise_nms(row, op, [clips](const DetectionRows& rows, const RunContext& run) {
        if (auto* counts = run.output<std::int32_t>(0)) rows.write_counts(counts);
        rows.write_columns<float>(clips, -1.0F, run.output<float>(1), run.output<float>(2),
                                  run.output<float>(3));
      });
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

KernelPtr compile_trt_batched_nms(const NodeView& view, const KernelRow& row,
                                  const CompileContext&) {
  const auto op = read_op<TrtBatchedNms>(view.node());
  const bool clips = op.clips_boxes;
  return make_classwise_nms(row, op, [clips](const DetectionRows& rows, const RunContext& run) {
    auto* dets = run.output<float>(0);
    auto* labels = run.output<std::int32_t>(1);
    auto* indices = run.output<std::int32_t>(2);
    rows.for_each([&](std::int64_t at, const Detection* found) {
      for (int i = 0; i < 4 && dets != nullptr; ++i)
        dets[at * 5 + i] = found == nullptr ? 0.0F : clipped(found->corners[i], clips);
      if (dets != nullptr) dets[at * 5 + 4] = found == nullptr ? 0.0F : found->score;
      if (labels != nullptr) labels[at] = found == nullptr ? -1 : found->kind;
      if (indices != nullptr) indices[at] = found == nullptr ? -1 : found->box;
    });
  });
}

/// The rows of an operator in the domains of TensorRT, and in none.
constexpr std::array<KernelRow, 3> tensorrt_rows(std::string_view name, std::string_view op_type,
                                                 decltype(KernelRow::compile) compile) {
  std::array<KernelRow, 3> rows = {};
  const char* const domains[] = {"", tensorrt_domain, tensorrt_plugins_domain};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = {name,    domains[i], op_type, Isa::baseline, detection_type_names, accepts_anything,
               compile};
  }
  return rows;
}

constexpr auto class_detection_rows =
    join_rows(tensorrt_rows("efficient_nms", "EfficientNMS_TRT", compile_efficient_nms),
              tensorrt_rows("efficient_nms_onnx", "EfficientNMS_ONNX_TRT",
                            compile_efficient_nms_onnx),
              tensorrt_rows("batched_nms", "BatchedNMS_TRT", compile_batched_nms),
              tensorrt_rows("batched_nms_dynamic", "BatchedNMSDynamic_TRT", compile_batched_nms),
              portable_row("trt_batched_nms", "TRTBatchedNMS", "float32", accepts_anything,
                           compile_trt_batched_nms, mmdeploy_domain));

}  // namespace

std::span<const KernelRow> class_detections_kernels() {
  return class_detection_rows;
}

}  // namespace ortool::cpu
