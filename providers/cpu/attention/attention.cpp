// Kernels for Attention: joins key/value caches.
#include "libcore/ops/nn/attention/attention.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include "kernels/cpu/attention/attention.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/attention/attention_mask.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/cast_operand.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

/// Decided at compile time, once per node.
struct CompiledAttention {
  ortool::Attention op;
  DataType score_type = DataType::float32;
  DataType weight_type = DataType::float32;
  Isa isa = Isa::baseline;
  int max_threads = 1;
  bool has_bf16_products = false;
};

bool is_fp16_element(DataType type) {
  return type == DataType::float16 || type == DataType::bfloat16;
}

/// Shape of queries, keys or values: with a heads axis, or packed.
struct HeadsShape {
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t length = 0;
  std::int64_t size = 0;
  bool is_packed = false;

  HeadsShape(const Shape& shape, std::int64_t packed_heads)
      : batch(shape[0]), is_packed(shape.rank() == 3) {
    heads = is_packed ? packed_heads : shape[1];
    length = is_packed ? shape[1] : shape[2];
    size = is_packed ? shape[2] / packed_heads : shape[3];
  }

  template <typename Pointer>
  HeadRows<Pointer> rows(Pointer data) const {
    const std::int64_t all = heads * length * size;
    if (is_packed) return {data, all, size, heads * size};
    return {data, all, length * size, size};
  }
};

/// Rows are short (one head), so a memcpy call per row would take longer than the copy.
template <typename T>
void copy_row(const T* from, std::int64_t count, T* to) {
  constexpr std::int64_t block = 8;
  std::int64_t i = 0;
  for (; i + block <= count; i += block) std::memcpy(to + i, from + i, sizeof(T) * block);
  for (; i < count; ++i) to[i] = from[i];
}

/// Past and current keys or values as one tensor with a heads axis, if it is requested as an output
/// or needed.
template <typename T>
class JoinedCache {
 public:
  JoinedCache(const HeadsShape& now, const PrepareContext& context, std::size_t input,
              std::size_t past, std::size_t present, WorkspaceLayout& layout)
      : now_(now), total_(now) {
    input_ = CastOperand<T>(input, context.inputs[input], layout);
    if (context.has_input(past)) {
      past_ = CastOperand<T>(past, context.inputs[past], layout);
      total_.length = now.length + context.inputs[past].shape[2];
    }
    is_joined_ = past_.is_given() || context.has_output(present);
    if (!is_joined_) return;
    total_.is_packed = false;
    if (context.has_output(present)) {
      present_ = CastOperand<T>(present, context.outputs[present], layout);
    } else {
      space_ = layout.add(
          bytes_of(data_type_of<T>, multiply_sizes(multiply_sizes(total_.batch, total_.heads),
                                                   multiply_sizes(total_.length, total_.size))));
    }
  }

  const HeadsShape& total() const { return total_; }
  std::int64_t past_length() const { return total_.length - now_.length; }

  HeadRows<const T*> read(const RunContext& run) const {
    const HeadRows<const T*> now = now_.rows(input_.read(run));
    if (!is_joined_) return now;
    const T* past = past_.read(run);
    T* out =
        present_.is_given() ? present_.begin(run) : reinterpret_cast<T*>(run.workspace() + space_);
    const std::int64_t past_size = past_length() * now_.size;
    const std::int64_t size = total_.length * total_.size;
    const std::int64_t grain = std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, size));
    run.workers().parallel_ranges(
        now_.batch * now_.heads, grain, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            T* to = out + i * size;
            if (past != nullptr) std::copy_n(past + i * past_size, past_size, to);
            to += past_size;
            const T* from = now.at(i / now_.heads, i % now_.heads, 0);
            for (std::int64_t row = 0; row < now_.length; ++row, to += now_.size)
              copy_row(from + row * now.row_stride, now_.size, to);
          }
        });
    present_.write(run);
    return total_.rows(static_cast<const T*>(out));
  }

 private:
  HeadsShape now_;
  HeadsShape total_;
  bool is_joined_ = false;
  CastOperand<T> input_;
  CastOperand<T> past_;
  CastOperand<T> present_;
  std::int64_t space_ = 0;
};

