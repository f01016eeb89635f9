// The loader on small models written field by field, whole and broken.
#include "libcore/onnx/load.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "libcore/graph/verify.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/value_file.hpp"
#include "libcore/onnx/wire_writer.hpp"

namespace ortool {
namespace {

using onnx::WireWriter;
namespace fs = std::filesystem;

/// A folder that goes away with the test.
struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "ortool-load-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
  fs::path path;
};

std::string value_info(const std::string& name, int element = 1, std::int64_t dimension = 2) {
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

std::string node(const std::string& type, const std::vector<std::string>& inputs,
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

std::string model(const GraphText& graph, const std::vector<std::string>& functions = {}) {
  WireWriter opset, writer;
  opset.put_varint(onnx::opset_field::version, 17);
  writer.put_varint(onnx::model_field::ir_version, 8);
  writer.put_bytes(onnx::model_field::opset_import, opset.text());
  writer.put_bytes(onnx::model_field::graph, graph.writer.text());
  for (const auto& each : functions) writer.put_bytes(onnx::model_field::functions, each);
  return writer.text();
}

std::string tensor(const std::string& name, DataType type, const std::vector<std::int64_t>& dims,
                   std::uint32_t field, const std::string& data) {
  WireWriter writer;
  writer.put_bytes(onnx::tensor_field::name, name);
  writer.put_bytes(field, data);  // before dims and type: the order of fields is free
  for (const std::int64_t each : dims) writer.put_varint(onnx::tensor_field::dims, each);
  writer.put_varint(onnx::tensor_field::data_type, static_cast<std::int64_t>(type));
  return writer.text();
}

std::string raw_tensor(const std::string& name, DataType type,
                       const std::vector<std::int64_t>& dims, const std::string& data) {
  return tensor(name, type, dims, onnx::tensor_field::raw_data, data);
}

std::string external_tensor(const std::vector<std::pair<std::string, std::string>>& entries,
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

std::unique_ptr<Model> load(const std::string& text, const std::string& directory = "",
                            const LoadOptions& options = {}) {
  auto bytes = std::make_shared<std::string>(text);
  return load_model_from_bytes(std::as_bytes(std::span(bytes->data(), bytes->size())), bytes,
                               "test.onnx", directory, options);
}

Error error_of(const std::string& text, const std::string& directory = "") {
  try {
    load(text, directory);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with("test.onnx: "));
    return error;
  }
  FAIL("the model was accepted");
  return Error(ErrorCode::invalid, "");
}

GraphText simple() {
  GraphText graph;
  graph.input("x").output("y").add_node(node("Relu", {"x"}, {"y"}));
  return graph;
}

std::string graph_attribute(const std::string& name, const GraphText& graph) {
  WireWriter writer;
  writer.put_bytes(onnx::attribute_field::name, name);
  writer.put_varint(onnx::attribute_field::type, 5);
  writer.put_bytes(onnx::attribute_field::g, graph.writer.text());
  return writer.text();
}

}  // namespace

TEST_CASE("a small model is read with names, types and opsets") {
  const auto read = load(model(simple()));
  REQUIRE(read->graph->node_count() == 1);
  CHECK(read->ir_version == 8);
  CHECK(read->graph->opset("ai.onnx") == 17);
  CHECK(read->graph->inputs()[0]->type().to_string() == "float32[2]");
  CHECK(read->graph->first_node()->name() == "Relu_0");
  CHECK(read->warnings.empty());
}

TEST_CASE("a model cut anywhere is refused, never half read") {
  const std::string whole = model(simple());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    INFO("cut at " << length);
    const Error error = error_of(whole.substr(0, length));
    CHECK(error.code() == ErrorCode::invalid);
  }
  CHECK(error_of(whole.substr(0, whole.size() - 3)).id() == "file.cut");
}

TEST_CASE("a flipped byte anywhere ends in a model or an error, nothing else") {
  const std::string whole = model(simple());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      try {
        load(changed);
      } catch (const Error& error) {
        CHECK(error.id() != "internal.check");
      }
    }
  }
}

