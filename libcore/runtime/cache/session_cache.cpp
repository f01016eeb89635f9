// The name of a session's cache file, and opening it.
#include "libcore/runtime/cache/session_cache.hpp"

#include <filesystem>
#include <limits>
#include <system_error>

#include <sys/stat.h>

#include "libcore/base/build_identity.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/runtime/cache/cache_folder.hpp"
#include "libcore/runtime/cache/processor_text.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {
namespace {

std::string options_text(const SessionOptions& options) {
  std::string text = format("{} {} {} {}", static_cast<int>(options.optimize),
                            options.strict_provider, options.max_packed_bytes, options.cache_tag);
  for (const auto& provider : options.providers)
    text += format("\n{} {}", provider->name(), provider->version());
  for (const std::string& pass : options.skipped_passes) text += "\nwithout " + pass;
  return text;
}

std::string model_text(Model& model, ContentKeyRegistry& contents) {
  std::string text;
  for (const Graph* graph : graphs_in(*model.graph)) {
    text += "graph\n";
    for (const Value* value : graph->values()) {
      if (value->is_constant()) text += contents.key_of(value->constant()) + '\n';
    }
    for (const Value* input : graph->inputs()) text += input->type().to_string() + '\n';
    for (const Node& node : graph->nodes()) {
      text += format("{}.{}", node.domain(), node.op_type());
      for (std::int64_t i = 0; i < node.output_count(); ++i)
        text += format(" {}", node.output(i) != nullptr ? node.output(i)->name() : "");
      text += '\n';
    }
  }
  return text;
}

}  // namespace

SessionCache::SessionCache(const SessionOptions& options, Model& model)
    : contents_(options.cache_dir),
      folder_(options.cache_dir),
      limit_bytes_(options.cache_limit_bytes) {
  std::error_code failed;
  std::filesystem::create_directories(options.cache_dir, failed);  // writing tells why that failed
  const std::string text = format("{}\n{}\n{}\n{}", build_identity(), processor_text(),
                                  options_text(options), model_text(model, contents_));
  path_ = format("{}/{}.ortcache", options.cache_dir, CacheKey::of(text).to_text());
}

std::unique_ptr<DerivedStore> SessionCache::read(CacheReport& report) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    report.reason = "there is none yet for this model, these options, this processor and version";
    return nullptr;
  }
  try {
    auto store = std::make_unique<DerivedStore>(CacheFile::open(path_), contents_);
    mark_as_used(path_);
    return store;
  } catch (const Error& error) {
    report.reason = error.message();
    report.is_rebuilt = true;
    return nullptr;
  }
}

std::unique_ptr<DerivedStore> SessionCache::write(CacheReport& report) {
  try {
    return std::make_unique<DerivedStore>(std::make_unique<CacheWriter>(path_), contents_);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::write_failed) throw;
    report.failure = error.message();
    return nullptr;
  }
}

void SessionCache::trim() const {
  constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  if (limit_bytes_ < unlimited) trim_cache_folder(folder_, limit_bytes_, path_);
}

}  // namespace ortool
