// Kernels for SentencepieceTokenizer and SentencepieceDecoder, based on the SentencePiece library;
// models are loaded once a node.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sentencepiece_processor.h>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/text/sentencepiece.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/text/text_values.hpp"

namespace ortool::cpu {
namespace {

using Processor = sentencepiece::SentencePieceProcessor;

/// The library's lattice takes some 200 bytes for each byte of a text.
constexpr std::int64_t bytes_of_lattice = 256;

std::shared_ptr<const Processor> load_model(const std::string& model) {
  auto processor = std::make_shared<Processor>();
  const sentencepiece::util::Status status = processor->LoadFromSerializedProto(model);
  if (status.ok()) return processor;
  throw Error(ErrorCode::invalid,
              format("attribute 'model' is not a SentencePiece model: {}",
                     escape_control_characters(status.error_message())),
              "the attribute holds the bytes of a .model file");
}

void check_status(const sentencepiece::util::Status& status, const char* what) {
  if (status.ok()) return;
  throw Error(ErrorCode::invalid,
              format("{}: {}", what, escape_control_characters(status.error_message())));
}

bool flag_at(const DynamicContext& context, std::size_t input) {
  return context.has_input(input) && context.input(input).element_count() > 0 &&
         context.input(input).data<bool>()[0];
}

/// fairseq's numbers of SentencePiece's ids: <s>, <pad>, </s> and <unk> come first.
std::int64_t fairseq_id(const Processor& processor, std::int64_t id) {
  if (id == processor.unk_id()) return 3;
  if (id == processor.bos_id()) return 0;
  if (id == processor.eos_id()) return 2;
  return id + 1;
}

std::int64_t id_of_fairseq(const Processor& processor, std::int64_t id) {
  if (id == 3) return processor.unk_id();
  if (id == 0) return processor.bos_id();
  if (id == 2) return processor.eos_id();
  return id - 1;
}

void refuse_sampling(const DynamicContext& context) {
  const std::int64_t size = context.input(1).data<std::int64_t>()[0];
  if (size == 0 || size == 1) return;
  throw Error(ErrorCode::unsupported,
              format("'nbest_size' is {}, which draws one of several results at random", size),
              "set it to 0 for the best result");
}

void run_sentencepiece_tokenizer(const Processor& processor, DynamicContext& context) {
  refuse_sampling(context);
  const bool adds_begin = flag_at(context, 3);
  const bool adds_end = flag_at(context, 4);
  const bool reverses = flag_at(context, 5);
  const bool is_fairseq = flag_at(context, 6);
  std::vector<int> ids;
  std::vector<std::int64_t> starts;
  std::vector<int> of_text;
  for (const std::string& text : context.input(0).strings()) {
    context.workers().poll();
    check_room(context, multiply_sizes(static_cast<std::int64_t>(text.size()), bytes_of_lattice),
               "a SentencePiece lattice");
    starts.push_back(static_cast<std::int64_t>(ids.size()));
    of_text.clear();
    check_status(processor.Encode(text, &of_text), "the text cannot be tokenized");
    if (adds_begin) of_text.insert(of_text.begin(), processor.bos_id());
    if (adds_end) of_text.push_back(processor.eos_id());
    if (reverses) std::reverse(of_text.begin(), of_text.end());
    for (int& id : of_text) {
      if (is_fairseq) id = static_cast<int>(fairseq_id(processor, id));
    }
    ids.insert(ids.end(), of_text.begin(), of_text.end());
  }
  starts.push_back(static_cast<std::int64_t>(ids.size()));
  Tensor tokens = context.make(DataType::int32, Shape{static_cast<std::int64_t>(ids.size())});
  std::copy(ids.begin(), ids.end(), tokens.mutable_data<std::int32_t>().data());
  context.set_output(0, std::move(tokens));
  context.set_output(
      1, integer_tensor(context, Shape{static_cast<std::int64_t>(starts.size())}, starts));
}

void run_sentencepiece_decoder(const Processor& processor, DynamicContext& context) {
  std::vector<int> ids;
  for (std::int64_t id : context.input(0).data<std::int64_t>()) {
    if (flag_at(context, 1)) id = id_of_fairseq(processor, id);
    if (id < 0 || id >= processor.GetPieceSize()) {
      throw Error(ErrorCode::invalid, format("the model has no token {} (expected 0 to {})", id,
                                             processor.GetPieceSize() - 1));
    }
    ids.push_back(static_cast<int>(id));
  }
  std::string text;
  check_status(processor.Decode(ids, &text), "the ids cannot be decoded");
  TextList out(context);
  out.add(std::move(text));
  context.set_output(0, out.take_row());
}

template <typename Op, void (*run)(const Processor&, DynamicContext&)>
KernelPtr compile_sentencepiece(const NodeView& view, const KernelRow& row,
                                const CompileContext&) {
  const auto processor = load_model(read_op<Op>(view.node()).model);
  return make_dynamic_kernel(row.name,
                             [processor](DynamicContext& context) { run(*processor, context); });
}

constexpr auto sentencepiece_rows = join_rows(
    portable_row(
        "sentencepiece_decoder", "SentencepieceDecoder", "int64", accepts_anything,
        compile_sentencepiece<extensions::SentencepieceDecoder, run_sentencepiece_decoder>,
        extensions_domain),
    portable_row(
        "sentencepiece_tokenizer", "SentencepieceTokenizer", "string", accepts_anything,
        compile_sentencepiece<extensions::SentencepieceTokenizer, run_sentencepiece_tokenizer>,
        extensions_domain));

}  // namespace

std::span<const KernelRow> sentencepiece_ops_kernels() {
  return sentencepiece_rows;
}

}  // namespace ortool::cpu
