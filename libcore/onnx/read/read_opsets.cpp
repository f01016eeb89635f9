// Reader for opset imports, with one version for each domain.
#include "libcore/onnx/read/read_opsets.hpp"

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/onnx/messages.hpp"

namespace ortool::onnx {

std::vector<DeclaredOpset> read_opsets(LoadContext& context, std::span<const Message> messages) {
  std::vector<DeclaredOpset> declared;
  OpsetImports imports;
  for (const Message message : messages) {
    context.budget.take_bytes(96 + sizeof(DeclaredOpset), "opset imports");
    DeclaredOpset opset;
    bool is_explicit = false;
    WireReader reader(context.source, message, opset_table);
    reader.keep_unknown(opset.residue);
    while (reader.next()) {
      if (reader.number() == opset_field::domain) {
        opset.domain = canonical_domain(reader.text());
        is_explicit = reader.text() != opset.domain;
      } else {
        opset.version = reader.integer();
      }
    }
    FieldPresence present = reader.present_fields();
    if (is_explicit) present.set(FieldPresence::explicit_domain);
    opset.spelling = present;
    const std::string shown = opset.domain.empty() ? "ai.onnx" : shorten(opset.domain);
    if (opset.version < 1) {
      throw Error(ErrorCode::invalid,
                  format("opset import of domain {} has the version {}", shown, opset.version),
                  "export the model again")
          .with_id("opset.version");
    }
    const auto [entry, is_new] = imports.emplace(opset.domain, opset.version);
    if (!is_new && entry->second != opset.version) {
      throw Error(ErrorCode::invalid,
                  format("domain {} is imported in versions {} and {}", shown, entry->second,
                         opset.version),
                  "export the model again")
          .with_id("opset.repeated");
    }
    declared.push_back(std::move(opset));
  }
  return declared;
}

OpsetImports to_imports(std::span<const DeclaredOpset> declared) {
  OpsetImports imports;
  for (const DeclaredOpset& opset : declared) imports.emplace(opset.domain, opset.version);
  return imports;
}

}  // namespace ortool::onnx
