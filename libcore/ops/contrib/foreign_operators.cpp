// The table of foreign operators, and what an EPContext tells of its contents.
#include "libcore/ops/contrib/foreign_operators.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/ops/contrib_domain.hpp"

namespace ortool {
namespace {

constexpr std::string_view cuda_only = "it has only a CUDA kernel in ONNX Runtime";
constexpr std::string_view without_cuda =
    "export the model again for a CPU, or without the optimization that writes the operator";
constexpr std::string_view compiled = "it holds a network compiled for a device";
constexpr std::string_view from_source = "use the ONNX model that it was compiled from";
constexpr std::string_view block_floats =
    "it converts to block floating point, which only accelerators compute";
constexpr std::string_view calls_pytorch = "it calls PyTorch";
constexpr std::string_view for_training = "export the model for inference, with torch.onnx.export";
constexpr std::string_view for_provider =
    "it has a layout of the execution provider that ONNX Runtime saved the file for";
constexpr std::string_view before_provider =
    "save the model again with ONNX Runtime's CPU provider alone, or use the model that it was "
    "saved from";

constexpr std::string_view calls_service = "it calls a service over the network";
constexpr std::string_view from_service = "call the service outside the model";

constexpr std::string_view plugin = "it is a plugin of TensorRT";
constexpr std::string_view without_plugin = "export the model again without TensorRT's plugins";

constexpr const char* aten_domain = "org.pytorch.aten";

constexpr ForeignOperator operators[] = {
    {"", "DisentangledAttention_TRT", plugin, without_plugin},
    {"", "MultilevelCropAndResize_TRT", plugin, without_plugin},
    {"", "PyramidROIAlign_TRT", plugin, without_plugin},
    {extensions_domain, "AzureAudioToText", calls_service, from_service},
    {extensions_domain, "AzureTextToText", calls_service, from_service},
    {extensions_domain, "AzureTritonInvoker", calls_service, from_service},
    {extensions_domain, "BlingFireSentenceBreaker",
     "its rules are an automaton that only the library BlingFire reads",
     "split texts into sentences before the model"},
    {extensions_domain, "ImageReader", "it reads files whose paths are the model's input",
     "give the bytes of each file to com.microsoft.extensions.DecodeImage"},
    {extensions_domain, "OpenAIAudioToText", calls_service, from_service},
    {contrib_domain, "DequantizeBFP", block_floats, from_source},
    {contrib_domain, "DynamicSparseAttention", cuda_only, without_cuda},
    {contrib_domain, "EPContext", compiled, from_source},
    {contrib_domain, "PackedSparseAttentionIndexer", cuda_only, without_cuda},
    {contrib_domain, "PagedAttention", cuda_only, without_cuda},
    {contrib_domain, "PythonOp", calls_pytorch, for_training},
    {contrib_domain, "QuantizeBFP", block_floats, from_source},
    {contrib_domain, "Snpe", "it holds a network in the format of Qualcomm's SNPE", from_source},
    {contrib_domain, "SparseAttentionIndexer", cuda_only, without_cuda},
    {contrib_domain, "SparsePagedAttention", cuda_only, without_cuda},
    {contrib_domain, "YieldOp", calls_pytorch, for_training},
    {vision_extensions_domain, "AzureAudioToText", calls_service, from_service},
    {vision_extensions_domain, "AzureTextToText", calls_service, from_service},
    {vision_extensions_domain, "AzureTritonInvoker", calls_service, from_service},
    {vision_extensions_domain, "BlingFireSentenceBreaker",
     "its rules are an automaton that only the library BlingFire reads",
     "split texts into sentences before the model"},
    {vision_extensions_domain, "OpenAIAudioToText", calls_service, from_service},
    {provider_nhwc_domain, "MaxUnpool", for_provider, before_provider},
    {provider_nhwc_domain, "QLinearAveragePool", for_provider, before_provider},
    {provider_nhwc_domain, "QLinearConvTranspose", for_provider, before_provider},
    {aten_domain, "ATen", calls_pytorch, for_training},
};

/// The node's attribute, quoted and shortened; empty if the node has none.
std::string quoted_attribute(const Node& node, std::string_view name) {
  const Attribute* attribute = node.find_attribute(name);
  const auto* text = attribute != nullptr ? std::get_if<std::string>(&attribute->value) : nullptr;
  return text == nullptr || text->empty() ? std::string() : quote(shorten(*text));
}

/// What the context's attributes say of its contents.
ForeignReason context_reason(const Node& node, const ForeignOperator& found) {
  ForeignReason result = {std::string(found.reason), std::string(found.advice)};
  const std::string source = quoted_attribute(node, "source");
  const std::string partition = quoted_attribute(node, "partition_name");
  const std::string file = quoted_attribute(node, "onnx_model_filename");
  if (!source.empty()) result.reason += format(" by {}", source);
  if (!partition.empty()) result.reason += format(", its partition {}", partition);
  if (!file.empty()) result.advice += format(", {}", file);
  return result;
}

}  // namespace

std::span<const ForeignOperator> foreign_operators() {
  return operators;
}

const ForeignOperator* find_foreign_operator(std::string_view domain, std::string_view op_type) {
  const auto* const found = std::find_if(
      std::begin(operators), std::end(operators),
      [&](const ForeignOperator& each) { return each.domain == domain && each.name == op_type; });
  return found != std::end(operators) ? found : nullptr;
}

std::optional<ForeignReason> foreign_reason(const Node& node) {
  const ForeignOperator* found = find_foreign_operator(node.domain(), node.op_type());
  if (found == nullptr) return std::nullopt;
  if (found->name == "EPContext") return context_reason(node, *found);
  return ForeignReason{std::string(found->reason), std::string(found->advice)};
}

}  // namespace ortool
