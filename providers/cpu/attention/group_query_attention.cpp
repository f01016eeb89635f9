// Kernels for com.microsoft's GroupQueryAttention.
#include "libcore/ops/contrib/attention/group_query_attention.hpp"

#include <cmath>

#include "kernels/cpu/attention/attention.hpp"
#include "kernels/cpu/attention/kv_cache.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/attention/attention_mask.hpp"
#include "providers/cpu/attention/heads_input.hpp"
#include "providers/cpu/attention/token_positions.hpp"
#include "providers/cpu/attention/window_cache.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

using Gqa = GroupQueryAttention;

struct CompiledGroupQuery {
  Gqa op;
  Isa isa = Isa::baseline;
  int max_threads = 1;
  bool has_bf16_products = false;
};

/// A cache of keys or values in the type of its tensors.
struct GroupCache {
  std::size_t past = 0;
  std::size_t present = 0;
  std::size_t scale = 0;
  CacheUpdate append;
  std::int64_t space = -1;         ///< for present rows without an output
  std::int64_t staging_space = 0;  ///< for rows of a staged step
  WindowCache window;

  GroupCache() = default;
  GroupCache(const PrepareContext& context, std::size_t past_input, std::size_t output,
             std::size_t scales, DataType type, const HeadSizes& sizes, std::int64_t total,
             const WindowCache& rows, WorkspaceLayout& layout)
      : past(past_input), present(output), scale(scales), window(rows) {
    append.format.type = type;
    append.format.size = sizes.size;
    append.batch = sizes.batch;
    append.heads = sizes.heads;
    append.row_count = sizes.length;
    append.present_rows = total;
    if (context.has_input(past)) {
      append.past_rows = context.inputs[past].shape[2];
      append.present_rows = rows.is_given() ? append.past_rows : std::max(total, append.past_rows);
    }
    if (rows.is_staged())
      staging_space = layout.add(
          multiply_sizes(sizes.batch * sizes.heads, rows.rows() * append.format.row_bytes()));
    if (!context.has_output(output))
      space = layout.add(multiply_sizes(sizes.batch * sizes.heads,
                                        append.present_rows * append.format.row_bytes()));
    if (!is_quantized()) return;
    if (!context.has_input(scales))
      throw Error(ErrorCode::invalid, "a scale is left out, which a quantized cache needs");
    const std::int64_t count = context.inputs[scales].shape.element_count();
    append.format.has_channel_scales = count != 1;
    if (count != 1 && count != sizes.heads * sizes.size)
      throw Error(ErrorCode::invalid, format("a cache has {} scales (expected 1 or {})", count,
                                             sizes.heads * sizes.size));
    if (type == DataType::uint8 && sizes.size % 2 != 0)
      throw Error(
          ErrorCode::unsupported,
          format("heads have {} elements (expected an even number for 4-bit caches)", sizes.size));
  }

  bool is_quantized() const {
    return append.format.type == DataType::int8 || append.format.type == DataType::uint8;
  }

  /// Fills the cache; the attention reads its rows.
  EncodedRows extend(const RunContext& run, const HeadRows<const float*>& rows,
                     const std::int64_t* positions, Isa isa) const {
    CacheUpdate here = append;
    here.rows = rows;
    here.positions = positions;
    here.format.scales = run.input<float>(scale);
    here.past = run.input<std::byte>(past);
    here.present = space >= 0 ? run.workspace() + space : run.output<std::byte>(present);
    if (window.is_given()) here.dropped = window.dropped(run);
    const std::int64_t row_bytes = here.format.row_bytes();
    if (window.is_staged()) {
      std::byte* kept = here.present;
      here.present = run.workspace() + staging_space;
      here.present_rows = window.rows();
      append_to_cache(here, run.workers(), isa);
      copy_last_rows({row_bytes, here.batch, here.heads, here.present, here.present_rows,
                      window.lengths(run), window.kept(run), kept, append.present_rows},
                     run.workers());
    } else {
      append_to_cache(here, run.workers(), isa);
    }
    const std::int64_t head_bytes = here.present_rows * row_bytes;
    return {here.format, {here.present, here.heads * head_bytes, head_bytes, row_bytes}};
  }
};

/// Rows of float32 are read as they are, others are decoded.
void set_rows(const EncodedRows& cache, HeadRows<const float*>& plain, EncodedRows& encoded) {
  if (cache.format.type != DataType::float32) {
    encoded = cache;
    return;
  }
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(float));
  plain = {reinterpret_cast<const float*>(cache.rows.data), cache.rows.batch_stride / bytes,
           cache.rows.head_stride / bytes, cache.rows.row_stride / bytes};
}