template <typename T>
class AttentionPrepared : public Prepared {
 public:
  AttentionPrepared(const CompiledAttention& compiled, const PrepareContext& context)
      : compiled_(compiled),
        query_(context.inputs[0].shape, compiled.op.query_heads),
        queries_(0, context.inputs[0], layout_),
        keys_(HeadsShape(context.inputs[1].shape, compiled.op.shared_heads), context, 1, 4, 1,
              layout_),
        values_(HeadsShape(context.inputs[2].shape, compiled.op.shared_heads), context, 2, 5, 2,
                layout_),
        mask_(context, 3, "attn_mask", keys_.total().length, layout_),
        has_lengths_(context.has_input(6)),
        out_(0, context.outputs[0], layout_) {
    if (has_lengths_ && context.has_input(4)) {
      throw Error(ErrorCode::invalid, "'nonpad_kv_seqlen' and 'past_key' are both given");
    }
    const HeadsShape& key = keys_.total();
    const HeadsShape& value = values_.total();
    if (key.heads != value.heads || key.length != value.length || key.batch != query_.batch ||
        value.batch != query_.batch) {
      throw Error(ErrorCode::invalid, "queries, keys and values differ in batch, heads or length");
    }
    sizes_ = {query_.batch, query_.heads, key.heads, query_.length,
              key.length,   key.size,     value.size};
    const ortool::Attention& op = compiled.op;
    rules_.scale =
        op.scale.value_or(static_cast<float>(1 / std::sqrt(static_cast<double>(key.size))));
    rules_.softcap = op.softcap;
    rules_.is_causal = op.is_causal;
    rules_.left_window = op.left_window;
    rules_.right_window = op.right_window;
    rules_.past = keys_.past_length();
    rules_.score_type = compiled.score_type;
    rules_.weight_type = compiled.weight_type;
    rules_.has_bf16_products = compiled.has_bf16_products;
    if (context.has_output(3)) {
      rules_.kept = static_cast<KeptScores>(static_cast<int>(op.scores) + 1);
      kept_ = CastOperand<T>(3, context.outputs[3], layout_);
    }
    if constexpr (std::is_same_v<T, float>) {
      space_ = layout_.add(
          attention_workspace_bytes(sizes_, rules_, compiled.isa, compiled.max_threads));
    }
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }

  void run(const RunContext& run) const override {
    AttentionOperands<T> operands;
    operands.queries = query_.rows(queries_.read(run));
    operands.keys = keys_.read(run);
    operands.values = values_.read(run);
    operands.mask = mask_.read(run);
    operands.mask_keys = mask_.keys();
    operands.lengths = read_lengths(run);
    HeadsShape out = query_;
    out.size = sizes_.value_size;
    operands.out = out.rows(out_.begin(run));
    operands.kept = kept_.begin(run);
    if constexpr (std::is_same_v<T, float>) {
      SizedWorkers workers(run.workers(), compiled_.max_threads);
      attention(sizes_, rules_, operands, compiled_.isa, run.workspace() + space_, workers.get());
    } else {
      attention_f64(sizes_, rules_, operands, run.workers());
    }
    out_.write(run);
    kept_.write(run);
  }

 private:
  const std::int64_t* read_lengths(const RunContext& run) const {
    if (!has_lengths_) return nullptr;
    const auto* lengths = run.input<std::int64_t>(6);
    for (std::int64_t i = 0; i < sizes_.batch; ++i) {
      if (lengths[i] < 0 || lengths[i] > sizes_.keys) {
        throw Error(
            ErrorCode::invalid,
            format("'nonpad_kv_seqlen' holds {} (expected 0 to {} keys)", lengths[i], sizes_.keys));
      }
    }
    return lengths;
  }

