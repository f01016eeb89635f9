// Opset imports, one version a domain.
#include "libcore/onnx/read_opsets.hpp"

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/onnx/messages.hpp"

namespace ortool::onnx {

OpsetImports read_opsets(LoadContext& context, std::span<const Message> messages) {
  OpsetImports imports;
  for (const Message message : messages) {
    context.budget.take_bytes(96, "opset imports");
    std::string_view domain;
    std::int64_t version = 0;
    WireReader reader(context.source, message, opset_table);
    while (reader.next()) {
      if (reader.number() == opset_field::domain) {
        domain = canonical_domain(reader.text());
      } else {
        version = reader.integer();
      }
    }
    const std::string shown = domain.empty() ? "ai.onnx" : shorten(domain);
    if (version < 1) {
      throw Error(ErrorCode::invalid,
                  format("opset import of domain {} has the version {}", shown, version),
                  "export the model again")
          .with_id("opset.version");
    }
    const auto [entry, is_new] = imports.emplace(std::string(domain), version);
    if (!is_new && entry->second != version) {
      throw Error(
          ErrorCode::invalid,
          format("domain {} is imported in versions {} and {}", shown, entry->second, version),
          "export the model again")
          .with_id("opset.repeated");
    }
  }
  return imports;
}

}  // namespace ortool::onnx
