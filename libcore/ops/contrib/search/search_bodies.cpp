// Reads the bodies of the generation operators, and infers the types inside them.
#include "libcore/ops/contrib/search/search_bodies.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_token = (std::int64_t{1} << 31) - 1;

[[noreturn]] void refuse_body(std::string_view body, const std::string& found,
                              const std::string& expected) {
  throw Error(ErrorCode::invalid,
              format("the body '{}' has {} (expected {})", body, found, expected))
      .with_id("node.subgraph");
}

std::string counts_of(const Graph& body) {
  return format("{} inputs and {} outputs", body.inputs().size(), body.outputs().size());
}

/// Behind the caches, a body that shares buffers reads how much they hold, and where beams are.
void add_shared_inputs(const Graph& body, DecoderLayout& layout) {
  constexpr DecoderInput shared[] = {DecoderInput::past_length, DecoderInput::beam_width,
                                     DecoderInput::cache_indirection};
  const std::size_t known = std::min(body.inputs().size(), layout.inputs.size());
  const std::size_t extra = body.inputs().size() - known;
  if (extra == 1 || extra == 3) layout.inputs.insert(layout.inputs.end(), shared, shared + extra);
}

/// input_ids, position_ids, attention_mask, then a cache for each output but the first.
DecoderLayout gpt_layout(const Graph& body, std::string_view name) {
  DecoderLayout layout;
  layout.inputs = {DecoderInput::input_ids, DecoderInput::position_ids,
                   DecoderInput::attention_mask};
  layout.caches = body.outputs().empty() ? 0 : body.outputs().size() - 1;
  layout.inputs.resize(3 + layout.caches, DecoderInput::past);
  add_shared_inputs(body, layout);
  if (layout.caches > 0 && body.inputs().size() == layout.inputs.size()) return layout;
  refuse_body(name, counts_of(body),
              "input_ids, position_ids, attention_mask and a cache per layer as inputs, logits and "
              "as many caches as outputs");
}

/// input_ids, then by name what the decoder reads of the encoder, the caches of self-attention (one
/// for each output but the first) and as many of cross-attention.
DecoderLayout encoder_decoder_layout(const Graph& body) {
  constexpr std::string_view expected =
      "input_ids, encoder_attention_mask, encoder_hidden_states (either may be missing) and four "
      "caches per layer as inputs, logits and two caches per layer as outputs";
  DecoderLayout layout;
  layout.caches = body.outputs().empty() ? 0 : body.outputs().size() - 1;
  for (const Value* input : body.inputs()) {
    const std::size_t place = layout.inputs.size();
    const std::string_view name = input->name();
    if (place == 0) {
      layout.inputs.push_back(DecoderInput::input_ids);
    } else if (name == "encoder_attention_mask") {
      layout.inputs.push_back(DecoderInput::encoder_attention_mask);
    } else if (name == "encoder_hidden_states") {
      layout.inputs.push_back(DecoderInput::encoder_hidden_states);
    } else if (name == "encoder_input_ids") {
      layout.inputs.push_back(DecoderInput::encoder_input_ids);
    } else {
      break;
    }
  }
  const std::size_t first = layout.inputs.size();
  layout.inputs.resize(first + layout.caches, DecoderInput::past);
  layout.inputs.resize(first + 2 * layout.caches, DecoderInput::cross);
  add_shared_inputs(body, layout);
  if (layout.caches > 0 && body.inputs().size() == layout.inputs.size()) return layout;
  refuse_body("decoder", counts_of(body), std::string(expected));
}

void check_encoder(const SearchBodies& op) {
  const std::size_t inputs = op.encoder->inputs().size();
  const std::size_t outputs = op.encoder->outputs().size();
  const std::size_t caches = op.layout.caches;
  const bool is_whisper = op.model_type == SearchBodies::ModelType::whisper;
  const bool takes_step = outputs == 2 + 2 * caches && inputs == (is_whisper ? 2U : 3U);
  const bool makes_caches = !is_whisper && outputs == caches && inputs == 2 &&
                            !op.layout.has(DecoderInput::encoder_hidden_states);
  if (takes_step || makes_caches) return;
  refuse_body(
      "encoder", counts_of(*op.encoder),
      is_whisper ? format("2 inputs and {} outputs: logits, hidden states and the decoder's caches",
                          2 + 2 * caches)
                 : format("2 inputs and {} outputs, the caches of cross-attention, or 3 inputs "
                          "and {}: logits, hidden states and all caches",
                          caches, 2 + 2 * caches));
}

