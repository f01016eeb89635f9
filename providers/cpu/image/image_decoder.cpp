// Kernels for ImageDecoder and com.microsoft.extensions.DecodeImage, based on ortool's own image
// decoders.
#include "libcore/ops/tensor/image_decoder.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/io/image.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/vision/decode_image.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

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

std::span<const std::byte> bytes_of_input(const DynamicContext& context) {
  const Tensor& stream = context.input(0);
  return {stream.bytes(), static_cast<std::size_t>(stream.element_count())};
}

/// Writes the pixels [height, width, channels].
void write_pixels(const Image& image, std::int64_t channels, bool is_bgr, DynamicContext& context) {
  const Image wanted = with_channels(image, channels);
  Tensor out = context.make(DataType::uint8, {wanted.height, wanted.width, channels});
  std::uint8_t* pixels = out.mutable_data<std::uint8_t>().data();
  std::copy(wanted.pixels.begin(), wanted.pixels.end(), pixels);
  if (is_bgr) {
    for (std::size_t i = 0; i + 2 < wanted.pixels.size(); i += 3)
      std::swap(pixels[i], pixels[i + 2]);
  }
  context.set_output(0, std::move(out));
}

void run_image_decoder(const ImageDecoder& op, DynamicContext& context) {
  const std::int64_t channels = op.pixel_format == ImageDecoder::Format::grayscale ? 1 : 3;
  Image image = decode_or_empty(bytes_of_input(context), context.cap());
  if (image.pixels.empty()) image.channels = channels;
  write_pixels(image, channels, op.pixel_format == ImageDecoder::Format::bgr, context);
}

KernelPtr compile_image_decoder(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name,
                             [op = read_op<ImageDecoder>(view.node())](DynamicContext& context) {
                               run_image_decoder(op, context);
                             });
}

KernelPtr compile_decode_image(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, [op = read_op<DecodeImage>(view.node())](
                                           DynamicContext& context) {
    write_pixels(decode_image_bytes(bytes_of_input(context), context.cap()), 3, op.is_bgr, context);
  });
}

constexpr auto image_decoder_rows = join_rows(
    portable_row("decode_image", "DecodeImage", "uint8", accepts_anything, compile_decode_image,
                 vision_extensions_domain),
    portable_row("image_decoder", "ImageDecoder", "uint8", accepts_anything,
                 compile_image_decoder));

}  // namespace

std::span<const KernelRow> image_decoder_kernels() {
  return image_decoder_rows;
}

}  // namespace ortool::cpu
