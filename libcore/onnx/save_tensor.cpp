// A tensor as a TensorProto of its own.
#include "libcore/base/atomic_file.hpp"
#include "libcore/onnx/load.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/wire_writer.hpp"

namespace ortool {

void save_tensor(const std::string& path, const std::string& name, const Tensor& tensor) {
  onnx::WireWriter writer;
  for (const std::int64_t dimension : tensor.shape()) {
    writer.put_varint(onnx::tensor_field::dims, dimension);
  }
  writer.put_varint(onnx::tensor_field::data_type, static_cast<std::int64_t>(tensor.type()));
  if (!name.empty()) writer.put_bytes(onnx::tensor_field::name, name);
  AtomicFile file(path);
  if (tensor.type() == DataType::string) {
    for (const std::string& text : tensor.strings()) {
      writer.put_bytes(onnx::tensor_field::string_data, text);
    }
    file.write(writer.text());
  } else {
    const auto size = static_cast<std::size_t>(tensor.size_bytes());
    writer.put_length(onnx::tensor_field::raw_data, size);
    file.write(writer.text());
    file.write(std::span(tensor.bytes(), size));
  }
  file.commit();
}

}  // namespace ortool
