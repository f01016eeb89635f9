// Kernel for com.microsoft.extensions.EncodeImage, based on ortool's own image encoders.
#include <algorithm>
#include <utility>
#include <vector>

#include "libcore/io/encode_image.hpp"
#include "libcore/io/image.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/vision/encode_image.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/value_memory.hpp"

namespace ortool::cpu {
namespace {

/// The pixels in the order RGB.
Tensor in_rgb(const DynamicContext& context, const Tensor& image) {
  Tensor swapped = context.make(DataType::uint8, image.shape());
  std::uint8_t* pixels = swapped.mutable_data<std::uint8_t>().data();
  const std::span<const std::uint8_t> given = image.data<std::uint8_t>();
  for (std::size_t i = 0; i + 2 < given.size(); i += 3) {
    pixels[i] = given[i + 2];
    pixels[i + 1] = given[i + 1];
    pixels[i + 2] = given[i];
  }
  return swapped;
}

KernelPtr compile_encode_image(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(
      row.name, [op = read_op<EncodeImage>(view.node())](DynamicContext& context) {
        const Tensor& given = context.input(0);
        const std::int64_t height = given.shape()[0];
        const std::int64_t width = given.shape()[1];
        check_encoded_size(height, width, max_image_pixels);
        // Encoders hold the file alone, which noise makes as large as the pixels, or JPEG twice.
        check_room(context, given.element_count() * 4, "an encoded image");
        const Tensor image = op.is_bgr ? in_rgb(context, given) : given;
        const EncodedImage file = op.format == EncodeImage::Format::png
                                      ? encode_png(image.data<std::uint8_t>(), height, width)
                                      : encode_jpeg(image.data<std::uint8_t>(), height, width);
        Tensor out = context.make(DataType::uint8, Shape{static_cast<std::int64_t>(file.size)});
        std::copy_n(file.bytes.get(), file.size, out.mutable_data<std::uint8_t>().data());
        context.set_output(0, std::move(out));
      });
}

constexpr auto image_encoder_rows =
    portable_row("encode_image", "EncodeImage", "uint8", accepts_anything, compile_encode_image,
                 vision_extensions_domain);

}  // namespace

std::span<const KernelRow> image_encoder_kernels() {
  return image_encoder_rows;
}

}  // namespace ortool::cpu
