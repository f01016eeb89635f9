// Tests of the loader on small models written field by field, whole and broken.
#include "libcore/onnx/read/load.hpp"

#include <filesystem>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "tests/unit/libcore/onnx/model_bytes.hpp"

namespace ortool {
using namespace model_bytes;
using onnx::WireWriter;
namespace fs = std::filesystem;

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
  CHECK(error_of("hello world, this is text").message() == "is not an ONNX file but text");
  CHECK(error_of("").id() == "file.empty");
  CHECK(error_of("\x08\x08").id() == "file.no_graph");
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
  options.max_nesting = 1000;
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
  const auto read = load(with(integer));  // proto3 writers omit zeros
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
