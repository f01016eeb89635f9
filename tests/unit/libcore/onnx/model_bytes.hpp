// Small models written field by field, for tests of the loader.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <stdlib.h>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/onnx/write/wire_writer.hpp"

namespace ortool::model_bytes {

using onnx::WireWriter;

/// A temporary folder that is removed with the test.
struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ortool-load-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
  std::filesystem::path path;
};

inline std::string value_info(const std::string& name, int element = 1,
                              std::int64_t dimension = 2) {
  WireWriter dim, shape, tensor, type, info;
  dim.put_varint(onnx::dimension_field::dim_value, dimension);
  shape.put_bytes(onnx::shape_field::dim, dim.text());
  tensor.put_varint(onnx::tensor_type_field::elem_type, element);
  tensor.put_bytes(onnx::tensor_type_field::shape, shape.text());
  type.put_bytes(onnx::type_field::tensor_type, tensor.text());
  info.put_bytes(onnx::value_info_field::name, name);
  info.put_bytes(onnx::value_info_field::type, type.text());
  return info.text();
}

inline std::string node(const std::string& type, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const std::string& name = "",
                        const std::vector<std::string>& attributes = {}) {
  WireWriter writer;
  for (const auto& each : inputs) writer.put_bytes(onnx::node_field::input, each);
  for (const auto& each : outputs) writer.put_bytes(onnx::node_field::output, each);
  if (!name.empty()) writer.put_bytes(onnx::node_field::name, name);
  writer.put_bytes(onnx::node_field::op_type, type);
  for (const auto& each : attributes) writer.put_bytes(onnx::node_field::attribute, each);
  return writer.text();
}

/// A graph under construction; fields are appended in any order.
struct GraphText {
  GraphText& input(const std::string& name) {
    return add(onnx::graph_field::input, value_info(name));
  }
  GraphText& output(const std::string& name) {
    return add(onnx::graph_field::output, value_info(name));
  }
  GraphText& add(std::uint32_t field, const std::string& text) {
    writer.put_bytes(field, text);
    return *this;
  }
  GraphText& add_node(const std::string& text) { return add(onnx::graph_field::node, text); }
  GraphText& constant(const std::string& text) { return add(onnx::graph_field::initializer, text); }
  WireWriter writer;
};

inline std::string model(const GraphText& graph, const std::vector<std::string>& functions = {}) {
  WireWriter opset, writer;
  opset.put_varint(onnx::opset_field::version, 17);
  writer.put_varint(onnx::model_field::ir_version, 8);
  writer.put_bytes(onnx::model_field::opset_import, opset.text());
  writer.put_bytes(onnx::model_field::graph, graph.writer.text());
  for (const auto& each : functions) writer.put_bytes(onnx::model_field::functions, each);
  return writer.text();
}

inline std::string tensor(const std::string& name, DataType type,
                          const std::vector<std::int64_t>& dims, std::uint32_t field,
                          const std::string& data) {
  WireWriter writer;
  writer.put_bytes(onnx::tensor_field::name, name);
  writer.put_bytes(field, data);  // before dims and type: the order of fields is free
  for (const std::int64_t each : dims) writer.put_varint(onnx::tensor_field::dims, each);
  writer.put_varint(onnx::tensor_field::data_type, static_cast<std::int64_t>(type));
  return writer.text();
}

inline std::string raw_tensor(const std::string& name, DataType type,
                              const std::vector<std::int64_t>& dims, const std::string& data) {
  return tensor(name, type, dims, onnx::tensor_field::raw_data, data);
}

inline std::string external_tensor(const std::vector<std::pair<std::string, std::string>>& entries,
                                   std::int64_t dimension = 2) {
  WireWriter writer;
  writer.put_bytes(onnx::tensor_field::name, "w");
  writer.put_varint(onnx::tensor_field::dims, dimension);
  writer.put_varint(onnx::tensor_field::data_type, 1);
  for (const auto& [key, value] : entries) {
    WireWriter entry;
    entry.put_bytes(onnx::entry_field::key, key);
    entry.put_bytes(onnx::entry_field::value, value);
    writer.put_bytes(onnx::tensor_field::external_data, entry.text());
  }
  writer.put_varint(onnx::tensor_field::data_location, 1);
  return writer.text();
}

inline std::unique_ptr<Model> load(const std::string& text, const std::string& directory = "",
                                   const LoadOptions& options = {}) {
  auto bytes = std::make_shared<std::string>(text);
  return load_model_from_bytes(std::as_bytes(std::span(bytes->data(), bytes->size())), bytes,
                               "test.onnx", directory, options);
}

inline Error error_of(const std::string& text, const std::string& directory = "") {
  try {
    load(text, directory);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with("test.onnx: "));
    return error;
  }
  FAIL("the model was accepted");
  return Error(ErrorCode::invalid, "");
}

inline GraphText simple() {
  GraphText graph;
  graph.input("x").output("y").add_node(node("Relu", {"x"}, {"y"}));
  return graph;
}

inline std::string graph_attribute(const std::string& name, const GraphText& graph) {
  WireWriter writer;
  writer.put_bytes(onnx::attribute_field::name, name);
  writer.put_varint(onnx::attribute_field::type, 5);
  writer.put_bytes(onnx::attribute_field::g, graph.writer.text());
  return writer.text();
}

}  // namespace ortool::model_bytes