/// The declared type of a body's input; its symbols are replaced by `sizes`, or where these are
/// unknown by symbols named after the input.
InferredValue body_input(const Value& input, const std::vector<Dimension>& sizes) {
  ValueType type = input.type();
  if (!type.is_tensor()) return {type, std::nullopt};
  Dimensions shape = type.shape ? *type.shape : Dimensions(sizes.size());
  if (shape.size() == sizes.size()) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis].is_known()) continue;
      shape[axis] = !sizes[axis].is_unknown()
                        ? sizes[axis]
                        : Dimension::symbol(format("{}_dim_{}", input.name(), axis));
    }
    type.shape = std::move(shape);
  }
  return {std::move(type), std::nullopt};
}

Dimension name_size(const Graph& body, std::size_t input, std::size_t axis) {
  return Dimension::symbol(format("{}_dim_{}", body.inputs()[input]->name(), axis));
}

void infer_decoder(InferContext& context, const SearchBodies& op, const Graph& body) {
  const DecoderLayout& layout = op.layout;
  const Dimension rows = name_size(body, 0, 0);
  const Dimension count = name_size(body, 0, 1);
  const bool is_gpt = op.model_type == SearchBodies::ModelType::decoder;
  const std::size_t first_past = layout.first(DecoderInput::past);
  const Dimension past = name_size(body, first_past, is_gpt ? 3 : 2);
  const std::size_t first_cross = layout.first(DecoderInput::cross);
  const Dimension source = is_gpt ? Dimension() : name_size(body, first_cross, 2);
  std::vector<InferredValue> inputs;
  for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
    const Value& input = *body.inputs()[i];
    switch (layout.inputs[i]) {
      case DecoderInput::input_ids: {
        const PartialShape& declared = input.type().shape;
        const bool is_single = declared && declared->size() == 2 && (*declared)[1].is_known();
        inputs.push_back(body_input(input, {rows, is_single ? (*declared)[1] : count}));
        break;
      }
      case DecoderInput::position_ids:
        inputs.push_back(body_input(input, {rows, count}));
        break;
      case DecoderInput::attention_mask:
        inputs.push_back(
            body_input(input, {rows, layout.shares_buffer() ? Dimension() : past + count}));
        break;
      case DecoderInput::encoder_attention_mask:
      case DecoderInput::encoder_input_ids:
        inputs.push_back(body_input(input, {rows, {}}));
        break;
      case DecoderInput::encoder_hidden_states:
        inputs.push_back(body_input(input, {rows, {}, {}}));
        break;
      case DecoderInput::past:
        inputs.push_back(is_gpt ? body_input(input, {2, rows, {}, past, {}})
                                : body_input(input, {rows, {}, past, {}}));
        break;
      case DecoderInput::cross:
        inputs.push_back(body_input(input, {rows, {}, source, {}}));
        break;
      case DecoderInput::past_length:
      case DecoderInput::beam_width:
        inputs.push_back(body_input(input, {1}));
        break;
      case DecoderInput::cache_indirection:
        inputs.push_back(body_input(input, {{}, {}, past}));
        break;
    }
  }
  const std::vector<InferredValue> outputs = context.infer_body(body, std::move(inputs));
  const PartialShape& logits = outputs.front().type.shape;
  if (!logits) return;
  if (logits->size() != 3) {
    refuse_body("decoder", format("logits of rank {}", logits->size()),
                "rank 3: rows, positions, scores");
  }
  if (logits->back().is_known() && op.vocab_size > logits->back().number()) {
    throw Error(ErrorCode::invalid, format("attribute 'vocab_size' is {} (expected at most {}, the "
                                           "size of the logits)",
                                           op.vocab_size, logits->back().number()));
  }
}

}  // namespace

std::size_t DecoderLayout::first(DecoderInput input) const {
  return static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), input) - inputs.begin());
}

bool is_in_search_body(const Node& node) {
  const Node* const owner = node.graph().owner();
  if (owner == nullptr || owner->domain() != contrib_domain) return false;
  constexpr std::string_view generation[] = {"BeamSearch", "GreedySearch", "Sampling",
                                             "WhisperBeamSearch"};
  return std::find(std::begin(generation), std::end(generation), owner->op_type()) !=
         std::end(generation);
}

bool SearchBodies::encoder_takes_first_step() const {
  return encoder != nullptr && encoder->outputs().size() > layout.caches;
}

