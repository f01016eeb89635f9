// The table of operators, one line each, and the checks all of them share.
#include "libcore/ops/catalog.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/generator/constant.hpp"
#include "libcore/ops/generator/constant_of_shape.hpp"
#include "libcore/ops/generator/range.hpp"
#include "libcore/ops/logical/boolean.hpp"
#include "libcore/ops/logical/comparison.hpp"
#include "libcore/ops/math/arithmetic.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/ops/math/is_nan.hpp"
#include "libcore/ops/math/matmul.hpp"
#include "libcore/ops/math/mod.hpp"
#include "libcore/ops/math/pow.hpp"
#include "libcore/ops/math/unary.hpp"
#include "libcore/ops/math/variadic.hpp"
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/batch_normalization.hpp"
#include "libcore/ops/nn/clip.hpp"
#include "libcore/ops/nn/conv.hpp"
#include "libcore/ops/nn/conv_transpose.hpp"
#include "libcore/ops/nn/dropout.hpp"
#include "libcore/ops/nn/global_pool.hpp"
#include "libcore/ops/nn/group_normalization.hpp"
#include "libcore/ops/nn/instance_normalization.hpp"
#include "libcore/ops/nn/layer_normalization.hpp"
#include "libcore/ops/nn/lp_normalization.hpp"
#include "libcore/ops/nn/lrn.hpp"
#include "libcore/ops/nn/mean_variance_normalization.hpp"
#include "libcore/ops/nn/pool.hpp"
#include "libcore/ops/nn/prelu.hpp"
#include "libcore/ops/nn/softmax.hpp"
#include "libcore/ops/reduction/arg_extreme.hpp"
#include "libcore/ops/reduction/reduce.hpp"
#include "libcore/ops/tensor/cast.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "libcore/ops/tensor/depth_to_space.hpp"
#include "libcore/ops/tensor/expand.hpp"
#include "libcore/ops/tensor/flatten.hpp"
#include "libcore/ops/tensor/gather.hpp"
#include "libcore/ops/tensor/identity.hpp"
#include "libcore/ops/tensor/pad.hpp"
#include "libcore/ops/tensor/reshape.hpp"
#include "libcore/ops/tensor/shape_op.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/ops/tensor/split.hpp"
#include "libcore/ops/tensor/squeeze.hpp"
#include "libcore/ops/tensor/tile.hpp"
#include "libcore/ops/tensor/transpose.hpp"
#include "libcore/ops/tensor/where.hpp"

namespace ortool {
namespace {

constexpr OpEntry entries[] = {
    op_entry<Abs>(),
    op_entry<Add>(),
    op_entry<And>(),
    op_entry<ArgMax>(),
    op_entry<ArgMin>(),
    op_entry<AveragePool>(),
    op_entry<BatchNormalization>(),
    op_entry<Cast>(),
    op_entry<CastLike>(),
    op_entry<Ceil>(),
    op_entry<Celu>(),
    op_entry<Clip>(),
    op_entry<Concat>(),
    op_entry<Constant>(),
    op_entry<ConstantOfShape>(),
    op_entry<Conv>(),
    op_entry<ConvTranspose>(),
    op_entry<DepthToSpace>(),
    op_entry<Div>(),
    op_entry<Dropout>(),
    op_entry<Elu>(),
    op_entry<Equal>(),
    op_entry<Erf>(),
    op_entry<Exp>(),
    op_entry<Expand>(),
    op_entry<Flatten>(),
    op_entry<Floor>(),
    op_entry<Gather>(),
    op_entry<Gelu>(),
    op_entry<Gemm>(),
    op_entry<GlobalAveragePool>(),
    op_entry<GlobalLpPool>(),
    op_entry<GlobalMaxPool>(),
    op_entry<Greater>(),
    op_entry<GreaterOrEqual>(),
    op_entry<GroupNormalization>(),
    op_entry<HardSigmoid>(),
    op_entry<HardSwish>(),
    op_entry<Hardmax>(),
    op_entry<Identity>(),
    op_entry<InstanceNormalization>(),
    op_entry<IsNaN>(),
    op_entry<LRN>(),
    op_entry<LayerNormalization>(),
    op_entry<LeakyRelu>(),
    op_entry<Less>(),
    op_entry<LessOrEqual>(),
    op_entry<Log>(),
    op_entry<LogSoftmax>(),
    op_entry<LpNormalization>(),
    op_entry<LpPool>(),
    op_entry<MatMul>(),
    op_entry<Max>(),
    op_entry<MaxPool>(),
    op_entry<Mean>(),
    op_entry<MeanVarianceNormalization>(),
    op_entry<Min>(),
    op_entry<Mish>(),
    op_entry<Mod>(),
    op_entry<Mul>(),
    op_entry<Neg>(),
    op_entry<Not>(),
    op_entry<Or>(),
    op_entry<PRelu>(),
    op_entry<Pad>(),
    op_entry<Pow>(),
    op_entry<RMSNormalization>(),
    op_entry<Range>(),
    op_entry<Reciprocal>(),
    op_entry<ReduceL1>(),
    op_entry<ReduceL2>(),
    op_entry<ReduceLogSum>(),
    op_entry<ReduceLogSumExp>(),
    op_entry<ReduceMax>(),
    op_entry<ReduceMean>(),
    op_entry<ReduceMin>(),
    op_entry<ReduceProd>(),
    op_entry<ReduceSum>(),
    op_entry<ReduceSumSquare>(),
    op_entry<Relu>(),
    op_entry<Reshape>(),
    op_entry<Round>(),
    op_entry<Selu>(),
    op_entry<ShapeOp>(),
    op_entry<Shrink>(),
    op_entry<Sigmoid>(),
    op_entry<Sign>(),
    op_entry<Size>(),
    op_entry<Slice>(),
    op_entry<Softmax>(),
    op_entry<Softplus>(),
    op_entry<Softsign>(),
    op_entry<SpaceToDepth>(),
    op_entry<Split>(),
    op_entry<Sqrt>(),
    op_entry<Squeeze>(),
    op_entry<Sub>(),
    op_entry<Sum>(),
    op_entry<Swish>(),
    op_entry<Tanh>(),
    op_entry<ThresholdedRelu>(),
    op_entry<Tile>(),
    op_entry<Transpose>(),
    op_entry<Unsqueeze>(),
    op_entry<Where>(),
    op_entry<Xor>(),
};

std::pair<std::string_view, std::string_view> key(const OpEntry& entry) {
  return {entry.schema->domain, entry.schema->name};
}

std::string range_text(std::int64_t fewest, std::int64_t most) {
  if (fewest == most) return format("{}", fewest);
  return most >= (std::int64_t{1} << 31) ? format("at least {}", fewest)
                                         : format("{} to {}", fewest, most);
}

void check_count(std::string_view what, std::int64_t found, std::int64_t fewest,
                 std::int64_t most) {
  if (found >= fewest && found <= most) return;
  throw Error(ErrorCode::invalid,
              format("has {} {} (expected {})", found, what, range_text(fewest, most)),
              "the file is damaged, or was written by a faulty exporter; export the model again")
      .with_id("node.arity");
}

void check_inputs(const Node& node, const OpVersion& version) {
  const std::int64_t fewest = version.fewest(version.inputs);
  check_count("inputs", node.input_count(), fewest, version.most(version.inputs));
  for (std::int64_t i = 0; i < fewest; ++i) {
    const Formal* formal = OpVersion::formal_at(version.inputs, i);
    if (node.input(i) != nullptr || formal->count != Formal::Count::single) continue;
    throw Error(ErrorCode::invalid,
                format("input {} ('{}') is left out, but is required", i, formal->name))
        .with_id("node.arity");
  }
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input == nullptr || !input->type().is_tensor()) continue;
    const Formal* formal = OpVersion::formal_at(version.inputs, i);
    const TypeSet allowed = version.allowed(formal->type);
    if (input->type().element == DataType::undefined || allowed.contains(input->type().element))
      continue;
    throw Error(ErrorCode::invalid,
                format("input {} ('{}') is {}, which version {} of the operator does not take", i,
                       formal->name, name_of(input->type().element), version.since))
        .with_id("node.type");
  }
}