class GroupQueryPrepared : public Prepared {
 public:
  GroupQueryPrepared(const CompiledGroupQuery& compiled, const PrepareContext& context)
      : compiled_(compiled) {
    const Gqa& op = compiled.op;
    const Tensor* known = context.inputs[Gqa::total_sequence_length].known.read_value();
    if (known == nullptr)
      throw Error(ErrorCode::unsupported,
                  "'total_sequence_length' depends on data (expected a number that is known before "
                  "the run)");
    const std::int64_t total = known->data<std::int32_t>().front();
    find_operands(context);
    const HeadSizes& query = query_.sizes;
    if (key_.sizes.length != query.length || value_.sizes.length != query.length ||
        key_.sizes.batch != query.batch || value_.sizes.batch != query.batch)
      throw Error(ErrorCode::invalid, "queries, keys and values differ in batch or length");
    positions_ = CachePositions(query.batch, query.length, total, Gqa::seqlens_k, layout_);
    if (op.drops_rows) {
      const std::int64_t rows = context.inputs[Gqa::past_key].shape[2];
      if (context.inputs[Gqa::past_value].shape[2] != rows)
        throw Error(ErrorCode::invalid, "caches of keys and values differ in their rows");
      window_ = WindowCache({op.window, rows, query.batch, query.length, total}, layout_);
    }
    if (op.rotates)
      angles_ =
          TokenAngles(context, Gqa::cos_cache, Gqa::sin_cache, Gqa::position_ids, query, layout_);
    const bool has_norm = context.has_input(Gqa::q_norm_weight);
    if (has_norm) {
      query_norm_ =
          CastOperand<float>(Gqa::q_norm_weight, context.inputs[Gqa::q_norm_weight], layout_);
      key_norm_ =
          CastOperand<float>(Gqa::k_norm_weight, context.inputs[Gqa::k_norm_weight], layout_);
      if (query_norm_.count != query.size || key_norm_.count != query.size)
        throw Error(ErrorCode::invalid,
                    format("the weights of norms have {} and {} elements (expected {}, those of a "
                           "head)",
                           query_norm_.count, key_norm_.count, query.size));
    }
    ready_query_ = HeadsSpace(query_, has_norm || op.rotates, layout_);
    ready_key_ = HeadsSpace(key_, has_norm || op.rotates, layout_);
    const auto cache = [&](std::size_t past, std::size_t output, std::size_t scale,
                           Gqa::Scales scales, const HeadSizes& sizes) {
      const DataType type = scales == Gqa::Scales::none ? context.inputs[Gqa::query].type
                            : op.bits == 4              ? DataType::uint8
                                                        : DataType::int8;
      return GroupCache(context, past, output, scale, type, sizes, total, window_, layout_);
    };
    keys_ = cache(Gqa::past_key, 1, Gqa::k_scale, op.key_scales, key_.sizes);
    values_ = cache(Gqa::past_value, 2, Gqa::v_scale, op.value_scales, value_.sizes);
    sizes_ = {query.batch,
              query.heads,
              op.shared_heads,
              query.length,
              window_.is_given() ? window_.rows() : total,
              query.size,
              value_.sizes.size};
    prepare_scores(context, total);
    rules_.has_bf16_products = compiled.has_bf16_products;
    space_ =
        layout_.add(attention_workspace_bytes(sizes_, rules_, compiled.isa, compiled.max_threads));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }

  void run(const RunContext& run) const override {
    const Isa isa = compiled_.isa;
    positions_.fill(run);
    HeadSteps steps;
    steps.epsilon = compiled_.op.epsilon;
    steps.is_interleaved = compiled_.op.is_interleaved;
    if (compiled_.op.rotates) angles_.fill(run, positions_, steps);
    const float* query = query_.operand.read(run);
    const float* key = key_.operand.is_given() ? key_.operand.read(run) : query;
    const float* value = value_.operand.is_given() ? value_.operand.read(run) : query;
    AttentionOperands<float> operands;
    steps.norm = query_norm_.read(run);
    operands.queries = ready_query_.read(run, query_.rows(query), steps, isa);
    steps.norm = key_norm_.read(run);
    const HeadRows<const float*> keys = ready_key_.read(run, key_.rows(key), steps, isa);
    const bool has_window = window_.is_given();
    if (has_window) window_.fill(run, positions_);
    const std::int64_t* firsts = has_window ? window_.firsts(run) : positions_.firsts(run);
    set_rows(keys_.extend(run, keys, firsts, isa), operands.keys, operands.encoded_keys);
    set_rows(values_.extend(run, value_.rows(value), firsts, isa), operands.values,
             operands.encoded_values);
    operands.lengths = has_window ? window_.lengths(run) : positions_.lengths(run);
    if (has_window) operands.mask_firsts = window_.origins(run);
    operands.positions = firsts;
    operands.mask = bias_.read(run);
    operands.mask_keys = bias_.keys();
    operands.sinks = sinks_.read(run);
    const HeadSizes& sizes = query_.sizes;
    operands.out = HeadSizes{sizes.batch, sizes.heads, sizes.length, sizes_.value_size}.packed(
        out_.begin(run));
    operands.kept = kept_.begin(run);
    SizedWorkers workers(run.workers(), compiled_.max_threads);
    attention(sizes_, rules_, operands, isa, run.workspace() + space_, workers.get());
    out_.write(run);
    kept_.write(run);
  }

