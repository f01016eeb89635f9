// Saving models: what is read back, which files are written, and what is left after a failure.
#include "libcore/onnx/write/save.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/graph/algorithms/nested_names.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/onnx/write/wire_writer.hpp"
#include "libcore/text/parse.hpp"
#include "libcore/text/print.hpp"

namespace ortool {
namespace {

using onnx::WireWriter;
namespace fs = std::filesystem;

/// A temporary folder that is removed with the test.
struct SaveFolder {
  SaveFolder() {
    std::string name = (fs::temp_directory_path() / "ortool-save-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~SaveFolder() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path / name, std::ios::binary).rdbuf();
    return text.str();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(path)) {
      result.push_back(entry.path().filename().string());
    }
    std::sort(result.begin(), result.end());
    return result;
  }
  fs::path path;
};

constexpr std::string_view text_of_a_model = R"(<ir_version: 10, opset_import: ["": 20]>
main (float[N, 3] x, bool c) => (float[N, 3] y) <float[3] w = {1, 2, 3}> {
  [sum] s = Add(x, w)
  [branch] y = If <
    then_branch: graph = inner () => (float[N, 3] t) { t = Relu(s) },
    else_branch: graph = other () => (float[N, 3] e) { e = Add(s, w) }
  > (c)
})";

/// A model with `count` float weights of `elements` each.
std::unique_ptr<Model> weights(int count, std::int64_t elements) {
  auto model = parse_model(
      "<ir_version: 10, opset_import: [\"\": 20]> main (float[1] x) => (float[1] y) "
      "{ y = Relu(x) }");
  for (int i = 0; i < count; ++i) {
    Tensor tensor(DataType::float32, Shape{elements});
    auto numbers = tensor.mutable_data<float>();
    std::iota(numbers.begin(), numbers.end(), static_cast<float>(1000 * i));
    model->graph->add_constant("w" + std::to_string(i), tensor);
  }
  return model;
}

bool has_equal_weights(const Model& one, const Model& other) {
  for (const Value* value : one.graph->values()) {
    if (value->constant().is_empty()) continue;
    const Value* found = other.graph->find_value(value->name());
    if (found == nullptr) return false;
    const Tensor& a = value->constant();
    const Tensor& b = found->constant();
    if (a.type() != b.type() || !(a.shape() == b.shape())) return false;
    if (std::memcmp(a.bytes(), b.bytes(), static_cast<std::size_t>(a.size_bytes())) != 0) {
      return false;
    }
  }
  return true;
}

Error error_of_saving(const Model& model, const std::string& path, const SaveOptions& options) {
  try {
    save_model(model, path, options);
  } catch (const Error& error) {
    return error;
  }
  FAIL("nothing was thrown");
  throw;
}

}  // namespace

TEST_CASE("A model made here comes back with the same text and saves to the same bytes") {
  const SaveFolder folder;
  const auto model = parse_model(text_of_a_model);
  save_model(*model, folder / "one.onnx");
  const auto read = load_model(folder / "one.onnx");
  CHECK(print_model(*read) == print_model(*model));
  save_model(*read, folder / "two.onnx");
  save_model(*model, folder / "three.onnx");
  CHECK(folder.read("one.onnx") == folder.read("two.onnx"));
  CHECK(folder.read("one.onnx") == folder.read("three.onnx"));
}

