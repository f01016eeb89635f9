// same_bits_c PROGRAM SCRATCH MODELS: the program, the C interface and its C++ handles compute
// the same bits from the test folder of each model. Skips (exit code 77) without models.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/c/ortool/ortool.hpp"
#include "libcore/base/error.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/onnx/value_file.hpp"

namespace {

namespace fs = std::filesystem;
namespace abi = ortool::abi;

fs::path numbered(const fs::path& folder, const char* kind, std::size_t index) {
  return folder / (std::string(kind) + "_" + std::to_string(index) + ".pb");
}

/// A tensor of the interface over the memory of `value`.
abi::Value value_over(const ortool::RunValue& value) {
  const ortool::Tensor& tensor = value.tensor();
  const abi::Shape shape(tensor.shape().begin(), tensor.shape().end());
  return abi::Value::view(static_cast<ortool_type>(tensor.type()), shape,
                          const_cast<std::byte*>(tensor.bytes()),
                          static_cast<std::size_t>(tensor.size_bytes()));
}

bool is_same(const abi::Value& a, const abi::Value& b) {
  if (a.type() == ORTOOL_UNDEFINED || a.type() != b.type() || a.shape() != b.shape()) return false;
  const std::size_t size = ortool_tensor_size(a.get());
  return size == 0 ||
         std::memcmp(ortool_tensor_data(a.get()), ortool_tensor_data(b.get()), size) == 0;
}

/// The inputs of a test folder, with the names of the session's.
struct TestInputs {
  std::vector<std::string> names;
  std::vector<fs::path> paths;
  std::vector<ortool::RunValue> kept;
  std::vector<abi::Value> values;

  TestInputs(const fs::path& folder, const abi::Session& session) {
    const std::vector<abi::ValueInfo> infos = session.inputs();
    while (fs::exists(numbered(folder, "input", kept.size()))) {
      paths.push_back(numbered(folder, "input", kept.size()));
      std::string name;
      kept.push_back(ortool::load_value(paths.back().string(), {}, &name));
      const bool is_known = std::any_of(infos.begin(), infos.end(),
                                        [&](const auto& info) { return info.name == name; });
      names.push_back(is_known ? name : infos.at(names.size()).name);
    }
    for (const ortool::RunValue& value : kept) values.push_back(value_over(value));
  }
};

/// Runs the program, which writes outputs to `scratch`; whether it succeeds.
bool run_program(const std::string& program, const fs::path& folder, const fs::path& scratch,
                 const TestInputs& inputs) {
  fs::remove_all(scratch);
  std::string line = "'" + program + "' run '" + (folder / "model.onnx").string() + "'";
  for (std::size_t i = 0; i < inputs.names.size(); ++i)
    line += " --input '" + inputs.names[i] + "=" + inputs.paths[i].string() + "'";
  line += " --quiet --output-format pb --output-dir '" + scratch.string() + "' > /dev/null";
  return std::system(line.c_str()) == 0;
}

/// Empty if all agree in the outputs that are tensors.
std::string difference(const std::string& program, const fs::path& folder,
                       const fs::path& scratch) {
  const abi::Session session(abi::Model::load((folder / "model.onnx").string()));
  const TestInputs inputs(folder / "test_data_set_0", session);
  const std::vector<abi::ValueInfo> infos = session.outputs();
  std::vector<const char*> names;
  for (const std::string& name : inputs.names) names.push_back(name.c_str());
  std::vector<const char*> wanted;
  for (const abi::ValueInfo& info : infos) wanted.push_back(info.name.c_str());

  const std::vector<abi::Value> of_cpp = session.run(names, inputs.values, wanted);
  const std::vector<const ortool_value*> given = abi::Value::pointers_of(inputs.values);
  std::vector<ortool_value*> results(wanted.size());
  abi::call(ortool_run, session.get(), names.data(), given.data(), given.size(), nullptr,
            results.data(), results.size(), nullptr);
  std::vector<abi::Value> of_c;
  for (ortool_value* result : results) of_c.emplace_back(result);
  if (!run_program(program, folder, scratch, inputs)) return "the program failed";
  for (std::size_t i = 0; i < of_c.size(); ++i) {
    if (infos[i].kind != ORTOOL_TENSOR) continue;
    const ortool::RunValue written =
        ortool::load_value(numbered(scratch, "output", i).string(), {});
    if (!is_same(of_cpp[i], of_c[i])) return "C and C++ differ in output " + infos[i].name;
    if (!is_same(of_c[i], value_over(written)))
      return "C and the program differ in output " + infos[i].name;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::vector<fs::path> folders;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(argv[3], missing)) {
    if (fs::exists(entry.path() / "model.onnx")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  if (folders.empty()) {
    std::printf("skipped: there are no models in %s\n", argv[3]);
    return 77;
  }
  int failed = 0;
  for (const fs::path& folder : folders) {
    std::string problem;
    try {
      problem = difference(argv[1], folder, argv[2]);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    std::printf("%s: %s\n", folder.filename().c_str(),
                problem.empty() ? "same bits" : problem.c_str());
    failed += problem.empty() ? 0 : 1;
  }
  return failed == 0 ? 0 : 1;
}
