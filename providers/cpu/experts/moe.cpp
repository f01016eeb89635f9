// Kernels for com.microsoft.MoE and QMoE: tokens are sorted by expert, so that each expert that is
// chosen multiplies all of its tokens at once.
#include "libcore/ops/contrib/weights/moe.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/cpu/experts/routing.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/experts/expert_weights.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr std::size_t no_input = 64;

/// How a layer is stored, but for its sizes.
struct LayerSpec {
  ExpertInputs inputs;
  int bits = 0;
  std::int64_t block_size = 0;
  bool has_zeros = false;
  bool allows_int8 = false;

  ExpertLayout layout(const Shape& weights) const {
    ExpertLayout made;
    made.experts = weights[0];
    made.n = weights[1];
    made.k = bits > 0 ? weights[2] * (8 / bits) : weights[2];
    made.bits = bits;
    made.block_size = block_size > 0 ? block_size : made.k;
    made.has_zeros = has_zeros;
    made.has_row_zeros = block_size > 0;
    made.allows_int8 = allows_int8;
    return made;
  }
};

constexpr std::size_t max_layers = 3;

/// Decided at compile time, once per node.
struct CompiledExperts {
  ExpertLayer layer;
  std::size_t layers = 2;
  LayerSpec specs[max_layers];
  std::optional<ExpertWeights> packed[max_layers];  ///< of constant weights
  std::size_t mixing_input = no_input;
  Isa isa = Isa::baseline;
  int max_threads = 1;
};

/// The activation that the first product's epilogue applies.
Activation fused_activation(ExpertLayer::Activation activation) {
  switch (activation) {
    case ExpertLayer::Activation::relu:
      return Activation::relu;
    case ExpertLayer::Activation::gelu:
      return Activation::gelu_tanh;
    case ExpertLayer::Activation::silu:
      return Activation::swish;
    default:
      return Activation::none;
  }
}

class ExpertsPrepared : public Prepared {
 public:
  ExpertsPrepared(const CompiledExperts& experts, const PrepareContext& context)
      : experts_(experts) {
    for (std::size_t i = 0; i < experts.layers; ++i) {
      const LayerSpec& spec = experts.specs[i];
      if (!experts.packed[i]) {
        own_[i].emplace(spec.layout(context.inputs[spec.inputs.weights].shape), spec.inputs,
                        experts.isa, experts.max_threads);
      }
      layers_[i] = experts.packed[i] ? &*experts.packed[i] : &*own_[i];
    }
    const Shape& shape = context.inputs[1].shape;
    sizes_ = {shape[0], shape[1], experts.layer.chosen};
    const std::int64_t picks = sizes_.tokens * sizes_.chosen;
    starts_ = layout_.add((sizes_.experts + 1) * 4);
    tokens_ = layout_.add(picks * 4);
    weights_ = layout_.add(picks * 4);
    picked_ = layout_.add(picks * 4);
    picked_weights_ = layout_.add(picks * 4);
    const std::int64_t rows = sizes_.tokens;
    rows_ = layout_.add(rows * hidden() * 4);
    made_ = layout_.add(rows * layers_[0]->layout().n * 4);
    gate_ = layout_.add(rows * inner() * 4);
    gated_ = layout_.add(rows * inner() * 4);
    results_ = layout_.add(rows * hidden() * 4);
    std::int64_t most = 0;
    for (std::size_t i = 0; i < experts.layers; ++i)
      most = std::max(most, layers_[i]->workspace_bytes(rows));
    space_ = layout_.add(most);
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }

