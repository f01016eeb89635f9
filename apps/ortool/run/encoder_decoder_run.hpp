// Encoder-decoder run: run --loop auto with an encoder and its decoders in files of their own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "apps/ortool/run/loop_plan.hpp"
#include "libcore/dataset/values/output_files.hpp"
#include "libcore/generate/encoder_decoder_loop.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// What the run needs of the command.
struct EncoderDecoderContext {
  Invocation& invocation;
  const LoopPlan& plan;
  const Session& encoder;
  std::string folder;  ///< of the encoder
  std::vector<std::shared_ptr<const Provider>> providers;
  ThreadPool& pool;
  RunOptions run_options;
};

/// The decoders' sessions, which the result refers to, and what they generated.
struct EncoderDecoderRun {
  std::vector<std::unique_ptr<Session>> decoders;
  LoopResult loop;
  std::vector<Output> outputs;  ///< of the last step, without caches
};

/// Loads the decoders, takes the special tokens of the files beside them, and generates up to
/// `steps` tokens.
EncoderDecoderRun run_encoder_decoder(const EncoderDecoderContext& context,
                                      std::span<const std::string> decoders,
                                      const NamedValues& inputs, std::int64_t steps);

}  // namespace ortool
