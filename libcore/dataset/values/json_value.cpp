// JSON values: tensors as nested arrays, other values as objects.
#include "libcore/dataset/values/json_value.hpp"

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/parse_number.hpp"
#include "libcore/dataset/values/value_block.hpp"
#include "libcore/io/tensor_file.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

Json element_json(const Tensor& tensor, std::int64_t index) {
  if (tensor.type() == DataType::boolean) return Json(element_as_int64(tensor, index) != 0);
  if (is_integer(tensor.type())) {
    const std::int64_t number = element_as_int64(tensor, index);
    const bool is_too_large = tensor.type() == DataType::uint64 && number < 0;
    return is_too_large ? Json(element_text(tensor, index)) : Json(number);
  }
  if (is_floating_point(tensor.type())) return Json(element_as_double(tensor, index));
  return Json(element_text(tensor, index));
}

/// Nested lists, one level per axis.
Json nested_elements(const Tensor& tensor, std::int64_t axis, std::int64_t& next) {
  if (axis == tensor.shape().rank()) return element_json(tensor, next++);
  Json list = Json::list();
  for (std::int64_t i = 0; i < tensor.shape()[axis]; ++i) {
    list.add(nested_elements(tensor, axis + 1, next));
  }
  return list;
}

Json data_of(const Tensor& tensor) {
  std::int64_t next = 0;
  return nested_elements(tensor, 0, next);
}

[[noreturn]] void refuse(std::string_view what, const ValueType& type) {
  throw Error(ErrorCode::invalid, format("found {} where a {} is expected", what, type.to_string()),
              "`ortool schema run` and docs/reference/run.md show how values are written in JSON")
      .with_id("input.json");
}

const Json& member(const Json& object, std::string_view key) {
  const Json* found = object.find(key);
  if (found != nullptr) return *found;
  throw Error(ErrorCode::invalid, format("the object has no {}", quote(key)),
              "docs/reference/run.md shows how values are written in JSON")
      .with_id("input.json");
}

class JsonReader {
 public:
  explicit JsonReader(MemoryCap* cap) : cap_(cap) {}

  RunValue read(const Json& json, const ValueType& type, std::optional<DataType> element) const;

 private:
  Tensor read_tensor(const Json& json, std::optional<DataType> element) const;
  RunValue read_map(const Json& json, const ValueType& type) const;
  RunValue read_sequence(const Json& items, const ValueType& type,
                         std::optional<DataType> element) const;

  MemoryCap* cap_;
};

std::optional<DataType> type_named(const Json* name) {
  if (name == nullptr || !name->is_text()) return std::nullopt;
  const auto type = data_type_from_name(name->text());
  if (type) return type;
  throw Error(ErrorCode::invalid, format("unknown element type {}", quote(name->text())))
      .with_id("input.json");
}

Tensor JsonReader::read_tensor(const Json& json, std::optional<DataType> element) const {
  if (!json.is_object()) return parse_json_tensor(json.write_compact(), element, cap_);
  const auto own_type = type_named(json.find("dtype"));
  Tensor tensor =
      parse_json_tensor(member(json, "data").write_compact(), own_type ? own_type : element, cap_);
  const Json* shape = json.find("shape");
  if (shape == nullptr || !shape->is_list()) return tensor;
  std::vector<std::int64_t> sizes;
  for (const Json& item : shape->items()) {
    std::int64_t size = -1;
    if (!read_integer(item.write_compact(), size) || size < 0) {
      throw Error(ErrorCode::invalid, format("{} is not a shape", shape->write_compact()))
          .with_id("input.json");
    }
    sizes.push_back(size);
  }
  const Shape wanted(std::move(sizes));
  if (wanted == tensor.shape()) return tensor;
  if (wanted.element_count() == tensor.element_count()) return tensor.reshaped(wanted);
  throw Error(ErrorCode::invalid, format("{} elements do not match shape {}",
                                         tensor.element_count(), wanted.to_string()))
      .with_id("input.json");
}