  const CompiledAttention& compiled_;
  WorkspaceLayout layout_;
  HeadsShape query_;
  CastOperand<T> queries_;
  JoinedCache<T> keys_;
  JoinedCache<T> values_;
  MaskOperand<T> mask_;
  bool has_lengths_ = false;
  CastOperand<T> out_;
  CastOperand<T> kept_;
  AttentionSizes sizes_;
  AttentionRules rules_;
  std::int64_t space_ = 0;
};

template <typename T>
class AttentionKernel : public Kernel {
 public:
  AttentionKernel(std::string_view name, CompiledAttention compiled)
      : name_(name), compiled_(compiled) {}

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const AttentionPrepared<T>>(compiled_, context);
  }

 private:
  std::string_view name_;
  CompiledAttention compiled_;
};

CompiledAttention read_attention(const NodeView& view, const KernelRow& row,
                                 const CompileContext& context) {
  CompiledAttention compiled;
  compiled.op = read_op<ortool::Attention>(view.node());
  compiled.isa = row.isa;
  compiled.max_threads = context.max_threads;
  const DataType element = view.input_type(0);
  const DataType weight = compiled.op.softmax_precision.value_or(element);
  if (is_fp16_element(element)) compiled.score_type = element;
  if (is_fp16_element(weight)) compiled.weight_type = weight;
  return compiled;
}

KernelPtr compile_attention(const NodeView& view, const KernelRow& row,
                            const CompileContext& context) {
  return std::make_unique<const AttentionKernel<float>>(row.name,
                                                        read_attention(view, row, context));
}

KernelPtr compile_bf16_attention(const NodeView& view, const KernelRow& row,
                                 const CompileContext& context) {
  CompiledAttention compiled = read_attention(view, row, context);
  compiled.has_bf16_products = true;
  return std::make_unique<const AttentionKernel<float>>(row.name, std::move(compiled));
}

KernelPtr compile_fp16_attention(const NodeView& view, const KernelRow& row,
                                 const CompileContext& context) {
  return make_fp16_kernel(compile_attention(view, row, context), row.isa);
}

KernelPtr compile_attention_f64(const NodeView& view, const KernelRow& row,
                                const CompileContext& context) {
  return std::make_unique<const AttentionKernel<double>>(row.name,
                                                         read_attention(view, row, context));
}

bool accepts_types(const NodeView& view, TypeSet allowed) {
  return allowed.contains(view.input_type(0)) && allowed.contains(view.input_type(2));
}

bool accepts_float_attention(const NodeView& view) {
  return accepts_types(view, types_of({DataType::float32}));
}
bool accepts_fp16_attention(const NodeView& view) {
  return accepts_types(view, types_of({DataType::float32, DataType::float16, DataType::bfloat16}));
}
bool accepts_any_attention(const NodeView& view) {
  return accepts_types(view, types::floats);
}

constexpr auto attention_rows = join_rows(
    isa_rows<"attention_f32">("Attention", "float32", accepts_float_attention, compile_attention),
    isa_rows<"attention_half">("Attention", fp16_type_names, accepts_fp16_attention,
                               compile_fp16_attention),
    portable_row("attention_reference", "Attention", "float64, also mixed with others",
                 accepts_any_attention, compile_attention_f64));

// clang-format off
constexpr std::array<KernelRow, 2> bf16_attention_rows = {{
    {"attention_bf16_amx", "", "Attention", Isa::amx, "float32", accepts_float_attention, compile_bf16_attention},
    {"attention_bf16_avx512", "", "Attention", Isa::avx512, "float32", accepts_float_attention, compile_bf16_attention},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> bf16_attention_kernels() {
  return bf16_attention_rows;
}

std::span<const KernelRow> attention_kernels() {
  return attention_rows;
}

}  // namespace ortool::cpu