TEST_CASE("unknown fields are passed over and malformed ones are errors") {
  const std::string whole = model(simple());
  CHECK_NOTHROW(load(whole + "\xf8\x06\x05"));                     // field 111, varint
  CHECK_NOTHROW(load(whole + "\xfb\x06\x08\x01\xfc\x06"));         // field 111, group
  CHECK(error_of(whole + "\xfb\x06\x08\x01").id() == "file.cut");  // group never ended
  CHECK(error_of(whole + "\xfc\x06").id() == "wire.group");
  CHECK(error_of(whole + "\xff\x06").id() == "wire.type");
  CHECK(error_of(whole + std::string("\x00\x01", 2)).id() == "wire.tag");
  CHECK(error_of(whole + "\x38\x01").id() == "wire.type");  // graph as a number
  CHECK(error_of("\x08" + std::string(10, '\xff') + "\x01").id() == "wire.varint");
  CHECK(error_of(whole + whole).id() == "wire.repeated");
}

TEST_CASE("other formats are told by name") {
  CHECK(error_of("<!DOCTYPE html>").message().find("a web page") != std::string::npos);
  CHECK(error_of("version https://git-lfs.github.com/spec/v1\n").hint() ==
        "fetch the file with 'git lfs pull'");
  CHECK(error_of(std::string("PK\x03\x04zip", 7)).id() == "file.format");
  CHECK(error_of("hello world, this is text").message() == "is no ONNX file but text");
  CHECK(error_of("").id() == "file.empty");
  CHECK(error_of("\x08\x08").id() == "file.no_graph");
}

