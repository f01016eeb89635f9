// Loads models and tensors from files: the outermost messages and whole-model checks.
#include "libcore/onnx/read/load.hpp"

#include <optional>
#include <utility>

#include "libcore/base/file/file.hpp"
#include "libcore/base/file/standard_input.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/invalid.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/read/detect_format.hpp"
#include "libcore/onnx/read/load_context.hpp"
#include "libcore/onnx/read/read_function.hpp"
#include "libcore/onnx/read/read_graph.hpp"
#include "libcore/onnx/read/read_opsets.hpp"
#include "libcore/onnx/read/read_tensor.hpp"

namespace ortool {
namespace onnx {
namespace {

constexpr std::int64_t newest_ir_version = 14;

/// The bytes of a file and their owner, from any source.
struct Input {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  std::string name;
  std::string directory;  ///< empty: none
};

Input open_input(const std::string& path, MemoryCap* cap) {
  if (path == "-") {
    StandardInput input = read_standard_input(cap);
    return {input.bytes, std::move(input.owner), "standard input", ""};
  }
  const MappedFile file = MappedFile::open(path);
  const auto slash = path.rfind('/');
  const std::string directory =
      slash == std::string::npos ? "." : path.substr(0, slash == 0 ? 1 : slash);
  return {file.bytes(), file.owner(), path, directory};
}

Error not_onnx(const OtherFormat& found, const Input& input) {
  const bool is_file = !input.directory.empty();
  return invalid(format("is not an ONNX file but {}", found.name),
                 fill_hint(found.hint, is_file ? input.name : "", input.directory), "file.format");
}

/// Runs `body`, prefixes its errors with the file name, and suggests which other format the file
/// may have.
template <typename Body>
auto with_file_name(const Input& input, Body body) {
  try {
    if (input.bytes.empty()) {
      throw invalid("the file is empty", "download or export the model again", "file.empty");
    }
    const OtherFormat other = detect_format(input.bytes);
    if (!other.name.empty()) throw not_onnx(other, input);
    try {
      return body();
    } catch (const Error& error) {
      const bool is_broken = error.id().starts_with("wire.") || error.id().starts_with("file.");
      if (!is_broken) throw;
      const OtherFormat guessed = guess_format(input.bytes, input.name);
      if (!guessed.name.empty()) throw not_onnx(guessed, input);
      if (!looks_like_text(input.bytes)) throw;
      throw invalid("is not an ONNX file but text", "name a binary .onnx file", "file.format");
    }
  } catch (Error& error) {
    throw error.in(shorten(input.name));
  }
}

struct ModelParts {
  std::optional<Message> graph;
  std::vector<Message> opsets;
  std::vector<Message> functions;
};

ModelParts walk(LoadContext& context, Model& model) {
  ModelParts parts;
  WireReader reader(context.source, {context.source.file, 0}, model_table);
  reader.keep_unknown(model.residue);
  while (reader.next()) {
    switch (reader.number()) {
      case model_field::ir_version:
        model.ir_version = reader.integer();
        break;
      case model_field::producer_name:
        model.producer_name = reader.text();
        break;
      case model_field::producer_version:
        model.producer_version = reader.text();
        break;
      case model_field::domain:
        model.domain = reader.text();
        break;
      case model_field::model_version:
        model.model_version = reader.integer();
        break;
      case model_field::doc_string:
        model.doc_string = reader.text();
        break;
      case model_field::graph:
        parts.graph = reader.message();
        break;
      case model_field::opset_import:
        parts.opsets.push_back(reader.message());
        break;
      case model_field::metadata_props:
        model.metadata.push_back(read_entry(context, reader.message(), model.residue));
        break;
      case model_field::training_info:
        reader.keep_field();
        context.warn("the model's training information is kept but not checked");
        break;
      case model_field::functions:
        parts.functions.push_back(reader.message());
        break;
      default:
        reader.keep_field();  // configuration: where to run is decided by ortool, not by the file
        break;
    }
  }
  model.spelling = reader.present_fields();
  if (!parts.graph) {
    throw invalid("the file contains no graph",
                  "it is damaged or not an ONNX model; export it again", "file.no_graph");
  }
  return parts;
}

void check_version(LoadContext& context, const Model& model) {
  if (model.ir_version < 0) {
    throw invalid(format("IR version {} does not exist", model.ir_version),
                  "export the model again", "model.ir_version");
  }
  if (model.ir_version == 0) context.warn("the model has no IR version");
  if (model.ir_version > newest_ir_version) {
    context.warn(
        format("the model is of IR version {}, newer than the {} known; new features are kept but "
               "not checked",
               model.ir_version, newest_ir_version));
  }
}

void read_model_opsets(LoadContext& context, const ModelParts& parts, Model& model) {
  model.graph->declared_opsets = read_opsets(context, parts.opsets);
  OpsetImports opsets = to_imports(model.graph->declared_opsets);
  if (opsets.empty()) {
    if (model.ir_version >= 3) context.warn("the model imports no opset; version 1 is assumed");
    opsets.emplace("", 1);
  }
  model.graph->set_opsets(std::move(opsets));
}

void check_inputs(const Graph& graph) {
  for (const Value* input : graph.inputs()) {
    const ValueType& type = input->type();
    const bool lacks_element = (type.is_tensor() || type.kind == ValueType::Kind::sparse_tensor) &&
                               type.element == DataType::undefined;
    if ((type.kind != ValueType::Kind::unknown && !lacks_element) || input->has_default()) continue;
    throw invalid(format("graph input {} has no type", quote(input->name())),
                  "export the model again with typed inputs", "graph.input_type");
  }
}

std::unique_ptr<Model> read_model(const Input& input, const LoadOptions& options) {
  LoadContext context(input.bytes, input.owner, input.directory, options);
  auto model = std::make_unique<Model>();
  model->file = input.owner;
  model->directory = input.directory;
  model->has_external_data = options.read_external_data;
  const ModelParts parts = walk(context, *model);
  check_version(context, *model);
  model->graph = std::make_unique<Graph>();
  read_model_opsets(context, parts, *model);
  for (const Message message : parts.functions) {
    model->functions.push_back(read_function(context, message));
  }
  read_graph(context, *parts.graph, *model->graph);
  check_inputs(*model->graph);
  check_functions(*model);
  verify(*model->graph);
  for (const Function& function : model->functions) verify(*function.body);
  model->external_files = context.external.files();
  model->warnings = context.take_warnings();
  return model;
}

}  // namespace
}  // namespace onnx

std::unique_ptr<Model> load_model(const std::string& path, const LoadOptions& options) {
  const onnx::Input input = onnx::open_input(path, options.cap);
  return onnx::with_file_name(input, [&] { return onnx::read_model(input, options); });
}

std::unique_ptr<Model> load_model_from_bytes(std::span<const std::byte> bytes,
                                             std::shared_ptr<const void> owner,
                                             const std::string& name, const std::string& directory,
                                             const LoadOptions& options) {
  const onnx::Input input{bytes, std::move(owner), name, directory};
  return onnx::with_file_name(input, [&] { return onnx::read_model(input, options); });
}

Tensor load_tensor(const std::string& path, std::string* name) {
  const onnx::Input input = onnx::open_input(path, nullptr);
  return onnx::with_file_name(input, [&] {
    onnx::LoadContext context(input.bytes, input.owner, input.directory, {});
    onnx::NamedTensor read = onnx::read_tensor(context, {input.bytes, 0});
    if (name != nullptr) *name = read.name;
    return std::move(read.tensor);
  });
}

}  // namespace ortool
