// Kernels for com.microsoft's MultiHeadAttention and DecoderMaskedMultiHeadAttention, and for what
// its Attention is decomposed to.
#include "libcore/ops/contrib/attention/multi_head_attention.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/attention/attention.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/self_attention.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/attention/attention_mask.hpp"
#include "providers/cpu/attention/head_cache.hpp"
#include "providers/cpu/attention/heads_input.hpp"
#include "providers/cpu/attention/key_mask.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

struct CompiledMultiHead {
  MultiHeadAttentionBase op;
  MultiHeadInputs inputs;
  Isa isa = Isa::baseline;
  int max_threads = 1;
  bool has_bf16_products = false;
};

std::size_t place(std::int64_t input) {
  return static_cast<std::size_t>(input);
}

/// Queries, keys and values of a node.
struct MultiHeadOperands {
  HeadsInput query;
  HeadsInput key;
  HeadsInput value;
  bool has_split_keys = false;  ///< heads come before the length, as those of another sequence
};

MultiHeadOperands find_operands(const CompiledMultiHead& compiled, const PrepareContext& context) {
  const MultiHeadInputs& inputs = compiled.inputs;
  const std::int64_t heads = compiled.op.heads;
  const Shape& query = context.inputs[place(inputs.query)].shape;
  HeadSizes sizes = {query[0], heads, query[1], 0};
  MultiHeadOperands found;
  if (query.rank() == 5) {
    sizes.size = query[4];
    found.query = interleaved_heads(sizes, 0, 3);
    found.key = interleaved_heads(sizes, 1, 3);
    found.value = interleaved_heads(sizes, 2, 3);
    return found;
  }
  if (!context.has_input(place(inputs.key))) {
    const std::int64_t keys = compiled.op.key_width > 0 ? compiled.op.key_width : query[2] / 3;
    const std::int64_t values =
        compiled.op.value_width > 0 ? compiled.op.value_width : query[2] / 3;
    sizes.size = keys / heads;
    found.query = packed_heads(sizes, 0, query[2]);
    found.key = packed_heads(sizes, keys, query[2]);
    sizes.size = values / heads;
    found.value = packed_heads(sizes, 2 * keys, query[2]);
    return found;
  }
  sizes.size = query[2] / heads;
  found.query = packed_heads(sizes, 0, query[2]);
  const Shape& key = context.inputs[place(inputs.key)].shape;
  const auto of_sequence = [&](const Shape& shape, std::int64_t part) {
    if (shape.rank() == 3)
      return packed_heads({shape[0], heads, shape[1], shape[2] / heads}, 0, shape[2]);
    if (shape.rank() == 4) return split_heads({shape[0], heads, shape[2], shape[3]});
    return interleaved_heads({shape[0], heads, shape[1], shape[4]}, part, 2);
  };
  found.has_split_keys = key.rank() == 4;
  found.key = of_sequence(key, 0);
  found.value = context.has_input(place(inputs.value)) && key.rank() != 5
                    ? of_sequence(context.inputs[place(inputs.value)].shape, 0)
                    : of_sequence(key, 1);
  return found;
}

class MultiHeadPrepared : public Prepared {
 public:
  MultiHeadPrepared(const CompiledMultiHead& compiled, const PrepareContext& context)
      : compiled_(compiled), operands_(find_operands(compiled, context)) {
    const MultiHeadInputs& inputs = compiled.inputs;
    query_ = place(inputs.query);
    key_ = context.has_input(place(inputs.key)) ? place(inputs.key) : query_;
    const bool has_values = key_ != query_ && context.has_input(place(inputs.value)) &&
                            context.inputs[key_].shape.rank() != 5;
    value_ = has_values ? place(inputs.value) : key_;
    const HeadSizes& query = operands_.query.sizes;
    const HeadSizes& key = operands_.key.sizes;
    const HeadSizes& value = operands_.value.sizes;
    if (key.batch != query.batch || value.batch != query.batch || value.length != key.length ||
        key.size != query.size) {
      throw Error(ErrorCode::invalid, "queries, keys and values differ in batch, length or size");
    }
    find_past(context);
    rotated_ = compiled.op.rotated_size < 0 ? query.size : compiled.op.rotated_size;
    const bool rotates = rotated_ > 0;
    if (rotates) {
      if (rotated_ > query.size || rotated_ % 2 != 0)
        throw Error(ErrorCode::invalid, format("{} elements are to be rotated (expected an even "
                                               "number, at most the {} of a head)",
                                               rotated_, query.size));
      angles_ = PositionAngles(query, past_, rotated_);
    }
    const bool has_bias = context.has_input(place(inputs.bias));
    ready_query_ = HeadsSpace(operands_.query, has_bias || rotates, layout_);
    // Split keys and values are those of another sequence, which have their biases already.
    const bool has_key_bias = has_bias && !operands_.has_split_keys;
    ready_key_ = HeadsSpace(operands_.key, has_key_bias || rotates, layout_);
    ready_value_ = HeadsSpace(operands_.value, has_key_bias, layout_);
    prepare_caches(context);
    sizes_ = {query.batch, query.heads, query.heads, query.length, total_, query.size, value.size};
    prepare_masks(context);
    prepare_rules(context);
    space_ =
        layout_.add(attention_workspace_bytes(sizes_, rules_, compiled.isa, compiled.max_threads));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }
  std::int64_t held_bytes() const override { return angles_.bytes(); }