RunValue JsonReader::read_sequence(const Json& items, const ValueType& type,
                                   std::optional<DataType> element) const {
  if (!items.is_list()) refuse("something other than an array", type);
  const ValueType inner = type.inner != nullptr ? *type.inner : ValueType();
  const auto inner_element =
      inner.is_tensor() && inner.element != DataType::undefined ? inner.element : element;
  std::vector<RunValue> elements;
  for (const Json& item : items.items()) elements.push_back(read(item, inner, inner_element));
  return RunValue::sequence(std::move(elements));
}

RunValue JsonReader::read_map(const Json& json, const ValueType& type) const {
  if (!json.is_object()) refuse("something other than an object", type);
  Json keys = Json::list();
  Json values = Json::list();
  const Json* listed = json.find("keys");
  if (listed != nullptr && listed->is_list()) {
    keys = *listed;
    values = member(json, "values");
  } else {
    for (const auto& [key, value] : json.members()) {
      std::int64_t number = 0;
      const bool is_number = type.element == DataType::int64 && read_integer(key, number);
      keys.add(is_number ? Json(number) : Json(key));
      values.add(value);
    }
  }
  const bool knows_value = type.inner != nullptr && type.inner->is_tensor() &&
                           type.inner->element != DataType::undefined;
  const auto value_type = knows_value ? type.inner->element : type_named(json.find("dtype"));
  const auto key_type = type.element != DataType::undefined ? std::optional(type.element)
                                                            : type_named(json.find("key_dtype"));
  Tensor key_tensor = parse_json_tensor(keys.write_compact(), key_type, cap_);
  Tensor value_tensor = parse_json_tensor(values.write_compact(), value_type, cap_);
  const bool fits = key_tensor.shape().rank() == 1 && value_tensor.shape() == key_tensor.shape();
  if (!fits) refuse("a map with different numbers of keys and values", type);
  return RunValue::map(std::move(key_tensor), std::move(value_tensor));
}

RunValue JsonReader::read(const Json& json, const ValueType& type,
                          std::optional<DataType> element) const {
  const Json* kind = json.find("kind");
  const std::string_view said =
      kind != nullptr && kind->is_text() ? std::string_view(kind->text()) : std::string_view();
  if (type.kind == ValueType::Kind::optional) {
    if (json.is_null() || said == "none") return {};
    return read(json, type.inner != nullptr ? *type.inner : ValueType(), element);
  }
  if (json.is_null()) refuse("null", type);
  if (type.kind == ValueType::Kind::sequence) {
    return read_sequence(json.is_object() ? member(json, "elements") : json, type, element);
  }
  if (type.kind == ValueType::Kind::map) return read_map(json, type);
  if (type.kind == ValueType::Kind::unknown) {
    if (said == "none") return {};
    if (said == "sequence") return read_sequence(member(json, "elements"), type, element);
    if (said == "map") return read_map(json, type);
  }
  return read_tensor(json, element);
}

}  // namespace

Json value_json(std::string_view name, const RunValue& value) {
  Json json = Json::object();
  if (!name.empty()) json.set("name", name);
  switch (value.kind()) {
    case RunValue::Kind::none:
      return json.set("kind", "none");
    case RunValue::Kind::tensor:
      return json.set("dtype", name_of(value.tensor().type()))
          .set("shape", shape_block(value.tensor().shape()))
          .set("data", data_of(value.tensor()));
    case RunValue::Kind::map:
      return json.set("kind", "map")
          .set("key_dtype", name_of(value.keys().type()))
          .set("dtype", name_of(value.map_values().type()))
          .set("keys", data_of(value.keys()))
          .set("values", data_of(value.map_values()));
    case RunValue::Kind::sequence:
      break;
  }
  Json elements = Json::list();
  for (const RunValue& element : value.elements()) elements.add(value_json({}, element));
  return json.set("kind", "sequence").set("elements", std::move(elements));
}

RunValue parse_json_value(std::string_view text, const ValueType& type,
                          std::optional<DataType> element, MemoryCap* cap) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_plain = first != std::string_view::npos && text[first] != '{';
  const bool takes_tensor = type.is_tensor() || type.kind == ValueType::Kind::unknown;
  if (is_plain && takes_tensor) return parse_json_tensor(text, element, cap);
  return JsonReader(cap).read(parse_json(text, "the document", {.cap = cap}), type, element);
}

}  // namespace ortool