TEST_CASE("typed data of every kind is decoded") {
  const auto constant = [](const std::string& text) {
    GraphText graph = simple();
    graph.constant(text);
    return load(model(graph))->graph->find_value("w")->constant();
  };
  using namespace onnx::tensor_field;
  CHECK(constant(tensor("w", DataType::int64, {3}, int64_data, "\x01\x02\x7f"))
            .data<std::int64_t>()[2] == 127);
  CHECK(constant(tensor("w", DataType::int8, {1}, int32_data,
                        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
            .data<std::int8_t>()[0] == -1);
  CHECK(constant(tensor("w", DataType::float32, {1}, float_data, std::string("\0\0\x80\x3f", 4)))
            .data<float>()[0] == 1.0F);
  const Tensor half = constant(tensor("w", DataType::float16, {1}, int32_data, "\x80\x78"));
  CHECK(half.data<std::uint16_t>()[0] == 0x3c00);
  const Tensor packed = constant(tensor("w", DataType::int4, {3}, int32_data, "\x21\x03"));
  CHECK(packed.size_bytes() == 2);
  CHECK(packed.bytes()[0] == std::byte{0x21});
  const Tensor six =
      constant(tensor("w", DataType::float6e2m3, {5}, int32_data, "\x08\x10\x14\x18\x1a"));
  CHECK(six.size_bytes() == 4);
  CHECK(six.bytes()[2] == std::byte{0x61});
  CHECK(six.bytes()[3] == std::byte{0x1a});
  CHECK(
      constant(raw_tensor("w", DataType::boolean, {2}, std::string("\0\x07", 2))).data<bool>()[1]);
  const Tensor text = constant(tensor("w", DataType::string, {1}, string_data, "abc"));
  CHECK(text.strings()[0] == "abc");
}

TEST_CASE("data that disagrees with shape or type is an error before anything is allocated") {
  const auto refused = [](const std::string& text) {
    GraphText graph = simple();
    graph.constant(text);
    const Error error = error_of(model(graph));
    CHECK(error.message().starts_with("tensor 'w': "));
    return error.id();
  };
  using namespace onnx::tensor_field;
  CHECK(refused(raw_tensor("w", DataType::float32, {2}, "1234567")) == "tensor.size");
  CHECK(refused(raw_tensor("w", DataType::float32, {1LL << 40, 1LL << 40}, "1234")) ==
        "tensor.size");
  CHECK(refused(raw_tensor("w", DataType::float32, {-1}, "1234")) == "tensor.size");
  CHECK(refused(raw_tensor("w", DataType::float32, {1LL << 38}, "1234")) == "tensor.size");
  CHECK(refused(raw_tensor("w", DataType::string, {1}, "1234")) == "tensor.data");
  CHECK(refused(raw_tensor("w", static_cast<DataType>(99), {1}, "1234")) == "tensor.type");
  CHECK(refused(raw_tensor("w", DataType::undefined, {1}, "1234")) == "tensor.type");
  CHECK(refused(raw_tensor("w", DataType::float32, std::vector<std::int64_t>(65, 1), "1234")) ==
        "tensor.shape");
  CHECK(refused(tensor("w", DataType::float32, {1}, int32_data, "\x01")) == "tensor.data");
  CHECK(refused(tensor("w", DataType::int64, {2}, int64_data, "\x01")) == "tensor.size");
  CHECK(refused(tensor("w", DataType::float32, {1}, float_data, "12345")) == "wire.packed");
  CHECK(refused(tensor("w", DataType::uint8, {1}, int32_data, "\x80\x02")) == "tensor.value");
  CHECK(refused(tensor("w", DataType::int64, {1}, int64_data, "\x80")) == "tensor.size");
}

TEST_CASE("names must be unique and defined") {
  GraphText twice = simple();
  twice.add_node(node("Relu", {"x"}, {"y"}, "again"));
  CHECK(error_of(model(twice)).node() == "'again' (Relu)");
  GraphText constants = simple();
  constants.constant(raw_tensor("w", DataType::int8, {1}, "1"));
  constants.constant(raw_tensor("w", DataType::int8, {1}, "1"));
  CHECK(error_of(model(constants)).id() == "graph.name");
  GraphText undefined;
  undefined.input("data").output("y").add_node(node("Relu", {"dato"}, {"y"}, "act"));
  const Error error = error_of(model(undefined));
  CHECK(error.id() == "graph.undefined");
  CHECK(error.node() == "'act' (Relu)");
  CHECK(error.hint() == "did the model mean 'data'?");
  GraphText output;
  output.input("x").output("y");
  CHECK(error_of(model(output)).id() == "graph.undefined");
}

TEST_CASE("an initializer of a graph input's name is its default") {
  GraphText graph = simple();
  graph.input("w").constant(raw_tensor("w", DataType::float32, {1}, "1234"));
  const auto read = load(model(graph));
  CHECK(read->graph->find_value("w")->has_default());
  GraphText wrong = simple();
  wrong.input("w").constant(raw_tensor("w", DataType::int8, {1}, "1"));
  CHECK(error_of(model(wrong)).id() == "graph.default");
}

TEST_CASE("nodes out of order are sorted with a warning, and a circle is an error") {
  GraphText graph;
  graph.input("x").output("c");
  graph.add_node(node("Relu", {"b"}, {"c"}, "last"));
  graph.add_node(node("Relu", {"a"}, {"b"}, "middle"));
  graph.add_node(node("Relu", {"x"}, {"a"}, "first"));
  const auto read = load(model(graph));
  std::string order;
  for (const Node& each : read->graph->nodes()) order += std::string(each.name()) + " ";
  CHECK(order == "first middle last ");
  REQUIRE(read->warnings.size() == 1);
  GraphText circle;
  circle.input("x").output("b");
  circle.add_node(node("Add", {"x", "b"}, {"a"}, "one"));
  circle.add_node(node("Relu", {"a"}, {"b"}, "two"));
  const Error error = error_of(model(circle));
  CHECK(error.id() == "graph.cycle");
  CHECK(error.message().find("one") != std::string::npos);
  CHECK(error.message().find("two") != std::string::npos);
}

TEST_CASE("subgraphs capture outer values, also through two levels") {
  GraphText inner;
  inner.output("z").add_node(node("Add", {"x", "x"}, {"z"}));
  GraphText middle;
  middle.output("v").add_node(
      node("If", {"c"}, {"v"}, "inner", {graph_attribute("then_branch", inner)}));
  GraphText graph;
  graph.input("x").input("c").output("y");
  graph.add_node(node("If", {"c"}, {"y"}, "outer", {graph_attribute("then_branch", middle)}));
  const auto read = load(model(graph));
  CHECK_NOTHROW(verify(*read->graph));
  const Node& outer = *read->graph->first_node();
  CHECK(outer.implicit_input_count() == 2);
  const Graph& body = *outer.subgraphs()[0]->first_node()->subgraphs()[0];
  REQUIRE(body.captures().size() == 1);
  CHECK(body.captures()[0]->captured()->captured()->name() == "x");
}

TEST_CASE("a node whose subgraph reads its output waits for itself") {
  GraphText inner;
  inner.output("y");
  GraphText graph;
  graph.input("c").output("y");
  graph.add_node(node("If", {"c"}, {"y"}, "outer", {graph_attribute("then_branch", inner)}));
  CHECK(error_of(model(graph)).id() == "graph.cycle");
}

TEST_CASE("graphs nest 32 deep and no deeper") {
  const auto nested = [](int depth) {
    GraphText graph;
    graph.output("x");
    for (int i = 0; i < depth; ++i) {
      GraphText around;
      around.output("y" + std::to_string(i));
      around.add_node(node("If", {"x"}, {"y" + std::to_string(i)}, "",
                           {graph_attribute("then_branch", graph)}));
      if (i + 1 == depth) around.input("x");
      graph = around;
    }
    return model(graph);
  };
  LoadOptions options;
  options.most_nesting = 1000;
  CHECK_NOTHROW(load(nested(32), "", options));
  CHECK_THROWS_WITH(load(nested(33), "", options), Catch::Contains("nest deeper than 32"));
}

TEST_CASE("attributes hold the kind they declare") {
  const auto with = [](const WireWriter& attribute) {
    GraphText graph;
    graph.input("x").output("y").add_node(node("Relu", {"x"}, {"y"}, "n", {attribute.text()}));
    return model(graph);
  };
  WireWriter integer;
  integer.put_bytes(onnx::attribute_field::name, "axis");
  integer.put_varint(onnx::attribute_field::type, 2);
  const auto read = load(with(integer));  // proto3 writers leave zeros out
  CHECK(std::get<std::int64_t>(read->graph->first_node()->find_attribute("axis")->value) == 0);
  WireWriter confused = integer;
  confused.put_float(onnx::attribute_field::f, 1.0F);
  CHECK(error_of(with(confused)).id() == "attribute.kind");
  WireWriter none;
  none.put_bytes(onnx::attribute_field::name, "axis");
  CHECK(error_of(with(none)).id() == "attribute.kind");
  WireWriter unnamed;
  unnamed.put_varint(onnx::attribute_field::type, 2);
  CHECK(error_of(with(unnamed)).id() == "attribute.name");
  GraphText graph;
  graph.input("x").output("y").add_node(
      node("Relu", {"x"}, {"y"}, "n", {integer.text(), integer.text()}));
  CHECK(error_of(model(graph)).id() == "attribute.repeated");
}

TEST_CASE("external data is read from the model's folder and from nowhere else") {
  const Folder folder;
  folder.write("w.bin", std::string(12, '\1'));
  fs::create_directory(folder.path / "below");
  fs::copy(folder.path / "w.bin", folder.path / "below/w.bin");
  fs::create_symlink("w.bin", folder.path / "link.bin");
  fs::create_symlink("below", folder.path / "link");
  REQUIRE(::mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
  const std::string here = folder.path.string();
  const auto with = [](const std::vector<std::pair<std::string, std::string>>& entries) {
    GraphText graph = simple();
    graph.constant(external_tensor(entries));
    return model(graph);
  };
  const auto read =
      load(with({{"location", "./below//w.bin"}, {"offset", "4"}, {"length", "8"}}), here);
  CHECK(read->graph->find_value("w")->is_external);
  REQUIRE(read->external_files.size() == 1);
  CHECK(read->external_files[0].bytes == 12);
  const auto refused = [&](const std::vector<std::pair<std::string, std::string>>& entries) {
    return error_of(with(entries), here).id();
  };
  CHECK(refused({}) == "external.path");
  CHECK(refused({{"location", ""}}) == "external.path");
  CHECK(refused({{"location", "../w.bin"}}) == "external.path");
  CHECK(refused({{"location", "below/../w.bin"}}) == "external.path");
  CHECK(refused({{"location", here + "/w.bin"}}) == "external.path");
  CHECK(refused({{"location", std::string("w.bin\0", 6)}}) == "external.path");
  CHECK(refused({{"location", std::string(5000, 'a')}}) == "external.path");
  CHECK(refused({{"location", "link.bin"}}) == "external.path");
  CHECK(refused({{"location", "link/w.bin"}}) == "external.path");
  CHECK(refused({{"location", "pipe"}}) == "external.kind");
  CHECK(refused({{"location", "below"}}) == "external.kind");
  CHECK(refused({{"location", "none.bin"}}) == "external.missing");
  CHECK(refused({{"location", "w.bin"}, {"offset", "8"}}) == "external.range");
  CHECK(refused({{"location", "w.bin"}, {"offset", "18446744073709551615"}}) == "external.range");
  CHECK(refused({{"location", "w.bin"}, {"offset", "-4"}}) == "external.number");
  CHECK(refused({{"location", "w.bin"}, {"offset", " 4"}}) == "external.number");
  CHECK(refused({{"location", "w.bin"}, {"length", "4"}}) == "external.size");
  CHECK(refused({{"location", "w.bin"}, {"location", "w.bin"}}) == "external.repeated");
  CHECK(load(with({{"location", "w.bin"}, {"color", "red"}}), here)->warnings.size() == 1);
  CHECK(error_of(with({{"location", "w.bin"}})).id() == "external.path");
}

TEST_CASE("without its external data a model still loads when asked to") {
  GraphText graph = simple();
  graph.constant(external_tensor({{"location", "none.bin"}}, 1LL << 32));
  LoadOptions options;
  options.read_external_data = false;
  const auto read = load(model(graph), "", options);
  CHECK(read->graph->find_value("w")->constant().size_bytes() == (1LL << 34));
  CHECK(read->graph->find_value("w")->is_external);
}

TEST_CASE("functions may not call themselves or grow beyond all bounds") {
  const auto function = [](const std::string& name, const std::vector<std::string>& calls) {
    WireWriter opset, writer;
    opset.put_bytes(onnx::opset_field::domain, "my");
    opset.put_varint(onnx::opset_field::version, 1);
    writer.put_bytes(onnx::function_field::name, name);
    writer.put_bytes(onnx::function_field::domain, "my");
    writer.put_bytes(onnx::function_field::opset_import, opset.text());
    writer.put_bytes(onnx::function_field::input, "v0");
    int next = 0;
    for (const std::string& called : calls) {
      WireWriter call;
      call.put_bytes(onnx::node_field::input, "v" + std::to_string(next));
      call.put_bytes(onnx::node_field::output, "v" + std::to_string(++next));
      call.put_bytes(onnx::node_field::op_type, called);
      call.put_bytes(onnx::node_field::domain, "my");
      writer.put_bytes(onnx::function_field::node, call.text());
    }
    writer.put_bytes(onnx::function_field::output, "v" + std::to_string(next));
    return writer.text();
  };
  CHECK(load(model(simple(), {function("f", {"Other"})}))->functions.size() == 1);
  CHECK(error_of(model(simple(), {function("f", {"g"}), function("g", {"f"})})).id() ==
        "function.cycle");
  CHECK(error_of(model(simple(), {function("f", {}), function("f", {})})).id() ==
        "function.repeated");
  std::vector<std::string> doubling;
  std::vector<std::string> chain;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "f" + std::to_string(i + 1);
    doubling.push_back(function("f" + std::to_string(i), {next, next}));
  }
  for (int i = 0; i < 3000; ++i) {
    chain.push_back(function("f" + std::to_string(i), {"f" + std::to_string(i + 1)}));
  }
  CHECK(error_of(model(simple(), doubling)).id() == "function.size");
  CHECK(error_of(model(simple(), chain)).id() == "function.depth");
}

TEST_CASE("a tensor file comes back as it was saved") {
  const Folder folder;
  const std::string path = (folder.path / "t.pb").string();
  const Tensor saved = Tensor::of<float>(Shape{2, 2}, {1.0F, 2.0F, 3.0F, 4.0F});
  save_value(path, "x", saved, {});
  std::string name;
  const Tensor read = load_tensor(path, &name);
  CHECK(name == "x");
  CHECK(read.shape() == saved.shape());
  CHECK(read.aligned().data<float>()[3] == 4.0F);
  save_value(path, "s", Tensor::of_strings(Shape{2}, {"", "b"}), {});
  CHECK(load_tensor(path).strings()[1] == "b");
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("missing files, folders and pipes are told apart") {
  const Folder folder;
  folder.write("model.onnx", model(simple()));
  REQUIRE(::mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
  const auto refused = [&](const std::string& name) {
    try {
      load_model((folder.path / name).string());
    } catch (const Error& error) {
      return error.id() + " " + error.hint();
    }
    return std::string();
  };
  CHECK(refused("model.onnx").empty());
  CHECK(refused("modle.onnx").find("did you mean") != std::string::npos);
  CHECK(refused("none/model.onnx").find("there is no folder") != std::string::npos);
  CHECK(refused("pipe").starts_with("file.kind"));
  CHECK(refused("").starts_with("file."));
}

}  // namespace ortool
