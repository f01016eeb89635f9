// Kernels for the string functions of ai.onnx.contrib.
#include "libcore/ops/contrib/text/string_functions.hpp"

#include <algorithm>
#include <string_view>

#include "kernels/cpu/parallel/broadcast.hpp"
#include "kernels/cpu/text/text_hash.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/utf8.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/text/text_values.hpp"

namespace ortool::cpu {
namespace {

/// Writes map(text) for each text.
template <typename Map>
void map_texts(DynamicContext& context, Map map) {
  const Tensor& in = context.input(0);
  check_string_room(context, in.element_count());
  check_room(context, bytes_of_texts(in.strings()), "texts");
  TextList out(context);
  for (const std::string& text : in.strings()) out.add(map(text));
  context.set_output(0, out.take(in.shape()));
}

std::string in_small_letters(const std::string& text) {
  std::string out = text;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto byte = static_cast<unsigned char>(out[i]);
    if (byte >= 'A' && byte <= 'Z') out[i] = static_cast<char>(byte + 32);
    // À to Þ are C3 80 to C3 9E in UTF-8, except for C3 97, the multiplication sign.
    if (byte != 0xc3 || i + 1 == out.size()) continue;
    const auto next = static_cast<unsigned char>(out[++i]);
    if (next >= 0x80 && next <= 0x9e && next != 0x97) out[i] = static_cast<char>(next + 32);
  }
  return out;
}

std::string in_capitals(const std::string& text) {
  std::string out = text;
  for (char& each : out) {
    if (each >= 'a' && each <= 'z') each = static_cast<char>(each - 32);
  }
  return out;
}

std::string stripped(const std::string& text) {
  constexpr std::string_view white = " \t\n\v\f\r";
  const std::size_t begin = text.find_first_not_of(white);
  if (begin == std::string::npos) return text;
  return text.substr(begin, text.find_last_not_of(white) - begin + 1);
}

void run_lower(DynamicContext& context) {
  map_texts(context, in_small_letters);
}

void run_upper(DynamicContext& context) {
  map_texts(context, in_capitals);
}

void run_strip(DynamicContext& context) {
  map_texts(context, stripped);
}

/// Writes map(text), an int64, for each text.
template <typename Map>
void map_to_integers(DynamicContext& context, Map map) {
  const Tensor& in = context.input(0);
  Tensor out = context.make(DataType::int64, in.shape());
  std::transform(in.strings().begin(), in.strings().end(),
                 out.mutable_data<std::int64_t>().begin(), map);
  context.set_output(0, std::move(out));
}

void run_length(DynamicContext& context) {
  map_to_integers(context, [](const std::string& text) {
    return static_cast<std::int64_t>(std::count_if(
        text.begin(), text.end(),
        [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80; }));
  });
}

template <std::uint64_t (*hash)(std::string_view)>
void run_hash(DynamicContext& context) {
  const std::int64_t buckets = context.input(1).data<std::int64_t>()[0];
  if (buckets < 1) {
    throw Error(ErrorCode::invalid, format("'num_buckets' is {} (expected 1 or more)", buckets));
  }
  map_to_integers(context, [buckets](const std::string& text) {
    return static_cast<std::int64_t>(hash(text) % static_cast<std::uint64_t>(buckets));
  });
}

void run_concat(DynamicContext& context) {
  const Tensor& left = context.input(0);
  const Tensor& right = context.input(1);
  if (left.shape() != right.shape()) {
    throw Error(ErrorCode::invalid,
                format("'left' has the shape {}, but 'right' {} (expected the same shape)",
                       left.shape().to_string(), right.shape().to_string()));
  }
  TextList out(context);
  for (std::size_t i = 0; i < left.strings().size(); ++i)
    out.add(left.strings()[i] + right.strings()[i]);
  context.set_output(0, out.take(left.shape()));
}

void run_equal(DynamicContext& context) {
  const std::span<const std::string> left = context.input(0).strings();
  const std::span<const std::string> right = context.input(1).strings();
  const BroadcastPlan plan = make_broadcast_plan(context.input(0).shape().dimensions(),
                                                 context.input(1).shape().dimensions());
  Tensor out = context.make(DataType::boolean, Shape(plan.shape));
  bool* equal = out.mutable_data<bool>().data();
  walk_rows(plan, 0, plan.count, [&](const auto& starts, std::int64_t at, std::int64_t length) {
    const auto& strides = plan.loops.back().strides;
    for (std::int64_t i = 0; i < length; ++i) {
      equal[at + i] = left[static_cast<std::size_t>(starts[0] + i * strides[0])] ==
                      right[static_cast<std::size_t>(starts[1] + i * strides[1])];
    }
  });
  context.set_output(0, std::move(out));
}

void run_join(DynamicContext& context) {
  const Tensor& in = context.input(0);
  const std::string& separator = single_text(context, 1, "separator");
  const std::int64_t axis = context.input(2).data<std::int64_t>()[0];
  const std::int64_t rank = in.shape().rank();
  if (rank > 1 && (axis < 0 || axis >= rank)) {
    throw Error(ErrorCode::invalid, format("the axis is {} (expected 0 to {})", axis, rank - 1));
  }
  std::vector<std::int64_t> shape(in.shape().begin(), in.shape().end());
  std::int64_t size = in.element_count();
  std::int64_t inner = 1;
  if (rank > 1) {
    size = shape[static_cast<std::size_t>(axis)];
    for (std::int64_t i = axis + 1; i < rank; ++i) inner *= shape[static_cast<std::size_t>(i)];
    shape.erase(shape.begin() + axis);
  } else {
    shape = {1};
  }
  const Shape joined{shape};
  const std::int64_t count = joined.element_count();
  check_string_room(context, count);
  TextList out(context);
  for (std::int64_t i = 0; i < count; ++i) {
    std::string text;
    for (std::int64_t part = 0; part < size; ++part) {
      const std::int64_t at = (i / inner * size + part) * inner + i % inner;
      if (part > 0) text += separator;
      text += in.strings()[static_cast<std::size_t>(at)];
    }
    out.add(std::move(text));
  }
  context.set_output(0, out.take(joined));
}

/// Calls body(piece) for the pieces of a text, empty ones included.
template <typename Body>
void for_each_piece(std::string_view text, std::string_view delimiters, Body body) {
  while (delimiters.empty() && !text.empty()) {
    const std::size_t bytes = std::max<std::size_t>(read_utf8(text).bytes, 1);
    body(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(delimiters);
    body(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
    if (text.empty()) body(text);
  }
}

void run_split(DynamicContext& context) {
  const std::span<const std::string> texts = context.input(0).strings();
  const std::string& delimiters = single_text(context, 1, "delimiter");
  const bool skips_empty = context.input(2).data<bool>()[0];
  TextList pieces(context);
  std::vector<std::int64_t> indices;
  std::int64_t columns = 0;
  for (std::size_t row = 0; row < texts.size(); ++row) {
    std::int64_t column = 0;
    for_each_piece(texts[row], delimiters, [&](std::string_view piece) {
      if (skips_empty && piece.empty()) return;
      pieces.add(std::string(piece));
      indices.push_back(static_cast<std::int64_t>(row));
      indices.push_back(column++);
    });
    columns = std::max(columns, column);
  }
  context.set_output(0, integer_tensor(context, Shape{pieces.size(), 2}, indices));
  context.set_output(1, pieces.take_row());
  context.set_output(2, integer_tensor(context, Shape{2},
                                       {static_cast<std::int64_t>(texts.size()), columns}));
}

void run_masked_fill(DynamicContext& context) {
  const std::span<const std::string> texts = context.input(0).strings();
  const std::span<const bool> mask = context.input(1).data<bool>();
  if (context.input(0).shape() != context.input(1).shape()) {
    throw Error(ErrorCode::invalid,
                format("'mask' has the shape {} (expected {}, as 'value')",
                       context.input(1).shape().to_string(), context.input(0).shape().to_string()));
  }
  TextList kept(context);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (mask[i]) kept.add(texts[i]);
  }
  context.set_output(0, kept.take_row());
}

template <void (*run)(DynamicContext&)>
KernelPtr compile_function(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, [](DynamicContext& context) { run(context); });
}

template <void (*run)(DynamicContext&)>
constexpr std::array<KernelRow, 1> function_row(std::string_view name, std::string_view op_type) {
  return portable_row(name, op_type, "string", accepts_anything, compile_function<run>,
                      extensions_domain);
}

constexpr auto string_functions_rows = join_rows(
    function_row<run_masked_fill>("masked_fill", "MaskedFill"),
    function_row<run_concat>("contrib_string_concat", "StringConcat"),
    function_row<run_equal>("string_equal", "StringEqual"),
    function_row<run_join>("string_join", "StringJoin"),
    function_row<run_length>("string_length", "StringLength"),
    function_row<run_lower>("string_lower", "StringLower"),
    function_row<run_split>("contrib_string_split", "StringSplit"),
    function_row<run_strip>("string_strip", "StringStrip"),
    function_row<run_hash<murmur_hash64>>("string_to_hash_bucket", "StringToHashBucket"),
    function_row<run_hash<farm_fingerprint64>>("string_to_hash_bucket_fast",
                                               "StringToHashBucketFast"),
    function_row<run_upper>("string_upper", "StringUpper"));

}  // namespace

std::span<const KernelRow> string_functions_kernels() {
  return string_functions_rows;
}

}  // namespace ortool::cpu