TEST_CASE("Tensors of every type come back, in the model and beside it") {
  const SaveFolder folder;
  auto model = weights(0, 0);
  for (std::int32_t number = 1; number < data_type_count; ++number) {
    const auto type = static_cast<DataType>(number);
    if (type == DataType::string) continue;
    Tensor tensor(type, Shape{7, 3});
    for (std::int64_t i = 0; i < tensor.size_bytes(); ++i) {
      const bool is_bool = type == DataType::boolean;
      tensor.mutable_bytes()[i] = static_cast<std::byte>(is_bool ? i % 2 : i * 37 + number);
    }
    model->graph->add_constant(name_of(type), tensor);
  }
  const Tensor texts = Tensor::of_strings(Shape{2}, {"", std::string("a\0b", 3)});
  model->graph->add_constant("texts", texts);
  SaveOptions options;
  options.external_threshold_bytes = 1;
  for (const ExternalData where : {ExternalData::never, ExternalData::always}) {
    options.external_data = where;
    save_model(*model, folder / "m.onnx", options);
    const auto read = load_model(folder / "m.onnx");
    const Tensor& found = read->graph->find_value("texts")->constant();
    CHECK(std::equal(texts.strings().begin(), texts.strings().end(), found.strings().begin()));
    model->graph->set_constant(*model->graph->find_value("texts"), found);
    CHECK(read->external_files.empty() == (where == ExternalData::never));
    for (const Value* value : model->graph->values()) {
      if (value->constant().is_empty() || value->name() == "texts") continue;
      const Tensor& a = value->constant();
      const Tensor& b = read->graph->find_value(value->name())->constant();
      INFO(value->name());
      CHECK(a.type() == b.type());
      CHECK(std::memcmp(a.bytes(), b.bytes(), static_cast<std::size_t>(a.size_bytes())) == 0);
    }
  }
}

TEST_CASE("Large weights go beside the model, on page bounds and under a name nobody has") {
  const SaveFolder folder;
  folder.write("m.onnx.data", "of another model");
  const auto model = weights(3, 2000);
  SaveOptions options;
  options.external_data = ExternalData::always;
  save_model(*model, folder / "m.onnx", options);
  CHECK(folder.names() == std::vector<std::string>{"m.onnx", "m.onnx-2.data", "m.onnx.data"});
  CHECK(folder.read("m.onnx.data") == "of another model");
  CHECK(fs::file_size(folder / "m.onnx-2.data") == 2 * 8192 + 8000);
  const auto read = load_model(folder / "m.onnx");
  CHECK(has_equal_weights(*model, *read));

  // Saved into the same folder, it refers to the same file; into another one, it copies the data.
  save_model(*read, folder / "n.onnx");
  CHECK(folder.names().size() == 4);
  CHECK(load_model(folder / "n.onnx")->external_files.front().path == folder / "m.onnx-2.data");
  const SaveFolder other;
  save_model(*read, other / "m.onnx");
  CHECK(other.names() == std::vector<std::string>{"m.onnx", "m.onnx.data"});
  CHECK(has_equal_weights(*model, *load_model(other / "m.onnx")));
  options.external_data = ExternalData::never;
  save_model(*read, other / "one.onnx", options);
  CHECK(load_model(other / "one.onnx")->external_files.empty());
  CHECK(has_equal_weights(*model, *load_model(other / "one.onnx")));
}

TEST_CASE("Weights go outside by themselves when the file would become too large") {
  const SaveFolder folder;
  const auto model = weights(3, 2000);
  SaveOptions options;
  options.max_file_bytes = 20000;
  save_model(*model, folder / "large.onnx", options);
  options.max_file_bytes = 30000;
  save_model(*model, folder / "small.onnx", options);
  CHECK(folder.names() == std::vector<std::string>{"large.onnx", "large.onnx.data", "small.onnx"});
  CHECK(has_equal_weights(*model, *load_model(folder / "large.onnx")));
}

TEST_CASE("A model saved over itself keeps its weights") {
  const SaveFolder folder;
  const auto model = weights(2, 2000);
  save_model(*model, folder / "m.onnx");
  const std::string before = folder.read("m.onnx");
  save_model(*load_model(folder / "m.onnx"), folder / "m.onnx");
  CHECK(folder.read("m.onnx") == before);
  CHECK(folder.names().size() == 1);
}

TEST_CASE("A failure while saving leaves no file and the old one") {
  const SaveFolder folder;
  const auto model = weights(2, 2000);
  SaveOptions options;
  CHECK(error_of_saving(*model, folder / "none" + "/m.onnx", options).code() ==
        ErrorCode::write_failed);
  const Error full = error_of_saving(*model, "/dev/full", options);
  CHECK(full.code() == ErrorCode::write_failed);
  CHECK_THAT(full.what(), Catch::Contains("No space left"));
  options.external_data = ExternalData::always;
  CHECK(error_of_saving(*model, "/dev/full", options).id() == "save.external_name");
  fs::create_directory(folder.path / "folder");
  CHECK(error_of_saving(*model, folder / "folder", options).code() == ErrorCode::write_failed);
  for (const char* name : {"../w", "/w", "a/w", "..", ".", "a/../../w"}) {
    options.external_name = name;
    INFO(name);
    CHECK(error_of_saving(*model, folder / "m.onnx", options).code() == ErrorCode::invalid);
  }
  folder.write("taken", "old");
  options.external_name = "taken";
  CHECK(error_of_saving(*model, folder / "m.onnx", options).id() == "save.external_name");
  CHECK(folder.names() == std::vector<std::string>{"folder", "taken"});
  CHECK(folder.read("taken") == "old");
}

