// Quantization report: scales, zero points, float32 subgraphs.
#include "apps/ortool/inspect/quantization_report.hpp"

#include <algorithm>
#include <map>

#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/escape.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_listed_nodes = 5;

std::string_view role_name(QuantizedTensor::Role role) {
  return role == QuantizedTensor::Role::weight ? "weight" : "activation";
}

/// The number, a list of several, or null if computed at run time or too long.
Json numbers_block(const Tensor* tensor, std::int64_t max_elements) {
  const bool is_listed = tensor != nullptr && is_arithmetic(tensor->type()) &&
                         tensor->element_count() <= std::max<std::int64_t>(max_elements, 1);
  if (!is_listed) return Json();
  const auto element = [&](std::int64_t i) {
    return is_integer(tensor->type()) ? Json(element_as_int64(*tensor, i))
                                      : Json(element_as_double(*tensor, i));
  };
  if (tensor->element_count() == 1) return element(0);
  Json list = Json::list();
  for (std::int64_t i = 0; i < tensor->element_count(); ++i) list.add(element(i));
  return list;
}

Json tensor_entry(const QuantizedTensor& tensor, std::int64_t max_elements) {
  Json block = Json::object();
  block.set("name", tensor.value->name())
      .set("node", tensor.node->name())
      .set("role", role_name(tensor.role))
      .set("dtype", name_of(tensor.type))
      .set("scale", numbers_block(tensor.scale, max_elements))
      .set("zero_point",
           tensor.has_zero_point ? numbers_block(tensor.zero_point, max_elements) : Json(0))
      .set("axis", tensor.axis >= 0 ? Json(tensor.axis) : Json())
      .set("scale_count", tensor.scale != nullptr ? Json(tensor.scale_count()) : Json());
  if (tensor.block_size > 0) block.set("block_size", tensor.block_size);
  return block;
}

Json node_names(const std::vector<const Node*>& nodes) {
  Json list = Json::list();
  for (const Node* node : nodes) {
    list.add(Json::object().set("name", node->name()).set("op_type", node->op_type()));
  }
  return list;
}

std::string number_cell(const Tensor* tensor) {
  if (tensor == nullptr) return "computed";
  if (!is_arithmetic(tensor->type()) || tensor->element_count() == 0) return "-";
  if (tensor->element_count() == 1) return readable_number(element_as_double(*tensor, 0));
  double least = element_as_double(*tensor, 0);
  double most = least;
  for (std::int64_t i = 1; i < tensor->element_count(); ++i) {
    least = std::min(least, element_as_double(*tensor, i));
    most = std::max(most, element_as_double(*tensor, i));
  }
  return least == most ? readable_number(least)
                       : readable_number(least) + " to " + readable_number(most);
}

std::string zero_point_cell(const QuantizedTensor& tensor) {
  return tensor.has_zero_point ? number_cell(tensor.zero_point) : "0";
}

std::string granularity_cell(const QuantizedTensor& tensor) {
  if (tensor.block_size > 0) return format("blocks of {}", tensor.block_size);
  return tensor.scale_count() > 1 ? format("{} on axis {}", tensor.scale_count(), tensor.axis)
                                  : "tensor";
}

/// "int8 weights (52 of 53 with a scale per channel), uint8 activations".
std::string types_text(const QuantizationReadout& readout) {
  std::map<std::pair<std::string_view, std::string_view>, std::pair<std::int64_t, std::int64_t>>
      counts;
  for (const QuantizedTensor& tensor : readout.tensors) {
    auto& [count, with_axis] = counts[{role_name(tensor.role), name_of(tensor.type)}];
    ++count;
    with_axis += tensor.scale_count() > 1 ? 1 : 0;
  }
  std::string text;
  for (auto entry = counts.rbegin(); entry != counts.rend(); ++entry) {
    const auto& [role_and_type, count] = *entry;
    text += format("{}{} {} {}s", text.empty() ? "" : ", ", count.first, role_and_type.second,
                   role_and_type.first);
    if (count.second > 0) text += format(" ({} with a scale per channel)", count.second);
  }
  return text;
}

}  // namespace

Json quantization_block(const QuantizationReadout& readout, std::int64_t max_elements) {
  Json unpaired = Json::list();
  for (const UnpairedNode& node : readout.unpaired) {
    unpaired.add(Json::object()
                     .set("node", node.node->name())
                     .set("op_type", node.node->op_type())
                     .set("reason", node.reason));
  }
  Json subgraphs = Json::list();
  for (const FloatSubgraph& subgraph : readout.float_subgraphs) {
    subgraphs.add(
        Json::object().set("nodes", node_names(subgraph.nodes)).set("reason", subgraph.reason));
  }
  const QuantizationReadout* held = &readout;
  return Json::object()
      .set("quantized_nodes", readout.quantized_nodes)
      .set("float_nodes", readout.float_nodes)
      .set("pairs", readout.pairs)
      .set("unpaired", std::move(unpaired))
      .set("float_subgraphs", std::move(subgraphs))
      .set("tensors",
           Json::streamed_list([held, max_elements](FunctionRef<void(const Json&)> emit) {
             for (const QuantizedTensor& tensor : held->tensors) {
               emit(tensor_entry(tensor, max_elements));
             }
           }));
}

std::string quantization_line(const QuantizationReadout& readout) {
  std::string text = types_text(readout);
  text += format("{}{} quantized and {} float nodes", text.empty() ? "" : "; ",
                 readout.quantized_nodes, readout.float_nodes);
  if (!readout.float_subgraphs.empty()) {
    text += format(", {} float32 subgraph{}", readout.float_subgraphs.size(),
                   readout.float_subgraphs.size() == 1 ? "" : "s");
  }
  if (!readout.unpaired.empty()) text += format(", {} unpaired", readout.unpaired.size());
  return text;
}

void write_quantization(const QuantizationReadout& readout, TextSink& out) {
  if (readout.is_empty()) {
    out += "nothing is quantized\n";
    return;
  }
  using Align = TextTable::Align;
  TextTable table({Align::left, Align::left, Align::left, Align::left, Align::left, Align::right,
                   Align::right});
  table.add_row({"tensor", "role", "type", "scale of", "node", "scale", "zero point"});
  for (const QuantizedTensor& tensor : readout.tensors) {
    table.add_row({shorten(tensor.value->name(), 60), std::string(role_name(tensor.role)),
                   std::string(name_of(tensor.type)), granularity_cell(tensor),
                   shorten(tensor.node->name(), 40), number_cell(tensor.scale),
                   zero_point_cell(tensor)});
  }
  out += table.to_string();
  for (const FloatSubgraph& subgraph : readout.float_subgraphs) {
    std::string names;
    for (std::size_t i = 0; i < std::min(subgraph.nodes.size(), max_listed_nodes); ++i) {
      names += format("{}{} ({})", i > 0 ? ", " : "", shorten(subgraph.nodes[i]->name(), 60),
                      subgraph.nodes[i]->op_type());
    }
    if (subgraph.nodes.size() > max_listed_nodes) {
      names += format(" and {} more", subgraph.nodes.size() - max_listed_nodes);
    }
    out += printable(format("float32 subgraph: {}: {}", names, subgraph.reason)) + "\n";
  }
  for (const UnpairedNode& node : readout.unpaired) {
    out += printable(format("unpaired: {} ({}): {}", shorten(node.node->name(), 60),
                            node.node->op_type(), node.reason)) +
           "\n";
  }
  out += quantization_line(readout) + "\n";
}

}  // namespace ortool
