// Model serialization: the wire writer's pieces one after the other.
#include "libcore/onnx/write/serialize.hpp"

#include <cstring>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/onnx/write/write_model.hpp"

namespace ortool {

AlignedBuffer serialize_model(const Model& model, MemoryCap* cap) {
  const SaveOptions options{.external_data = ExternalData::never};
  onnx::WireWriter writer;
  onnx::ExternalDataFile external_file = onnx::ExternalDataFile::nowhere();
  onnx::WriteContext context{writer, options, external_file};
  onnx::write_model(context, model);
  const std::int64_t bytes = writer.size_bytes();
  if (bytes > options.max_file_bytes) {
    throw Error(ErrorCode::unsupported,
                format("the subgraph takes {} bytes as an ONNX file, of which protobuf reads {} at "
                       "most",
                       bytes, options.max_file_bytes));
  }
  AlignedBuffer buffer(bytes, cap, "a subgraph as an ONNX file");
  std::byte* to = buffer.data();
  writer.each_piece([&](std::span<const std::byte> piece, bool) {
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
  });
  return buffer;
}

}  // namespace ortool
