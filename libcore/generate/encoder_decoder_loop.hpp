// Encoder-decoder generation (T5, BART, Whisper, TrOCR, Donut): the encoder runs once, the decoder
// step by step; caches of self-attention grow, those of cross-attention stay.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/generate/decode_loop.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// The files of an exported encoder-decoder.
struct EncoderDecoder {
  const Session* encoder = nullptr;
  const Session* decoder = nullptr;    ///< takes the first step, and all if `with_past` is null
  const Session* with_past = nullptr;  ///< takes the later steps
};

struct GenerationSettings {
  std::vector<std::int64_t> start;  ///< what every row begins with; at least one
  std::vector<std::int64_t> end;    ///< ends a row; may be empty
  std::int64_t padding = 0;         ///< follows in rows that have ended
  std::int64_t steps = 1;           ///< the most
};

struct GenerationResult {
  LoopResult loop;                   ///< the first step's time includes the encoder's
  const Session* decoder = nullptr;  ///< whose outputs `loop` has
};

/// Greedy decoding. Inputs of the decoder are recognized by the names that exporters use. The last
/// step is profiled. Throws ErrorCode::invalid for inputs and outputs that are not recognized.
GenerationResult generate(const TaskContext& task, const EncoderDecoder& model,
                          const RunOptions& options, const NamedValues& encoder_inputs,
                          const GenerationSettings& settings);

}  // namespace ortool
