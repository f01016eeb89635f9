// JSON of node attributes, by kind.
#include "apps/ortool/inspect/attribute_block.hpp"

#include <string_view>
#include <unordered_set>

#include "libcore/graph/graph.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

Json tensor_attribute(const Tensor& tensor, std::int64_t max_elements) {
  Json block = Json::object();
  block.set("dtype", name_of(tensor.type())).set("shape", Json::list_of(tensor.shape()));
  if (tensor.element_count() > max_elements) return block;
  const auto count = static_cast<std::size_t>(tensor.element_count());
  return block.set("data", Json::list_from(count, [&tensor](std::size_t index) -> Json {
                     const auto i = static_cast<std::int64_t>(index);
                     if (is_floating_point(tensor.type())) return element_as_double(tensor, i);
                     const bool is_number =
                         is_integer(tensor.type()) && tensor.type() != DataType::uint64;
                     return is_number ? Json(element_as_int64(tensor, i)) : element_text(tensor, i);
                   }));
}

Json sparse_attribute(const SparseTensor& sparse) {
  return Json::object()
      .set("dtype", name_of(sparse.values.type()))
      .set("shape", Json::list_of(sparse.dimensions))
      .set("stored_elements", sparse.values.element_count());
}

template <typename List, typename Convert>
Json convert_list(const List& list, const Convert& convert) {
  return Json::list_from(list.size(),
                         [&list, convert](std::size_t i) { return Json(convert(list[i])); });
}

}  // namespace

Json attribute_block(const Attribute& attribute, std::int64_t max_elements) {
  if (!attribute.reference.empty()) return Json::object().set("reference", attribute.reference);
  const auto tensor_of = [max_elements](const Tensor& tensor) {
    return tensor_attribute(tensor, max_elements);
  };
  const auto graph_of = [](const std::unique_ptr<Graph>& graph) {
    return Json::object().set("graph", graph->name());
  };
  const auto plain = [](const auto& item) { return Json(item); };
  const auto number_of = [](float number) { return Json(static_cast<double>(number)); };
  const auto type_of = [](const ValueType& type) { return Json(type.to_string()); };
  const Attribute::Value& value = attribute.value;
  if (const auto* number = std::get_if<float>(&value)) return number_of(*number);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return Json(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return Json(*text);
  if (const auto* tensor = std::get_if<Tensor>(&value)) return tensor_of(*tensor);
  if (const auto* graph = std::get_if<std::unique_ptr<Graph>>(&value)) return graph_of(*graph);
  if (const auto* list = std::get_if<std::vector<float>>(&value)) {
    return convert_list(*list, number_of);
  }
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
    return convert_list(*list, plain);
  }
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    return convert_list(*list, plain);
  }
  if (const auto* list = std::get_if<std::vector<Tensor>>(&value)) {
    return convert_list(*list, tensor_of);
  }
  if (const auto* list = std::get_if<Attribute::Graphs>(&value)) {
    return convert_list(*list, graph_of);
  }
  if (const auto* sparse = std::get_if<SparseTensor>(&value)) return sparse_attribute(*sparse);
  if (const auto* list = std::get_if<std::vector<SparseTensor>>(&value)) {
    return convert_list(*list, sparse_attribute);
  }
  if (const auto* type = std::get_if<ValueType>(&value)) return type_of(*type);
  if (const auto* list = std::get_if<std::vector<ValueType>>(&value)) {
    return convert_list(*list, type_of);
  }
  return Json();
}

Json metadata_block(const Metadata& metadata) {
  Json block = Json::object();
  std::unordered_set<std::string_view> keys;
  for (const auto& [key, value] : metadata) {
    if (keys.insert(key).second) block.set(key, value);
  }
  return block;
}

}  // namespace ortool
