// Kernel for ImageDecoder, based on ortool's own image decoders.
#include "libcore/ops/tensor/image_decoder.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/io/image.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// Decodes an image; returns an image without pixels if the bytes cannot be decoded, as the
/// standard requires.
Image decode_or_empty(std::span<const std::byte> bytes, MemoryCap* cap) {
  try {
    return decode_image_bytes(bytes, cap);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid) throw;
    return {};
  }
}

void run_image_decoder(const ImageDecoder& op, DynamicContext& context) {
  const Tensor& stream = context.input(0);
  const std::int64_t channels = op.pixel_format == ImageDecoder::Format::grayscale ? 1 : 3;
  Image image = decode_or_empty({stream.bytes(), static_cast<std::size_t>(stream.element_count())},
                                context.cap());
  if (image.pixels.empty()) image.channels = channels;
  const Image wanted = with_channels(image, channels);
  Tensor out = context.make(DataType::uint8, {wanted.height, wanted.width, channels});
  std::uint8_t* pixels = out.mutable_data<std::uint8_t>().data();
  std::copy(wanted.pixels.begin(), wanted.pixels.end(), pixels);
  if (op.pixel_format == ImageDecoder::Format::bgr) {
    for (std::size_t i = 0; i + 2 < wanted.pixels.size(); i += 3)
      std::swap(pixels[i], pixels[i + 2]);
  }
  context.set_output(0, std::move(out));
}

KernelPtr compile_image_decoder(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name,
                             [op = read_op<ImageDecoder>(view.node())](DynamicContext& context) {
                               run_image_decoder(op, context);
                             });
}

constexpr auto image_decoder_rows =
    portable_row("image_decoder", "ImageDecoder", "uint8", accepts_anything, compile_image_decoder);

}  // namespace

std::span<const KernelRow> image_decoder_kernels() {
  return image_decoder_rows;
}

}  // namespace ortool::cpu