TEST_CASE("A stop while saving leaves no file and the old one") {
  const SaveFolder folder;
  folder.write("m.onnx", "old");
  const auto model = weights(2, 4096);
  StopToken stop;
  stop.request(ErrorCode::interrupted);
  SaveOptions options;
  options.stop = &stop;
  for (const ExternalData where : {ExternalData::never, ExternalData::always}) {
    options.external_data = where;
    CHECK(error_of_saving(*model, folder / "m.onnx", options).code() == ErrorCode::interrupted);
    CHECK(folder.names() == std::vector<std::string>{"m.onnx"});
    CHECK(folder.read("m.onnx") == "old");
  }
}

TEST_CASE("Bytes are told as they are written, of those of all files") {
  const SaveFolder folder;
  for (const ExternalData where : {ExternalData::never, ExternalData::always}) {
    SaveOptions options;
    options.external_data = where;
    std::int64_t told = 0;
    std::int64_t last = -1;
    std::int64_t whole = 0;
    options.on_written = [&](std::int64_t done, std::int64_t total) {
      CHECK(done > last);
      CHECK(done < total);
      last = done;
      whole = total;
      ++told;
    };
    CHECK(save_model(*weights(2, 4096), folder / "m.onnx", options) == whole);
    CHECK(told >= 2);
  }
}

TEST_CASE("Weights that were not read cannot be copied, but referred to") {
  const SaveFolder folder;
  SaveOptions options;
  options.external_data = ExternalData::always;
  save_model(*weights(2, 2000), folder / "m.onnx", options);
  LoadOptions without;
  without.read_external_data = false;
  const auto model = load_model(folder / "m.onnx", without);
  save_model(*model, folder / "n.onnx");
  CHECK(has_equal_weights(*weights(2, 2000), *load_model(folder / "n.onnx")));
  const SaveFolder other;
  CHECK(error_of_saving(*model, other / "m.onnx", {}).id() == "save.unread_weights");
  CHECK(other.names().empty());
}

