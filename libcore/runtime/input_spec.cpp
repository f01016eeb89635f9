// Input specification: compares given values with what a model declares.
#include "libcore/runtime/input_spec.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

using ArraySizes = std::vector<std::int64_t>;

/// What makes an array fit, in words and for NumPy.
struct ShapeRemedy {
  std::string_view reason;
  std::string_view numpy;
};

const ValueType& content_of(const ValueType& type) {
  return type.kind == ValueType::Kind::optional && type.inner ? *type.inner : type;
}

bool fits_dimensions(const Dimensions& wanted, std::span<const std::int64_t> sizes) {
  bool fits = wanted.size() == sizes.size();
  for (std::size_t i = 0; fits && i < sizes.size(); ++i)
    fits = !wanted[i].is_known() || wanted[i].number() == sizes[i];
  return fits;
}

/// Without a number for the channels, any permutation would fit.
bool fits_channels(const Dimensions& wanted, const ArraySizes& sizes, std::size_t axis) {
  return wanted.size() == sizes.size() && wanted[axis].is_known() && fits_dimensions(wanted, sizes);
}

/// The usual mistakes: layouts, and a batch axis too few or too many.
std::optional<ShapeRemedy> shape_remedy(const Dimensions& wanted, const ArraySizes& given) {
  ArraySizes batched = given;
  batched.insert(batched.begin(), 1);
  if (fits_dimensions(wanted, batched)) return ShapeRemedy{"the batch axis is missing", "x[None]"};
  if (!given.empty() && given.front() == 1 && fits_dimensions(wanted, std::span(given).subspan(1)))
    return ShapeRemedy{"the model takes no batch axis", "x[0]"};
  if (given.size() == 4) {
    if (fits_channels(wanted, {given[0], given[3], given[1], given[2]}, 1))
      return ShapeRemedy{"the array is NHWC, but the model takes NCHW", "x.transpose(0, 3, 1, 2)"};
    if (fits_channels(wanted, {given[0], given[2], given[3], given[1]}, 3))
      return ShapeRemedy{"the array is NCHW, but the model takes NHWC", "x.transpose(0, 2, 3, 1)"};
  }
  if (given.size() == 3) {
    if (fits_channels(wanted, {1, given[2], given[0], given[1]}, 1))
      return ShapeRemedy{"the array is HWC, but the model takes NCHW",
                         "x.transpose(2, 0, 1)[None]"};
    if (fits_channels(wanted, {1, given[1], given[2], given[0]}, 3))
      return ShapeRemedy{"the array is CHW, but the model takes NHWC",
                         "x.transpose(1, 2, 0)[None]"};
  }
  return std::nullopt;
}

/// What to do about an array that does not fit; empty if nothing is plain.
std::string remedy_for(DataType element, const Shape& shape, const ValueType& type) {
  std::string text;
  const ValueType& inner = content_of(type);
  if (!inner.is_tensor()) return text;
  const bool is_other_type = inner.element != DataType::undefined && inner.element != element;
  if (is_other_type && (element == DataType::string || inner.element == DataType::string))
    return text;
  const ArraySizes sizes(shape.dimensions().begin(), shape.dimensions().end());
  const bool fits_shape = !inner.shape || fits_dimensions(*inner.shape, sizes);
  if (is_other_type) {
    text = format("convert it to {} with {}, or in NumPy: x.astype(\"{}\")", name_of(inner.element),
                  setting_name("cast"), name_of(inner.element));
    if (element == DataType::uint8 && is_floating_point(inner.element))
      text += "; pixel values from 0 to 255 mostly need scaling too";
  }
  if (fits_shape) return text;
  const auto remedy = shape_remedy(*inner.shape, sizes);
  if (!remedy) return {};
  return (text.empty() ? text : text + "; ") + format("{}: {}", remedy->reason, remedy->numpy);
}

bool is_scalar(const ValueType& type) {
  return type.is_tensor() && type.shape && type.shape->empty();
}

void check_fits(const Value& input, const RunValue& value) {
  using Kind = ValueType::Kind;
  const ValueType& type = input.type();
  const ValueType& inner = content_of(type);
  bool fits = true;
  if (value.is_none()) {
    fits = type.kind == Kind::optional;
  } else if (value.is_tensor()) {
    fits = takes_tensor(type, value.tensor().type(), value.tensor().shape());
  } else {
    fits = inner.kind == (value.is_sequence() ? Kind::sequence : Kind::map) ||
           inner.kind == Kind::unknown;
  }
  if (fits) return;
  if (value.is_tensor())
    throw input_mismatch(input.name(), value.tensor().type(), value.tensor().shape(), type);
  throw input_mismatch(input.name(), value.describe(), type);
}

}  // namespace

bool takes_tensor(const ValueType& type, DataType element, const Shape& shape) {
  using Kind = ValueType::Kind;
  const ValueType& inner = content_of(type);
  if (inner.kind != Kind::tensor && inner.kind != Kind::unknown) return false;
  if (inner.element != DataType::undefined && inner.element != element) return false;
  if (!inner.shape || (inner.shape->empty() && shape.element_count() == 1)) return true;
  return fits_dimensions(*inner.shape, shape.dimensions());
}

Error input_mismatch(std::string_view name, const std::string& given, const ValueType& type) {
  Error error(ErrorCode::invalid,
              format("input '{}' is given as {} (expected {})", name, given, type.to_string()),
              "convert or reshape the tensor; 'ortool inspect' shows the model's inputs");
  return error.with_id("input.mismatch");
}

Error input_mismatch(std::string_view name, DataType element, const Shape& shape,
                     const ValueType& type) {
  const std::string given = format("{}[{}]", name_of(element), shape.to_string());
  const std::string remedy = remedy_for(element, shape, type);
  if (remedy.empty()) return input_mismatch(name, given, type);
  Error error(ErrorCode::invalid,
              format("input '{}' is given as {} (expected {})", name, given, type.to_string()),
              remedy);
  return error.with_id("input.mismatch");
}

std::vector<RunValue> match_inputs(const Graph& graph, const NamedValues& given) {
  for (const auto& [name, tensor] : given) {
    const Value* value = graph.find_value(name);
    if (value != nullptr && value->is_graph_input()) continue;
    throw Error(ErrorCode::invalid, format("the model has no input '{}'", name),
                "'ortool inspect' shows the inputs")
        .with_id("input.unknown");
  }
  std::vector<RunValue> result;
  for (const Value* input : graph.inputs()) {
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const auto& each) { return each.first == input->name(); });
    const bool may_be_left_out =
        input->has_default() || input->type().kind == ValueType::Kind::optional;
    if (found == given.end() && !may_be_left_out) {
      throw Error(ErrorCode::invalid,
                  format("input '{}' ({}) is not given", input->name(), input->type().to_string()),
                  "give every input of the model")
          .with_id("input.missing");
    }
    RunValue value = found != given.end() ? found->second : RunValue(input->constant());
    if (is_scalar(input->type()) && value.is_tensor() && value.tensor().element_count() == 1)
      value = value.tensor().reshaped(Shape());
    check_fits(*input, value);
    result.push_back(value.is_tensor() ? RunValue(value.tensor().aligned()) : value);
  }
  return result;
}

}  // namespace ortool
