// Models of the C interface: loading from a path, memory or a descriptor, and operators of users.
#include "apps/c/guard.hpp"
#include "apps/c/handles.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "libcore/api/defined_ops.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/version.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/load.hpp"
#include "providers/provider_list.hpp"

namespace ortool::c {
namespace {

ortool_model* make_model(ModelFile file) {
  const std::unique_ptr<Model> model = file.load(nullptr);
  std::vector<Value*> inputs;
  for (Value* input : model->inputs()) {
    if (!input->has_default()) inputs.push_back(input);
  }
  return new ortool_model{std::move(file), ValueInfoList(inputs), ValueInfoList(model->outputs())};
}

std::string folder_text(const char* folder) {
  return folder != nullptr ? folder : "";
}

}  // namespace

std::unique_ptr<Model> ModelFile::load(MemoryCap* cap) const {
  LoadOptions options;
  options.cap = cap;
  auto model = load_model_from_bytes(bytes, owner, name, directory, options);
  add_defined_ops(*model);
  resolve_legacy_defaults(*model);
  return model;
}

}  // namespace ortool::c

using namespace ortool;     // NOLINT(google-build-using-namespace): functions of the C interface
using namespace ortool::c;  // NOLINT(google-build-using-namespace)

int32_t ortool_abi_version() {
  return ORTOOL_ABI_VERSION;
}

const char* ortool_version() {
  return version().data();
}

ortool_status ortool_model_load(const char* path, ortool_model** model_out, ortool_error** error) {
  return guarded(error, [&] {
    require(path, "path");
    require(model_out, "model_out");
    const LoadedModel found = find_model(path);
    const MappedFile file = MappedFile::open(found.path);
    *model_out = make_model({file.bytes(), file.owner(), found.path,
                             found.folder.empty() ? std::string(".") : found.folder});
  });
}

ortool_status ortool_model_load_memory(const void* bytes, size_t size, const char* folder,
                                       void (*release)(void* context), void* context,
                                       ortool_model** model_out, ortool_error** error) {
  return guarded(error, [&] {
    // Neither null nor freed before `release` is called.
    const std::shared_ptr<const void> owner(bytes, [release, context](const void*) {
      if (release != nullptr) release(context);
    });
    require(bytes, "bytes");
    require(model_out, "model_out");
    *model_out = make_model({{static_cast<const std::byte*>(bytes), size},
                             owner,
                             "model in memory",
                             folder_text(folder)});
  });
}

ortool_status ortool_model_load_descriptor(int descriptor, const char* folder,
                                           ortool_model** model_out, ortool_error** error) {
  return guarded(error, [&] {
    require(model_out, "model_out");
    const MappedFile file = MappedFile::from_descriptor(descriptor, "model of a descriptor");
    *model_out =
        make_model({file.bytes(), file.owner(), "model of a descriptor", folder_text(folder)});
  });
}

ortool_status ortool_register_operators(const char* path, ortool_error** error) {
  return guarded(error, [&] {
    require(path, "path");
    load_custom_ops(path);
  });
}

ortool_status ortool_add_operators(const ortool_operators* operators, const char* origin,
                                   ortool_error** error) {
  return guarded(error, [&] {
    require(operators, "operators");
    require(origin, "origin");
    add_custom_ops(*operators, origin);
  });
}

ortool_status ortool_remove_operator(const char* domain, const char* name, ortool_error** error) {
  return guarded(error, [&] {
    require(domain, "domain");
    require(name, "name");
    remove_custom_op(domain, name);
  });
}

ortool_status ortool_define_operators(const char* text, ortool_error** error) {
  return guarded(error, [&] {
    require(text, "text");
    define_ops(text, "definition");
  });
}

void ortool_model_free(ortool_model* model) {
  delete model;
}

const ortool_value_info* const* ortool_model_inputs(const ortool_model* model, size_t* count) {
  if (count != nullptr) *count = model->inputs.size();
  return model->inputs.data();
}

const ortool_value_info* const* ortool_model_outputs(const ortool_model* model, size_t* count) {
  if (count != nullptr) *count = model->outputs.size();
  return model->outputs.data();
}
