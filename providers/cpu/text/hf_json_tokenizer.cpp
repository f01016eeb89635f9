// Kernel for HfJsonTokenizer of ai.onnx.contrib; the tokenizer is read once a node.
#include "libcore/ops/contrib/text/hf_json_tokenizer.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/value_memory.hpp"
#include "providers/cpu/text/json_tokenizer.hpp"
#include "providers/cpu/text/token_rows.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_hf_json_tokenizer(const NodeView& view, const KernelRow& row,
                                    const CompileContext&) {
  const auto op = read_op<extensions::HfJsonTokenizer>(view.node());
  const auto tokenizer = std::make_shared<const JsonTokenizer>(op.tokenizer, op.config);
  return make_dynamic_kernel(row.name, [tokenizer](DynamicContext& context) {
    std::vector<std::vector<std::int64_t>> rows;
    for (const std::string& text : context.input(0).strings()) {
      // The best ways to each byte take the most: 32 bytes.
      check_room(context, multiply_sizes(static_cast<std::int64_t>(text.size()), 64), "tokens");
      rows.push_back(tokenizer->encode(text, context.workers()));
    }
    set_token_rows(context, context.input(0).shape(), rows, tokenizer->padding());
  });
}

constexpr auto hf_json_tokenizer_rows =
    portable_row("hf_json_tokenizer", "HfJsonTokenizer", "string", accepts_anything,
                 compile_hf_json_tokenizer, extensions_domain);

}  // namespace

std::span<const KernelRow> hf_json_tokenizer_kernels() {
  return hf_json_tokenizer_rows;
}

}  // namespace ortool::cpu
