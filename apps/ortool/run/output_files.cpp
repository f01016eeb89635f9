// One writer a format.
#include "apps/ortool/run/output_files.hpp"

#include <filesystem>

#include "apps/ortool/report/json.hpp"
#include "apps/ortool/run/tensor_block.hpp"
#include "apps/ortool/run/tensor_file.hpp"
#include "libcore/base/atomic_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/io/npz.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

Json element_json(const Tensor& tensor, std::int64_t index) {
  if (tensor.type() == DataType::boolean) return Json(element_as_int64(tensor, index) != 0);
  if (is_integer(tensor.type()) && tensor.type() != DataType::uint64) {
    return Json(element_as_int64(tensor, index));
  }
  if (is_floating_point(tensor.type())) return Json(element_as_double(tensor, index));
  return Json(element_text(tensor, index));
}

/// Lists in lists, as deep as the rank.
Json nested_elements(const Tensor& tensor, std::int64_t axis, std::int64_t& next) {
  if (axis == tensor.shape().rank()) return element_json(tensor, next++);
  Json list = Json::list();
  for (std::int64_t i = 0; i < tensor.shape()[axis]; ++i) {
    list.add(nested_elements(tensor, axis + 1, next));
  }
  return list;
}

std::string json_text(const Output& output) {
  std::int64_t next = 0;
  return Json::object()
      .set("name", output.name)
      .set("dtype", name_of(output.tensor.type()))
      .set("shape", shape_block(output.tensor.shape()))
      .set("data", nested_elements(output.tensor, 0, next))
      .write();
}

void make_folder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!failure && std::filesystem::is_directory(folder, failure)) return;
  throw Error(ErrorCode::write_failed,
              format("{}: the folder cannot be made: {}", folder,
                     failure ? failure.message() : "something else has that name"),
              "give --output-dir a folder that can be written to")
      .with_id("output.folder");
}

}  // namespace

std::vector<std::string> write_outputs(const std::string& folder, std::string_view format_name,
                                       std::span<const Output> outputs) {
  make_folder(folder);
  std::vector<std::string> files;
  if (format_name == "npz") {
    std::vector<std::pair<std::string, Tensor>> arrays;
    for (const Output& output : outputs) arrays.emplace_back(output.name, output.tensor);
    const std::string path = (std::filesystem::path(folder) / "outputs.npz").string();
    save_npz(path, arrays);
    files.assign(outputs.size(), path);
    return files;
  }
  for (const Output& output : outputs) {
    const std::string stem = format("output_{}", output.position);
    if (format_name == "json") {
      files.push_back((std::filesystem::path(folder) / (stem + ".json")).string());
      write_file(files.back(), json_text(output));
    } else {
      files.push_back(write_tensor_file(folder, stem, format_name, output.name, output.tensor));
    }
  }
  return files;
}

}  // namespace ortool