  void run(const RunContext& run) const override {
    const Isa isa = compiled_.isa;
    const HeadSizes& query = operands_.query.sizes;
    const auto* bias = run.input<float>(place(compiled_.inputs.bias));
    const auto steps = [&](std::int64_t first, bool is_rotated) {
      HeadSteps result;
      if (bias != nullptr) result.bias = bias + first;
      if (is_rotated && !angles_.rows.empty()) {
        result.cosines = angles_.cosines.data();
        result.sines = angles_.sines.data();
        result.angle_rows = angles_.rows.data();
        result.pairs = rotated_ / 2;
      }
      return result;
    };
    const std::int64_t width = query.heads * query.size;
    const auto rows_of = [&](const HeadsInput& input, std::size_t operand) {
      return input.rows(run.input<float>(operand));
    };
    AttentionOperands<float> operands;
    operands.queries =
        ready_query_.read(run, rows_of(operands_.query, query_), steps(0, true), isa);
    operands.keys = ready_key_.read(run, rows_of(operands_.key, key_), steps(width, true), isa);
    operands.values =
        ready_value_.read(run, rows_of(operands_.value, value_), steps(2 * width, false), isa);
    const BeamSelection beams = beams_of(run);
    if (keys_.is_given) operands.keys = keys_.extend(run, operands.keys, beams, isa);
    if (values_.is_given) operands.values = values_.extend(run, operands.values, beams, isa);
    operands.key_mask = key_mask_.read(run);
    operands.mask = bias_.read(run);
    operands.mask_keys = bias_.keys();
    operands.out = HeadSizes{query.batch, query.heads, query.length, sizes_.value_size}.packed(
        run.output<float>(0));
    operands.kept = rules_.kept != KeptScores::none ? run.output<float>(3) : nullptr;
    SizedWorkers workers(run.workers(), compiled_.max_threads);
    attention(sizes_, rules_, operands, isa, run.workspace() + space_, workers.get());
  }

 private:
  /// The number of past rows, and of all.
  void find_past(const PrepareContext& context) {
    const MultiHeadInputs& inputs = compiled_.inputs;
    total_ = operands_.key.sizes.length;
    if (!context.has_input(place(inputs.past_key))) return;
    const Shape& cache = context.inputs[place(inputs.past_key)].shape;
    past_ = cache[cache.rank() - 2];
    if (context.has_input(place(inputs.past_length))) {
      const Tensor* known = context.inputs[place(inputs.past_length)].known.read_value();
      if (known == nullptr)
        throw Error(ErrorCode::unsupported,
                    "'past_sequence_length' depends on data (expected a number that is known "
                    "before the run)");
      const std::int64_t rows = past_;
      past_ = known->data<std::int32_t>().front();
      if (past_ < 0 || past_ + total_ > rows)
        throw Error(ErrorCode::invalid, format("{} past and {} new keys do not fit a cache of {}",
                                               past_, total_, rows));
      positions_.assign(static_cast<std::size_t>(cache[cache.rank() - 4]), past_);
    }
    total_ += past_;
  }

  void prepare_caches(const PrepareContext& context) {
    const MultiHeadInputs& inputs = compiled_.inputs;
    const std::int64_t* positions = positions_.empty() ? nullptr : positions_.data();
    const bool is_joint = inputs.past_value == inputs.past_key;
    keys_ =
        HeadCache(context, place(inputs.past_key), 1, 0, operands_.key.sizes, positions, layout_);
    values_ = HeadCache(context, place(inputs.past_value), is_joint ? 1 : 2, is_joint ? 1 : 0,
                        operands_.value.sizes, positions, layout_);
    if (is_joint && keys_.is_given && operands_.key.sizes.size != operands_.value.sizes.size)
      throw Error(ErrorCode::invalid, "keys and values of one cache differ in size");
    if (!context.has_input(place(inputs.cache_indirection)) || past_ == 0) return;
    const Shape& shape = context.inputs[place(inputs.cache_indirection)].shape;
    const std::int64_t batch = operands_.query.sizes.batch;
    const bool fits = shape.rank() == 3 && shape[1] > 0 && shape[0] * shape[1] == batch &&
                      shape[2] >= past_ && shape[1] > 0;
    if (!fits)
      throw Error(
          ErrorCode::invalid,
          format("'cache_indirection' does not have the shape of {} batches by beams and {} "
                 "past keys",
                 batch, past_));
    for (HeadCache* cache : {&keys_, &values_}) {
      if (cache->is_given)
        cache->beams_space = layout_.add(bytes_of(DataType::float32, cache->present_count()));
    }
    beams_ = {batch, operands_.query.sizes.heads, shape[1], past_, 0, 0, nullptr, shape[2]};
  }