 private:
  void find_operands(const PrepareContext& context) {
    const Gqa& op = compiled_.op;
    const Shape& query = context.inputs[Gqa::query].shape;
    const bool is_packed = !context.has_input(Gqa::key);
    const std::int64_t heads = op.query_heads + (is_packed ? 2 * op.shared_heads : 0);
    const std::int64_t size = query[2] / heads;
    const HeadSizes shared = {query[0], op.shared_heads, query[1], size};
    query_ = packed_heads({query[0], op.query_heads, query[1], size}, 0, query[2]);
    if (is_packed) {
      key_ = packed_heads(shared, op.query_heads * size, query[2]);
      value_ = packed_heads(shared, (op.query_heads + op.shared_heads) * size, query[2]);
    } else {
      const auto shared_input = [&](std::size_t input) {
        const Shape& shape = context.inputs[input].shape;
        const std::int64_t width = shape[2] / op.shared_heads;
        HeadsInput found = packed_heads({shape[0], op.shared_heads, shape[1], width}, 0, shape[2]);
        found.operand = CastOperand<float>(input, context.inputs[input], layout_);
        return found;
      };
      key_ = shared_input(Gqa::key);
      value_ = shared_input(Gqa::value);
    }
    query_.operand = CastOperand<float>(Gqa::query, context.inputs[Gqa::query], layout_);
  }

  void prepare_scores(const PrepareContext& context, std::int64_t total) {
    const Gqa& op = compiled_.op;
    rules_.scale =
        op.scale.value_or(static_cast<float>(1 / std::sqrt(static_cast<double>(sizes_.key_size))));
    rules_.softcap = op.softcap;
    rules_.is_causal = op.is_causal;
    // The query's own position is in the window.
    rules_.left_window = op.window > 0 ? op.window - 1 : op.window;
    rules_.is_smooth = op.is_smooth;
    rules_.hidden_score = 0;
    rules_.has_encoded_keys = keys_.append.format.type != DataType::float32;
    rules_.has_encoded_values = values_.append.format.type != DataType::float32;
    bias_ = MaskOperand<float>(context, Gqa::attention_bias, "attention_bias", total, layout_);
    if (context.has_input(Gqa::head_sink)) {
      sinks_ = CastOperand<float>(Gqa::head_sink, context.inputs[Gqa::head_sink], layout_);
      if (sinks_.count != sizes_.query_heads)
        throw Error(ErrorCode::invalid, format("'head_sink' has {} elements (expected {})",
                                               sinks_.count, sizes_.query_heads));
    }
    out_ = CastOperand<float>(0, context.outputs[0], layout_);
    if (!context.has_output(3)) return;
    rules_.kept =
        op.scores == Gqa::Scores::after_softmax ? KeptScores::weights : KeptScores::masked;
    kept_ = CastOperand<float>(3, context.outputs[3], layout_);
  }

  const CompiledGroupQuery& compiled_;
  WorkspaceLayout layout_;
  HeadsInput query_;
  HeadsInput key_;
  HeadsInput value_;
  CachePositions positions_;
  WindowCache window_;
  TokenAngles angles_;
  CastOperand<float> query_norm_;
  CastOperand<float> key_norm_;
  HeadsSpace ready_query_;
  HeadsSpace ready_key_;
  GroupCache keys_;
  GroupCache values_;
  MaskOperand<float> bias_;
  CastOperand<float> sinks_;
  CastOperand<float> out_;
  CastOperand<float> kept_;
  AttentionSizes sizes_;
  AttentionRules rules_;
  std::int64_t space_ = 0;
};

class GroupQueryKernel : public Kernel {
 public:
  GroupQueryKernel(std::string_view name, const CompiledGroupQuery& compiled)
      : name_(name), compiled_(compiled) {}

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const GroupQueryPrepared>(compiled_, context);
  }

 private:
  std::string_view name_;
  CompiledGroupQuery compiled_;
};

KernelPtr compile_group_query(const NodeView& view, const KernelRow& row,
                              const CompileContext& context) {
  const CompiledGroupQuery compiled = {read_op<Gqa>(view.node()), row.isa, context.max_threads};
  return std::make_unique<const GroupQueryKernel>(row.name, compiled);
}

KernelPtr compile_bf16_group_query(const NodeView& view, const KernelRow& row,
                                   const CompileContext& context) {
  const CompiledGroupQuery compiled = {read_op<Gqa>(view.node()), row.isa, context.max_threads,
                                       true};
  return std::make_unique<const GroupQueryKernel>(row.name, compiled);
}

constexpr auto group_query_rows =
    isa_rows<"group_query_attention">("GroupQueryAttention", float_like_type_names,
                                      accepts_float_like, compile_group_query, contrib_domain);

// clang-format off
constexpr std::array<KernelRow, 2> bf16_group_query_rows = {{
    {"group_query_attention_bf16_amx", contrib_domain, "GroupQueryAttention", Isa::amx, float_like_type_names, accepts_float_like, compile_bf16_group_query},
    {"group_query_attention_bf16_avx512", contrib_domain, "GroupQueryAttention", Isa::avx512, float_like_type_names, accepts_float_like, compile_bf16_group_query},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> bf16_group_query_attention_kernels() {
  return bf16_group_query_rows;
}

std::span<const KernelRow> group_query_attention_kernels() {
  return group_query_rows;
}

}  // namespace ortool::cpu