void check_attributes(const Node& node, const OpVersion& version) {
  for (const Attribute& attribute : node.attributes()) {
    const AttributeSpec* spec = version.find_attribute(attribute.name);
    if (spec == nullptr) {
      throw Error(ErrorCode::invalid,
                  format("attribute '{}' is none of version {} of the operator", attribute.name,
                         version.since),
                  "the model's opset and its nodes do not go together; export it again")
          .with_id("node.attribute.unknown");
    }
    if (spec->kind != attribute.kind()) {
      throw Error(ErrorCode::invalid,
                  format("attribute '{}' is of kind {} (expected {})", attribute.name,
                         name_of(attribute.kind()), name_of(spec->kind)))
          .with_id("node.attribute.kind");
    }
  }
  for (const AttributeSpec& spec : version.attributes) {
    if (spec.is_required && node.find_attribute(spec.name) == nullptr) {
      throw Error(ErrorCode::invalid,
                  format("attribute '{}' is missing, but is required", spec.name))
          .with_id("node.attribute.missing");
    }
  }
}

}  // namespace

std::span<const OpEntry> catalog() {
  return entries;
}

const OpEntry* find_op(std::string_view domain, std::string_view op_type) {
  const std::pair wanted(domain, op_type);
  const auto* found =
      std::lower_bound(std::begin(entries), std::end(entries), wanted,
                       [](const OpEntry& entry, const auto& name) { return key(entry) < name; });
  return found != std::end(entries) && key(*found) == wanted ? found : nullptr;
}

const OpVersion* version_of(const OpEntry& entry, const Node& node) {
  return entry.schema->at(node.graph().opset(node.domain()));
}

void check_node(const Node& node) {
  try {
    const OpEntry* entry = find_op(node.domain(), node.op_type());
    const OpVersion* version = entry != nullptr ? version_of(*entry, node) : nullptr;
    if (version == nullptr) {
      throw Error(ErrorCode::unsupported, format("operator {}{}{} is not known at opset {}",
                                                 node.domain(), node.domain().empty() ? "" : ".",
                                                 node.op_type(), node.graph().opset(node.domain())))
          .with_id("node.operator.unknown");
    }
    check_inputs(node, *version);
    check_count("outputs", node.output_count(), version->fewest(version->outputs),
                version->most(version->outputs));
    check_attributes(node, *version);
    entry->check(node, *version);
  } catch (Error& error) {
    throw error.at_node(node.name(), node.op_type());
  }
}

}  // namespace ortool