TEST_CASE("A sparse initializer stays sparse until it is given another tensor") {
  const SaveFolder folder;
  WireWriter file, source;
  const auto tensor = [](WireWriter& writer, std::uint32_t field, std::string_view name, int type,
                         std::int64_t length, const std::string& bytes) {
    writer.begin_message(field);
    writer.put_varint(onnx::tensor_field::dims, length);
    writer.put_varint(onnx::tensor_field::data_type, type);
    writer.put_bytes(onnx::tensor_field::name, name);
    writer.put_bytes(onnx::tensor_field::raw_data, bytes);
    writer.end_message();
  };
  file.put_varint(onnx::model_field::ir_version, 8);
  file.begin_message(onnx::model_field::opset_import);
  file.put_varint(onnx::opset_field::version, 17);
  file.end_message();
  file.begin_message(onnx::model_field::graph);
  file.begin_message(onnx::graph_field::sparse_initializer);
  tensor(file, onnx::sparse_tensor_field::values, "w", 2, 2, "\x05\x06");
  tensor(file, onnx::sparse_tensor_field::indices, "", 7, 2,
         std::string("\1\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 16));
  file.put_varint(onnx::sparse_tensor_field::dims, 4);
  file.end_message();
  file.end_message();
  folder.write("m.onnx", file.text());
  auto model = load_model(folder / "m.onnx");
  Value& value = *model->graph->find_value("w");
  CHECK(value.constant().data<std::uint8_t>()[3] == 6);
  save_model(*model, folder / "same.onnx");
  CHECK(load_model(folder / "same.onnx")->graph->sparse_initializers.size() == 1);
  model->graph->set_constant(value, Tensor::of<std::uint8_t>(Shape{2}, {7, 8}));
  save_model(*model, folder / "new.onnx");
  const auto read = load_model(folder / "new.onnx");
  CHECK(read->graph->sparse_initializers.empty());
  CHECK(read->graph->find_value("w")->constant().data<std::uint8_t>()[1] == 8);
}

TEST_CASE("A changed model is saved with its changes and with what nobody here knows") {
  const SaveFolder folder;
  save_model(*parse_model(text_of_a_model), folder / "m.onnx");
  WireWriter unknown;
  unknown.put_bytes(1000, "later");
  folder.write("m.onnx", folder.read("m.onnx") + unknown.text());
  auto model = load_model(folder / "m.onnx");
  Graph& graph = *model->graph;
  Node& sum = *graph.first_node();
  Value& doubled = graph.add_value("doubled");
  Value* const inputs[] = {sum.output(0), sum.output(0)};
  Value* const outputs[] = {&doubled};
  graph.add_node("Add", "", inputs, outputs, "double", sum.next());
  sum.mutable_notes().metadata.emplace_back("namespace", "a.b");
  save_model(*model, folder / "n.onnx");
  const auto read = load_model(folder / "n.onnx");
  CHECK(read->graph->node_count() == 3);
  CHECK(read->graph->first_node()->metadata().front().second == "a.b");
  CHECK(print_model(*read) == print_model(*model));
  CHECK(read->residue.unknown_fields.size() == 1);
}

TEST_CASE("An inner value whose name hides an outer one that is read beside it gets another name") {
  const SaveFolder folder;
  auto model = parse_model(text_of_a_model);
  Graph& inner = *model->graph->first_node()->next()->subgraphs().front();
  Value& hiding = inner.add_value("x");
  Value* const no_inputs[] = {inner.captures().front()};
  Value* const outputs[] = {&hiding};
  inner.add_node("Neg", "", no_inputs, outputs, {}, inner.first_node());
  // The value x of the main graph has another name in this body, but only one in the file.
  inner.set_input(*inner.first_node()->next(), 0, &inner.capture(*model->graph->inputs()[0]));
  save_model(*model, folder / "m.onnx");
  const auto read = load_model(folder / "m.onnx");
  const Graph& found = *read->graph->first_node()->next()->subgraphs().front();
  const Value* source = found.first_node()->next()->input(0);
  REQUIRE(source->captured() != nullptr);
  CHECK(source->captured()->name() == "x");
  CHECK(found.first_node()->output(0)->name() == "x_1");
}

TEST_CASE("An output of an inner node whose name an outer value has gets another name") {
  const SaveFolder folder;
  const auto model = parse_model(R"(
    <ir_version: 10, opset_import: ["" : 18]>
    g (bool c, float[2] x, float[2] unread) => (float[2] y) {
      y = If (c) <then_branch = yes () => (float[2] t) { t = Abs (x) },
                  else_branch = no () => (float[2] e) { e = Neg (x) }>
    })");
  Graph& inner = *model->graph->first_node()->subgraphs().front();
  inner.rename_value(*inner.find_value("t"), "unread");
  save_model(*model, folder / "m.onnx");
  const auto read = load_model(folder / "m.onnx");
  verify_names(*read->graph);
  CHECK(read->graph->first_node()->subgraphs()[0]->outputs()[0]->name() == "unread_1");
  CHECK(read->graph->inputs()[2]->name() == "unread");
}

TEST_CASE("Tensors that share their bytes share their place in the file of weights") {
  const SaveFolder folder;
  const auto model = weights(1, 2000);
  const Tensor tensor = model->graph->find_value("w0")->constant();
  model->graph->add_constant("again", tensor);
  SaveOptions options;
  options.external_data = ExternalData::always;
  save_model(*model, folder / "m.onnx", options);
  const auto read = load_model(folder / "m.onnx");
  REQUIRE(read->external_files.size() == 1);
  CHECK(read->external_files[0].bytes == tensor.size_bytes());
  CHECK(read->graph->find_value("again")->constant().size_bytes() == tensor.size_bytes());
}

}  // namespace ortool
