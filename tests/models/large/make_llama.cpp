// Generates a model shaped like a large language model, with 6 GB of weights that take no disk.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <sys/mman.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/descriptor.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/write/write_model.hpp"
#include "libcore/text/parse.hpp"

namespace {

using namespace ortool;

constexpr std::int64_t hidden = 3072;
constexpr std::int64_t inner = 8192;
constexpr std::int64_t heads = 24;
constexpr std::int64_t words = 128256;
constexpr int usual_layers = 20;

/// A mapping of zeros that all weights are views of.
class Zeros {
 public:
  Tensor weight(Shape shape) const {
    const auto size = static_cast<std::size_t>(2 * shape.element_count());
    return Tensor::view(DataType::float16, std::move(shape), {start_, size}, nullptr);
  }

 private:
  const std::byte* start_ =
      static_cast<const std::byte*>(::mmap(nullptr, std::size_t{2} * hidden * words, PROT_READ,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
};

class Decoder {
 public:
  Decoder(Graph& graph, int layers) : graph_(graph), layers_(layers) {}

  void build() {
    Value* x = node("Gather", {weight("embed", Shape{words, hidden}), graph_.find_value("ids")});
    for (int layer = 0; layer < layers_; ++layer) {
      prefix_ = "layer_" + std::to_string(layer) + "/";
      x = node("Add", {x, attention(norm(x))});
      x = node("Add", {x, feed_forward(norm(x))});
    }
    prefix_ = "head/";
    Value* logits = linear(norm(x), hidden, words);
    logits->set_type(ValueType::tensor(
        DataType::float16,
        Dimensions{Dimension::symbol("batch"), Dimension::symbol("length"), Dimension(words)}));
    graph_.add_output(*logits);
  }

 private:
  Value* node(const std::string& type, std::vector<Value*> inputs) {
    const std::string name = prefix_ + type + "_" + std::to_string(count_++);
    Value* outputs[] = {&graph_.add_value(name + "_out")};
    last_ = &graph_.add_node(type, "", inputs, outputs, name);
    return outputs[0];
  }
  Value* weight(const std::string& name, Shape shape) {
    return &graph_.add_constant(prefix_ + name + "_" + std::to_string(count_++),
                                zeros_.weight(std::move(shape)));
  }
  Value* numbers(std::vector<std::int64_t> values) {
    const Shape shape{static_cast<std::int64_t>(values.size())};
    return &graph_.add_constant(prefix_ + "numbers_" + std::to_string(count_++),
                                Tensor::of<std::int64_t>(shape, values));
  }
  Value* linear(Value* x, std::int64_t from, std::int64_t to) {
    return node("MatMul", {x, weight("weight", Shape{from, to})});
  }
  Value* norm(Value* x) {
    Value* mean = node("ReduceMean", {node("Mul", {x, x}), numbers({-1})});
    Value* root = node("Sqrt", {node("Add", {mean, weight("epsilon", Shape{1})})});
    return node("Mul", {node("Div", {x, root}), weight("scale", Shape{hidden})});
  }
  Value* split(Value* x) {
    Value* parts = node("Reshape", {x, numbers({0, 0, heads, hidden / heads})});
    return transpose(parts, {0, 2, 1, 3});
  }
  Value* transpose(Value* x, std::vector<std::int64_t> order) {
    Value* result = node("Transpose", {x});
    last_->set_attribute(Attribute{.name = "perm", .value = std::move(order)});
    return result;
  }
  Value* attention(Value* x) {
    Value* query = split(linear(x, hidden, hidden));
    Value* key = transpose(split(linear(x, hidden, hidden)), {0, 1, 3, 2});
    Value* value = split(linear(x, hidden, hidden));
    Value* scores = node("Mul", {node("MatMul", {query, key}), weight("factor", Shape{1})});
    Value* mixed = node("MatMul", {node("Softmax", {scores}), value});
    Value* joined = node("Reshape", {transpose(mixed, {0, 2, 1, 3}), numbers({0, 0, hidden})});
    return linear(joined, hidden, hidden);
  }
  Value* feed_forward(Value* x) {
    Value* gate = linear(x, hidden, inner);
    Value* open = node("Mul", {gate, node("Sigmoid", {gate})});
    return linear(node("Mul", {open, linear(x, hidden, inner)}), inner, hidden);
  }

  Graph& graph_;
  int layers_;
  Zeros zeros_;
  std::string prefix_;
  Node* last_ = nullptr;
  int count_ = 0;
};

/// Writes everything but the weights, which become holes in the file.
void write_with_holes(const std::string& path, const onnx::WireWriter& writer) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  bool is_good = file.is_open();
  writer.each_piece([&](std::span<const std::byte> bytes, bool is_view) {
    const auto size = static_cast<off_t>(bytes.size());
    is_good = is_good && (is_view ? ::lseek(file.number(), size, SEEK_CUR) >= 0
                                  : ::write(file.number(), bytes.data(), bytes.size()) == size);
  });
  is_good = is_good && ::ftruncate(file.number(), writer.size_bytes()) == 0;
  if (!is_good) throw Error(ErrorCode::write_failed, "no room for a large sparse file").in(path);
}

}  // namespace

/// make_llama FILE [--layers=N] [--external]: exits 77 where files cannot be that large.
int main(int count, char** arguments) {
  if (count < 2) return 2;
  bool is_external = false;
  int layers = usual_layers;
  for (int i = 2; i < count; ++i) {
    const std::string_view option = arguments[i];
    if (option == "--external") is_external = true;
    if (option.starts_with("--layers=")) layers = std::atoi(arguments[i] + 9);
  }
  try {
    const auto model = parse_model(
        "<ir_version: 10, opset_import: [\"\": 21]> llama (int64[batch, length] ids) => () { }");
    Decoder(*model->graph, layers).build();
    const std::string path = arguments[1];
    SaveOptions options;
    if (is_external) options.external_data = ExternalData::always;
    onnx::WireWriter writer;
    ::unlink((path + ".data").c_str());
    onnx::ExternalDataFile external_file(path, {});
    onnx::WriteContext context{writer, options, external_file};
    context.moves_large = is_external;
    onnx::write_model(context, *model);
    if (external_file.is_used() &&
        ::truncate((path + ".data").c_str(), external_file.size_bytes()) != 0) {
      throw Error(ErrorCode::write_failed, "no room for a large sparse file").in(path);
    }
    external_file.keep();
    write_with_holes(path, writer);
  } catch (const Error& error) {
    std::printf("SKIPPED: %s\n", error.what());
    return 77;
  }
  return 0;
}