  void run(const RunContext& run) const override {
    SizedWorkers sized(run.workers(), experts_.max_threads);
    Workers& workers = sized.get();
    const ExpertChoice choice = {part<std::int32_t>(run, starts_), part<std::int32_t>(run, tokens_),
                                 part<float>(run, weights_), part<std::int32_t>(run, picked_),
                                 part<float>(run, picked_weights_)};
    choose_experts(sizes_, run.input<float>(1), run.input<float>(experts_.mixing_input),
                   experts_.layer.normalizes, choice);
    std::fill_n(run.output<float>(0), sizes_.tokens * hidden(), 0.0F);
    for (std::int64_t expert = 0; expert < sizes_.experts; ++expert) {
      const std::int32_t first = choice.starts[expert];
      const std::int64_t rows = choice.starts[expert + 1] - first;
      if (rows == 0) continue;
      auto* const x = part<float>(run, rows_);
      copy_rows(run.input<float>(0), choice.tokens + first, rows, hidden(), x, workers);
      const float* inner = run_first(run, expert, rows, x, workers);
      auto* const y = part<float>(run, results_);
      layers_[1]->multiply(expert, rows, inner, y, Activation::none, run, run.workspace() + space_,
                           workers);
      add_weighted_rows(y, choice.tokens + first, choice.weights + first, rows, hidden(),
                        run.output<float>(0), workers);
      workers.poll();
    }
  }

 private:
  template <typename T>
  T* part(const RunContext& run, std::int64_t offset) const {
    return reinterpret_cast<T*>(run.workspace() + offset);
  }

  /// The first layer, its activation and gate.
  const float* run_first(const RunContext& run, std::int64_t expert, std::int64_t rows,
                         const float* x, Workers& workers) const {
    const ExpertLayer& layer = experts_.layer;
    auto* const made = part<float>(run, made_);
    auto* const gate = part<float>(run, gate_);
    auto* const gated = part<float>(run, gated_);
    std::byte* const space = run.workspace() + space_;
    layers_[0]->multiply(expert, rows, x, made, fused_activation(layer.activation), run, space,
                         workers);
    if (has_third())
      layers_[2]->multiply(expert, rows, x, gate, Activation::none, run, space, workers);
    if (layer.activation != ExpertLayer::Activation::swiglu) {
      if (has_third()) multiply_elements(made, gate, rows * inner(), workers);
      return made;
    }
    GatedRows in = {made, gate, inner(), 1};
    if (layer.gate == ExpertLayer::GateForm::interleaved) in = {made, made + 1, 2 * inner(), 2};
    if (layer.gate == ExpertLayer::GateForm::concatenated)
      in = {made, made + inner(), 2 * inner(), 1};
    gate_rows(in, rows, inner(), layer.alpha, layer.beta, layer.limit, gated, experts_.isa,
              workers);
    return gated;
  }

  bool has_third() const { return experts_.layers == max_layers; }
  std::int64_t inner() const { return layers_[1]->layout().k; }
  std::int64_t hidden() const { return layers_[1]->layout().n; }

  const CompiledExperts& experts_;
  std::optional<ExpertWeights> own_[max_layers];
  const ExpertWeights* layers_[max_layers] = {};
  ExpertSizes sizes_;
  WorkspaceLayout layout_;
  std::int64_t starts_ = 0;
  std::int64_t tokens_ = 0;
  std::int64_t weights_ = 0;
  std::int64_t picked_ = 0;
  std::int64_t picked_weights_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t made_ = 0;
  std::int64_t gate_ = 0;
  std::int64_t gated_ = 0;
  std::int64_t results_ = 0;
  std::int64_t space_ = 0;
};

class ExpertsKernel : public Kernel {
 public:
  ExpertsKernel(std::string_view name, CompiledExperts experts)
      : name_(name), experts_(std::move(experts)) {}

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const ExpertsPrepared>(experts_, context);
  }
  bool needs_input(std::size_t index) const override {
    for (const std::optional<ExpertWeights>& each : experts_.packed) {
      if (!each) continue;
      const ExpertInputs& inputs = each->inputs();
      if (index == inputs.weights || index == inputs.scales || index == inputs.zeros) return false;
    }
    return true;
  }
  std::int64_t packed_bytes() const override {
    std::int64_t bytes = 0;
    for (const std::optional<ExpertWeights>& each : experts_.packed)
      bytes += each ? each->packed_bytes() : 0;
    return bytes;
  }

 private:
  std::string_view name_;
  CompiledExperts experts_;
};