  BeamSelection beams_of(const RunContext& run) const {
    BeamSelection beams = beams_;
    beams.beam_of = run.input<std::int32_t>(place(compiled_.inputs.cache_indirection));
    return beams;
  }

  void prepare_masks(const PrepareContext& context) {
    const MultiHeadInputs& inputs = compiled_.inputs;
    const MultiHeadAttentionBase& op = compiled_.op;
    // Where hidden keys show, they have the scores that ONNX Runtime gives them.
    constexpr float lowest_usual = -1e30F;
    const bool shows_hidden =
        context.has_output(3) || total_ != past_ + sizes_.queries ||
        (context.has_input(place(inputs.mask)) && op.mask_filter < lowest_usual);
    adds_causal_ = op.is_causal && shows_hidden;
    key_mask_ = KeyMaskOperand(context, place(inputs.mask),
                               {.batch = sizes_.batch,
                                .queries = sizes_.queries,
                                .keys = total_,
                                .past = past_,
                                .filter = op.mask_filter,
                                .adds_causal = adds_causal_},
                               layout_);
    bias_ = MaskOperand<float>(context, place(inputs.attention_bias), "attention_bias", total_,
                               layout_);
  }

  void prepare_rules(const PrepareContext& context) {
    rules_.scale = compiled_.op.scale.value_or(
        static_cast<float>(1 / std::sqrt(static_cast<double>(sizes_.key_size))));
    rules_.is_causal = compiled_.op.is_causal && !adds_causal_;
    rules_.past = past_;
    rules_.has_bf16_products = compiled_.has_bf16_products;
    if (context.has_output(3)) rules_.kept = KeptScores::masked;
  }

  const CompiledMultiHead& compiled_;
  MultiHeadOperands operands_;
  WorkspaceLayout layout_;
  std::size_t query_ = 0;
  std::size_t key_ = 0;
  std::size_t value_ = 0;
  std::int64_t rotated_ = 0;
  std::int64_t past_ = 0;
  std::int64_t total_ = 0;
  std::vector<std::int64_t> positions_;  ///< of new rows in caches with room for more
  PositionAngles angles_;
  HeadsSpace ready_query_;
  HeadsSpace ready_key_;
  HeadsSpace ready_value_;
  HeadCache keys_;
  HeadCache values_;
  BeamSelection beams_;
  bool adds_causal_ = false;
  KeyMaskOperand key_mask_;
  MaskOperand<float> bias_;
  AttentionSizes sizes_;
  AttentionRules rules_;
  std::int64_t space_ = 0;
};

class MultiHeadKernel : public Kernel {
 public:
  MultiHeadKernel(std::string_view name, CompiledMultiHead compiled)
      : name_(name), compiled_(std::move(compiled)) {}

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const MultiHeadPrepared>(compiled_, context);
  }

 private:
  std::string_view name_;
  CompiledMultiHead compiled_;
};

template <typename Op, bool has_bf16_products = false>
KernelPtr compile_multi_head(const NodeView& view, const KernelRow& row,
                             const CompileContext& context) {
  CompiledMultiHead compiled;
  compiled.op = read_op<Op>(view.node());
  compiled.inputs = Op::inputs;
  compiled.isa = row.isa;
  compiled.max_threads = context.max_threads;
  compiled.has_bf16_products = has_bf16_products;
  KernelPtr kernel = std::make_unique<const MultiHeadKernel>(row.name, compiled);
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

constexpr auto multi_head_rows =
    join_rows(isa_rows<"multi_head_attention">(
                  "MultiHeadAttention", float_like_type_names, accepts_float_like,
                  compile_multi_head<MultiHeadAttention>, contrib_domain),
              isa_rows<"decoder_attention">(
                  "DecoderMaskedMultiHeadAttention", float_like_type_names, accepts_float_like,
                  compile_multi_head<DecoderMaskedMultiHeadAttention>, contrib_domain),
              isa_rows<"self_attention">("SelfAttention", float_like_type_names, accepts_float_like,
                                         compile_multi_head<SelfAttention>, own_domain));

constexpr auto compile_bf16_multi_head = compile_multi_head<MultiHeadAttention, true>;

// clang-format off
constexpr std::array<KernelRow, 2> bf16_multi_head_rows = {{
    {"multi_head_attention_bf16_amx", contrib_domain, "MultiHeadAttention", Isa::amx, float_like_type_names, accepts_float_like, compile_bf16_multi_head},
    {"multi_head_attention_bf16_avx512", contrib_domain, "MultiHeadAttention", Isa::avx512, float_like_type_names, accepts_float_like, compile_bf16_multi_head},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> bf16_multi_head_attention_kernels() {
  return bf16_multi_head_rows;
}

std::span<const KernelRow> multi_head_attention_kernels() {
  return multi_head_rows;
}

}  // namespace ortool::cpu
