// One form of JSON for each kind of attribute.
#include "apps/ortool/inspect/attribute_block.hpp"

#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

Json tensor_attribute(const Tensor& tensor, std::int64_t most_elements) {
  Json block = Json::object();
  block.set("dtype", name_of(tensor.type())).set("shape", Json::list_of(tensor.shape()));
  if (tensor.element_count() > most_elements) return block;
  Json data = Json::list();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (is_floating_point(tensor.type())) {
      data.add(element_as_double(tensor, i));
    } else if (is_integer(tensor.type()) && tensor.type() != DataType::uint64) {
      data.add(element_as_int64(tensor, i));
    } else {
      data.add(element_text(tensor, i));
    }
  }
  return block.set("data", std::move(data));
}

Json sparse_attribute(const SparseTensor& sparse) {
  return Json::object()
      .set("dtype", name_of(sparse.values.type()))
      .set("shape", Json::list_of(sparse.dimensions))
      .set("stored_elements", sparse.values.element_count());
}

template <typename List, typename Convert>
Json convert_list(const List& list, const Convert& convert) {
  Json result = Json::list();
  for (const auto& item : list) result.add(convert(item));
  return result;
}

}  // namespace

Json attribute_block(const Attribute& attribute, std::int64_t most_elements) {
  if (!attribute.reference.empty()) return Json::object().set("reference", attribute.reference);
  const auto tensor_of = [&](const Tensor& tensor) {
    return tensor_attribute(tensor, most_elements);
  };
  const auto graph_of = [](const std::unique_ptr<Graph>& graph) {
    return Json::object().set("graph", graph->name());
  };
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
    return Json::list_of(*list);
  }
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    return Json::list_of(*list);
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
  for (const auto& [key, value] : metadata) {
    if (block.find(key) == nullptr) block.set(key, value);
  }
  return block;
}

}  // namespace ortool