/// Packs the layers whose weights are constant.
KernelPtr compile_experts(const NodeView& view, const KernelRow& row, const CompileContext& context,
                          CompiledExperts experts) {
  experts.isa = row.isa;
  experts.max_threads = context.max_threads;
  for (std::size_t i = 0; i < experts.layers; ++i) {
    const LayerSpec& spec = experts.specs[i];
    const Tensor* weights = view.constant(static_cast<std::int64_t>(spec.inputs.weights));
    if (weights == nullptr) continue;
    ExpertWeights packed(spec.layout(weights->shape()), spec.inputs, row.isa, context.max_threads);
    packed.pack(view, context);
    if (packed.is_packed()) experts.packed[i].emplace(std::move(packed));
  }
  return std::make_unique<const ExpertsKernel>(row.name, std::move(experts));
}

KernelPtr compile_moe(const NodeView& view, const KernelRow& row, const CompileContext& context) {
  CompiledExperts experts;
  experts.layer = read_op<MoE>(view.node());
  experts.layers = view.node().input(6) != nullptr ? max_layers : 2;
  for (std::size_t i = 0; i < experts.layers; ++i)
    experts.specs[i].inputs = {2 + 2 * i, no_input, no_input, 3 + 2 * i};
  return compile_experts(view, row, context, std::move(experts));
}

KernelPtr compile_qmoe(const NodeView& view, const KernelRow& row, const CompileContext& context) {
  const auto op = read_op<QMoE>(view.node());
  CompiledExperts experts;
  experts.layer = op;
  experts.layers = view.node().input(8) != nullptr ? max_layers : 2;
  experts.mixing_input = 14;
  for (std::size_t i = 0; i < experts.layers; ++i) {
    const std::size_t first = 2 + 3 * i;
    const std::size_t zeros = 11 + i;
    experts.specs[i] = {{first, first + 1, zeros, first + 2},
                        static_cast<int>(op.bits[i]),
                        op.block_size,
                        view.node().input(static_cast<std::int64_t>(zeros)) != nullptr,
                        op.allows_int8};
  }
  return compile_experts(view, row, context, std::move(experts));
}

template <KernelPtr (*compile)(const NodeView&, const KernelRow&, const CompileContext&)>
KernelPtr compile_fp16_experts(const NodeView& view, const KernelRow& row,
                               const CompileContext& context) {
  return make_fp16_kernel(compile(view, row, context), row.isa);
}

/// Whether swiglu has the matrices that it needs.
bool has_layers(const NodeView& view, const ExpertLayer& layer, std::int64_t third) {
  const bool is_separate = layer.activation == ExpertLayer::Activation::swiglu &&
                           layer.gate == ExpertLayer::GateForm::separate;
  return !is_separate || view.node().input(third) != nullptr;
}

bool has_moe_layers(const NodeView& view) {
  return has_layers(view, read_op<MoE>(view.node()), 6);
}

bool has_qmoe_layers(const NodeView& view) {
  const bool has_codes = view.input_type(2) == DataType::uint8 && view.node().input(3) != nullptr;
  return has_codes && has_layers(view, read_op<QMoE>(view.node()), 8);
}

bool accepts_moe(const NodeView& view) {
  return accepts_float32(view) && has_moe_layers(view);
}
bool accepts_fp16_moe(const NodeView& view) {
  return accepts_fp16(view) && has_moe_layers(view);
}
bool accepts_qmoe(const NodeView& view) {
  return accepts_float32(view) && has_qmoe_layers(view);
}
bool accepts_fp16_qmoe(const NodeView& view) {
  return accepts_fp16(view) && has_qmoe_layers(view);
}

constexpr auto moe_rows =
    join_rows(isa_rows<"moe">("MoE", "float32", accepts_moe, compile_moe, contrib_domain),
              isa_rows<"moe_half">("MoE", fp16_type_names, accepts_fp16_moe,
                                   compile_fp16_experts<compile_moe>, contrib_domain),
              int8_isa_rows<"qmoe">("QMoE", "float32", accepts_qmoe, compile_qmoe, contrib_domain),
              int8_isa_rows<"qmoe_half">("QMoE", fp16_type_names, accepts_fp16_qmoe,
                                         compile_fp16_experts<compile_qmoe>, contrib_domain));

}  // namespace

std::span<const KernelRow> moe_kernels() {
  return moe_rows;
}

}  // namespace ortool::cpu
