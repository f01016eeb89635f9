// Versions of Split; sizes were an attribute, then an input, and a count is the alternative.
#include "libcore/ops/tensor/split.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> split_inputs = {
    {"input", "T"}, {"split", "tensor(int64)", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> split_attributes = {
    {"axis", AttributeKind::integer, false, 0}, {"split", AttributeKind::integers}};

void check_split_sizes(const Dimensions& sizes, const Dimension& dimension, std::int64_t outputs) {
  if (static_cast<std::int64_t>(sizes.size()) != outputs) {
    throw Error(ErrorCode::invalid,
                format("there are {} sizes for {} outputs", sizes.size(), outputs));
  }
  std::int64_t known_sum = 0;
  bool knows_all = true;
  for (const Dimension& size : sizes) {
    knows_all = knows_all && size.is_known();
    if (!size.is_known()) continue;
    if (size.number() < 0) {
      throw Error(ErrorCode::invalid,
                  format("a part has size {} (expected 0 or more)", size.number()));
    }
    known_sum = add_sizes(known_sum, size.number());
  }
  if (!dimension.is_known()) return;
  if (knows_all ? dimension.number() != known_sum : dimension.number() < known_sum) {
    throw Error(ErrorCode::invalid,
                format("the parts have {}{} elements in total, but the axis has {}",
                       knows_all ? "" : "at least ", known_sum, dimension.number()));
  }
}

/// Computes a single unknown size from the other sizes and the whole.
void fill_in_rest(Dimensions& sizes, const Dimension& dimension) {
  Dimension rest = dimension;
  Dimension* open = nullptr;
  for (Dimension& size : sizes) {
    if (!size.is_unknown()) {
      rest = rest - size;
    } else if (open == nullptr) {
      open = &size;
    } else {
      return;
    }
  }
  if (open != nullptr && !rest.is_unknown()) *open = rest;
}

/// The elements of a tensor in [begin, end) along an axis.
KnownElements elements_between(const KnownTensor& tensor, std::int64_t axis, std::int64_t begin,
                               std::int64_t end) {
  const std::int64_t size = tensor.shape[axis];
  const std::int64_t inner = tensor.shape.product(axis + 1, tensor.shape.rank());
  KnownElements elements;
  for (std::int64_t row = 0; row < tensor.shape.product(0, axis); ++row) {
    const auto first = tensor.elements.begin() + row * size * inner;
    elements.insert(elements.end(), first + begin * inner, first + end * inner);
  }
  return elements;
}

}  // namespace

constinit const OpSchema Split::schema = {
    "Split",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}, {"split", "T", Formal::Count::optional}},
      .outputs = {{"outputs...", "T", Formal::Count::variadic}},
      .attributes = {{"axis", AttributeKind::integer}, {"split", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 2,
      .inputs = {{"input", "T"}},
      .outputs = {{"outputs", "T", Formal::Count::variadic}},
      .attributes = split_attributes,
      .types = {{"T", types::all_tensors}}},
     {.since = 11,
      .inputs = {{"input", "T"}},
      .outputs = {{"outputs", "T", Formal::Count::variadic}},
      .attributes = split_attributes,
      .types = {{"T", types::all_tensors}}},
     {.since = 13,
      .inputs = split_inputs,
      .outputs = {{"outputs", "T", Formal::Count::variadic}},
      .attributes = {{"axis", AttributeKind::integer, false, 0}},
      .types = {{"T", types::all_tensors_and_bfloat16}}},
     {.since = 18,
      .inputs = split_inputs,
      .outputs = {{"outputs", "T", Formal::Count::variadic}},
      .attributes = {{"axis", AttributeKind::integer, false, 0},
                     {"num_outputs", AttributeKind::integer}},
      .types = {{"T", types::all_tensors_and_bfloat16}}}}};

void Split::read(AttributeReader& attributes, int version) {
  axis = attributes.integer("axis", 0);
  sizes = attributes.integers_or_input("split", 1);
  pieces = attributes.find_integer("num_outputs");
  if (version < 18) return;
  if (pieces.has_value() == sizes.is_given()) {
    throw Error(ErrorCode::invalid, sizes.is_given()
                                        ? "both input 'split' and attribute 'num_outputs' are "
                                          "given (expected one)"
                                        : "neither input 'split' nor attribute 'num_outputs' is "
                                          "given (expected one)");
  }
  const std::int64_t outputs = attributes.node().output_count();
  if (pieces && *pieces != outputs) {
    throw Error(
        ErrorCode::invalid,
        format("attribute 'num_outputs' is {}, but there are {} outputs", *pieces, outputs));
  }
}

std::vector<std::int64_t> Split::even_sizes(std::int64_t dimension, std::int64_t count) const {
  const std::int64_t each = dimension / count + (dimension % count != 0 ? 1 : 0);
  const std::int64_t last = dimension - each * (count - 1);
  if (last < 0 || (!pieces && last != each)) {
    throw Error(ErrorCode::invalid,
                format("an axis of {} cannot be split into {} {}", dimension, count,
                       pieces ? "parts that are equal except the last" : "equal parts"));
  }
  std::vector<std::int64_t> result(static_cast<std::size_t>(count), each);
  result.back() = last;
  return result;
}

Dimensions Split::piece_sizes(const InferContext& context, const Dimension& dimension,
                              std::int64_t count) const {
  if (sizes.is_given()) {
    std::optional<Dimensions> given = known_elements(context, sizes);
    if (!given) return Dimensions(static_cast<std::size_t>(count));
    check_split_sizes(*given, dimension, count);
    fill_in_rest(*given, dimension);
    return *given;
  }
  if (dimension.is_known()) {
    const std::vector<std::int64_t> even = even_sizes(dimension.number(), count);
    return Dimensions(even.begin(), even.end());
  }
  const Dimension each = pieces ? ceil_divide(dimension, count) : floor_divide(dimension, count);
  Dimensions result(static_cast<std::size_t>(count), each);
  if (pieces) result.back() = dimension - each * (count - 1);
  return result;
}

void Split::infer(InferContext& context) const {
  const std::int64_t outputs = context.output_count();
  PartialShape shape = context.shape(0);
  if (!shape) {
    for (std::int64_t i = 0; i < outputs; ++i) context.set_output(i, context.element(0), {});
    return;
  }
  const auto along =
      static_cast<std::size_t>(normalize_axis(axis, static_cast<std::int64_t>(shape->size())));
  const Dimensions parts = piece_sizes(context, (*shape)[along], outputs);
  std::optional<KnownTensor> content = known_input(context, 0);
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < outputs; ++i) {
    const Dimension& size = parts[static_cast<std::size_t>(i)];
    (*shape)[along] = size;
    context.set_output(i, context.element(0), shape);
    if (!size.is_known()) content.reset();
    if (!content) continue;
    const std::int64_t end = begin + size.number();
    if (size.number() < 0 || end > content->shape[static_cast<std::int64_t>(along)]) return;
    set_known_output(context, i, context.element(0),
                     elements_between(*content, static_cast<std::int64_t>(along), begin, end));
    begin = end;
  }
}

}  // namespace ortool
