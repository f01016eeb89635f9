// Writes an outline with the regular writers and a weight file that only counts bytes.
#include "libcore/onnx/read/outline.hpp"

#include "libcore/onnx/write/save.hpp"
#include "libcore/onnx/write/write_model.hpp"

namespace ortool {
namespace {

/// Constants that determine shapes are smaller.
constexpr std::int64_t min_outside_bytes = 4096;

}  // namespace

std::string outline_of(const Model& model) {
  const SaveOptions options = {.external_data = ExternalData::always,
                               .external_threshold_bytes = min_outside_bytes};
  onnx::WireWriter writer;
  onnx::ExternalDataFile nowhere = onnx::ExternalDataFile::nowhere();
  onnx::WriteContext context{writer, options, nowhere};
  context.moves_large = true;
  onnx::write_model(context, model);
  std::string text;
  text.reserve(static_cast<std::size_t>(writer.size_bytes()));
  writer.each_piece([&](std::span<const std::byte> bytes, bool) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return text;
}

}  // namespace ortool
