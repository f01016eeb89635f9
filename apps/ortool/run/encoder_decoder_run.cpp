// Loads the decoders of an encoder-decoder, and resolves which tokens begin and end its rows.
#include "apps/ortool/run/encoder_decoder_run.hpp"

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/generate/cache_names.hpp"
#include "libcore/generate/generation_config.hpp"
#include "libcore/runtime/compact_session.hpp"

namespace ortool {
namespace {

std::string token_list(const std::vector<std::int64_t>& tokens) {
  std::string text;
  for (const std::int64_t token : tokens) text += format("{}{}", text.empty() ? "" : ",", token);
  return text;
}

GenerationSettings resolve_tokens(const EncoderDecoderContext& context, std::int64_t steps) {
  const GenerationConfig config =
      read_generation_config(context.folder, &context.invocation.memory);
  GenerationSettings settings;
  settings.start = !context.plan.start.empty() ? context.plan.start : config.start;
  settings.end = !context.plan.end.empty() ? context.plan.end : config.end;
  settings.steps = steps;
  if (config.padding) settings.padding = *config.padding;
  if (settings.start.empty()) {
    throw Error(ErrorCode::invalid,
                "option --loop: the token that the decoder starts with is not known (no "
                "generation_config.json or config.json beside the encoder says it)",
                "give it: --loop start=TOKEN")
        .with_id("usage.value");
  }
  const Invocation& invocation = context.invocation;
  invocation.note(format("the decoder starts with {}{}", token_list(settings.start),
                         settings.end.empty()
                             ? ", and no token ends a row (--loop end=TOKEN)"
                             : format("; {} ends a row", token_list(settings.end))));
  if (!config.not_applied.empty()) {
    invocation.note(format("greedy decoding does not apply these settings of the configuration: {}",
                           list_names(config.not_applied)));
  }
  return settings;
}

}  // namespace

EncoderDecoderRun run_encoder_decoder(const EncoderDecoderContext& context,
                                      std::span<const std::string> decoders,
                                      const NamedValues& inputs, std::int64_t steps) {
  EncoderDecoderRun run;
  const GenerationSettings settings = resolve_tokens(context, steps);
  for (const std::string& path : decoders) {
    const Progress progress(context.invocation.task(), "compiling");
    LoadedModel loaded = load_model_at(path, {.cap = &context.invocation.memory});
    in_file(loaded.path, [&] {
      run.decoders.push_back(make_compact_session(
          std::move(loaded.model),
          session_options(context.invocation, context.providers, context.pool)));
    });
  }
  const EncoderDecoder model = {&context.encoder, run.decoders.front().get(),
                                run.decoders.size() > 1 ? run.decoders[1].get() : nullptr};
  GenerationResult result = in_file(decoders.back(), [&] {
    return generate(context.invocation.task(), model, context.run_options, inputs, settings);
  });
  run.loop = std::move(result.loop);
  const std::span<Value* const> outputs = result.decoder->outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (is_cache_output(outputs[i]->name())) continue;
    run.outputs.push_back(
        {std::string(outputs[i]->name()), i, std::move(run.loop.outputs[i]), outputs[i]->type()});
  }
  return run;
}

}  // namespace ortool
