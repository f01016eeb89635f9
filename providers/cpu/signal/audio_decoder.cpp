// Kernel for ai.onnx.contrib.AudioDecoder, based on the decoders of sound files.
#include "libcore/ops/contrib/signal/audio_decoder.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/cpu/signal/downsample.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/io/sound.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

SoundFormat named_format(const DynamicContext& context) {
  if (!context.has_input(1)) return SoundFormat::any;
  const std::span<const std::string> names = context.input(1).strings();
  const std::string name = names.empty() ? std::string() : names.front();
  if (name.empty() || name == "default") return SoundFormat::any;
  if (name == "flac") return SoundFormat::flac;
  if (name == "mp3") return SoundFormat::mp3;
  if (name == "wav") return SoundFormat::wav;
  throw Error(ErrorCode::invalid,
              format("the format is {} (expected wav, flac, mp3 or default)", quote(name)));
}

/// The mean of the channels.
void mix_channels(SoundFile& sound) {
  const auto channels = static_cast<std::size_t>(sound.channels);
  const std::size_t frames = sound.samples.size() / channels;
  for (std::size_t i = 0; i < frames; ++i) {
    const float* frame = sound.samples.data() + i * channels;
    sound.samples[i] =
        std::accumulate(frame + 1, frame + channels, frame[0]) / static_cast<float>(channels);
  }
  sound.samples.resize(frames);
}

void run_audio_decoder(const extensions::AudioDecoder& op, DynamicContext& context) {
  const Tensor& stream = context.input(0);
  SoundFile sound = decode_sound({stream.bytes(), static_cast<std::size_t>(stream.element_count())},
                                 named_format(context), context.cap());
  if (op.mixes_channels && sound.channels > 1) mix_channels(sound);
  if (op.sample_rate > sound.sample_rate) {
    throw Error(ErrorCode::invalid,
                format("the sound has {} samples a second (expected at least {})",
                       sound.sample_rate, op.sample_rate),
                "downsampling_rate lowers the sample rate only");
  }
  const auto size = static_cast<std::int64_t>(sound.samples.size());
  if (op.sample_rate == 0 || op.sample_rate == sound.sample_rate) {
    Tensor out = context.make(DataType::float32, {1, size});
    std::copy_n(sound.samples.data(), size, out.mutable_data<float>().data());
    context.set_output(0, std::move(out));
    return;
  }
  const auto rate = static_cast<double>(sound.sample_rate);
  const auto new_rate = static_cast<double>(op.sample_rate);
  low_pass(sound.samples, rate, new_rate);
  Tensor out = context.make(DataType::float32, {1, downsampled_size(size, rate, new_rate)});
  downsample(sound.samples, rate, new_rate, out.mutable_data<float>().data(), context.workers());
  context.set_output(0, std::move(out));
}

KernelPtr compile_audio_decoder(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(
      row.name, [op = read_op<extensions::AudioDecoder>(view.node())](DynamicContext& context) {
        run_audio_decoder(op, context);
      });
}

constexpr auto audio_decoder_rows =
    portable_row("audio_decoder", "AudioDecoder", "uint8", accepts_anything, compile_audio_decoder,
                 extensions_domain);

}  // namespace

std::span<const KernelRow> audio_decoder_kernels() {
  return audio_decoder_rows;
}

}  // namespace ortool::cpu