void SearchBodies::read_bodies(AttributeReader& attributes, ModelType default_type) {
  model_type = static_cast<ModelType>(
      attributes.integer_in("model_type", static_cast<std::int64_t>(default_type), 0, 2));
  if (default_type == ModelType::whisper && model_type != ModelType::whisper) {
    throw Error(ErrorCode::invalid, format("attribute 'model_type' is {} (expected 2, Whisper)",
                                           static_cast<int>(model_type)));
  }
  decoder = attributes.graph("decoder");
  if (model_type == ModelType::decoder) {
    layout = gpt_layout(*decoder, "decoder");
    if (attributes.has("init_decoder")) {
      init_decoder = attributes.graph("init_decoder");
      if (gpt_layout(*init_decoder, "init_decoder").inputs != layout.inputs)
        refuse_body("init_decoder", counts_of(*init_decoder), "those of 'decoder'");
    }
  } else {
    if (!attributes.has("encoder")) {
      throw Error(ErrorCode::invalid,
                  format("attribute 'encoder' is missing (model_type {} is an encoder-decoder)",
                         static_cast<int>(model_type)));
    }
    encoder = attributes.graph("encoder");
    layout = encoder_decoder_layout(*decoder);
    check_encoder(*this);
  }
  eos_token_id = attributes.integer_in("eos_token_id", 0, 0, max_token);
  pad_token_id = attributes.integer_in("pad_token_id", 0, 0, max_token);
  decoder_start_token_id = attributes.integer_in("decoder_start_token_id", -1, -1, max_token);
  no_repeat_ngram_size = attributes.integer_in("no_repeat_ngram_size", 0, 0, max_token);
  vocab_size = attributes.integer_in("vocab_size", -1, -1, max_token);
  if (vocab_size == 0) vocab_size = -1;
}

void SearchBodies::infer_bodies(InferContext& context) const {
  infer_decoder(context, *this, *decoder);
  if (init_decoder != nullptr) infer_decoder(context, *this, *init_decoder);
  if (encoder == nullptr) return;
  const Dimension batch = dimension_at(context, 0, 0);
  std::vector<InferredValue> inputs;
  for (std::size_t i = 0; i < encoder->inputs().size(); ++i) {
    const Value& input = *encoder->inputs()[i];
    const bool is_features = i == 0 && model_type == ModelType::whisper;
    const bool is_source = i == 0 || input.name() == "encoder_attention_mask";
    if (is_features) {
      inputs.push_back(context.input(0));
    } else {
      inputs.push_back(
          body_input(input, {batch, is_source ? dimension_at(context, 0, 1) : Dimension()}));
    }
  }
  static_cast<void>(context.infer_body(*encoder, std::move(inputs)));
}

Dimension size_from_input(const InferContext& context, std::int64_t input, std::string_view name,
                          const Dimension& otherwise) {
  if (!context.has_input(input)) return otherwise;
  check_single(context, input, name);
  const std::optional<KnownElements> elements = context.input_elements(input);
  if (!elements || elements->size() != 1 || !elements->front().is_number())
    return context.unknown_dimension();
  return elements->front().numerator;
}

Dimension check_search_inputs(const InferContext& context, const SearchBodies& bodies,
                              std::int64_t vocab_mask, std::int64_t prefix_vocab_mask,
                              std::int64_t attention_mask) {
  const bool is_whisper = bodies.model_type == SearchBodies::ModelType::whisper;
  check_rank(context, 0, "input_ids", is_whisper ? 3 : 2);
  const Dimension batch = dimension_at(context, 0, 0);
  if (context.has_input(vocab_mask)) check_rank(context, vocab_mask, "vocab_mask", 1);
  if (context.has_input(prefix_vocab_mask)) {
    check_rank(context, prefix_vocab_mask, "prefix_vocab_mask", 2);
    check_dimension("the batch of 'prefix_vocab_mask'", dimension_at(context, prefix_vocab_mask, 0),
                    batch);
  }
  if (context.has_input(attention_mask) && !is_whisper) {
    check_rank(context, attention_mask, "attention_mask", 2);
    for (std::int64_t axis = 0; axis < 2; ++axis)
      check_dimension(format("axis {} of 'attention_mask'", axis),
                      dimension_at(context, attention_mask, axis), dimension_at(context, 0, axis));
  }
  return batch;
}

}  // namespace ortool
