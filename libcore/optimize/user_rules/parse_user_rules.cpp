// Parser of rule files, line by line; indented lines continue the one before.
#include <algorithm>
#include <charconv>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/optimize/user_rules/user_rules.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

/// The text of one rule.
struct Draft {
  UserRule rule;
  int line = 0;
  std::int64_t opset = 0;
  std::string before;
  std::string after;
};

class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  std::vector<std::shared_ptr<const UserRule>> read() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++number_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty() || line.front() == '#') {
        if (block_ != nullptr) *block_ += '\n';
        continue;
      }
      if (line.front() == ' ' || line.front() == '\t') {
        if (block_ == nullptr) fail("an indented line does not follow 'before' or 'after'");
        block_->append(line).append(1, '\n');
      } else {
        take(line);
      }
    }
    std::vector<std::shared_ptr<const UserRule>> rules;
    for (Draft& draft : drafts_) rules.push_back(finish(draft));
    if (rules.empty()) fail("the file contains no rule");
    return rules;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::invalid, format("line {}: {}", number_, message),
                "a rules file consists of lines 'rule NAME', 'opset N', 'before' and 'after'")
        .with_id("rules.syntax");
  }

  void take(std::string_view line) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, space);
    const std::string rest(line.substr(std::min(space + 1, line.size())));
    block_ = nullptr;
    if (word == "rule") return begin(rest);
    if (drafts_.empty()) fail("a 'rule' line must come first");
    Draft& draft = drafts_.back();
    if (word == "summary") {
      draft.rule.summary = rest;
    } else if (word == "opset") {
      const auto [end, failure] =
          std::from_chars(rest.data(), rest.data() + rest.size(), draft.opset);
      if (failure != std::errc() || end != rest.data() + rest.size() || draft.opset < 1)
        fail(format("{} is not an opset", quote(rest)));
    } else if (word == "level") {
      read_level(rest, draft.rule.level);
    } else if (word == "before" || word == "after") {
      block_ = word == "before" ? &draft.before : &draft.after;
      if (!block_->empty()) fail(format("the rule has two graphs {}", quote(word)));
      // Leading line breaks make the graph's line numbers those of the file.
      block_->assign(static_cast<std::size_t>(number_), '\n');
    } else {
      fail(format("{} is not a keyword of a rules file", quote(word)));
    }
  }

  void begin(const std::string& name) {
    if (name.empty()) fail("the rule has no name");
    const bool is_taken = std::any_of(drafts_.begin(), drafts_.end(),
                                      [&](const Draft& draft) { return draft.rule.name == name; });
    if (is_taken) fail(format("there are two rules {}", quote(name)));
    Draft& draft = drafts_.emplace_back();
    draft.rule.name = name;
    draft.line = number_;
  }

  void read_level(std::string_view text, OptimizeLevel& level) const {
    if (text == "basic") {
      level = OptimizeLevel::basic;
    } else if (text == "extended") {
      level = OptimizeLevel::extended;
    } else {
      fail(format("{} is not a level (basic or extended)", quote(text)));
    }
  }

  static std::unique_ptr<Model> model_of(const std::string& text, std::int64_t opset) {
    auto model = std::make_unique<Model>();
    model->ir_version = 10;
    model->graph = parse_graph(text, {{"", opset}});
    infer_shapes(*model);
    return model;
  }

  static std::shared_ptr<const UserRule> finish(Draft& draft) {
    const std::string name = format("rule {}", quote(draft.rule.name));
    const std::string place = format("line {}: {}", draft.line, name);
    if (draft.before.empty() || draft.after.empty() || draft.opset == 0) {
      throw Error(ErrorCode::invalid, "it needs 'opset', 'before' and 'after'").in(place);
    }
    try {
      draft.rule.before = model_of(draft.before, draft.opset);
      draft.rule.after = model_of(draft.after, draft.opset);
    } catch (Error& error) {
      // Most errors name their own line.
      throw error.in(name);
    }
    try {
      check(draft.rule);
    } catch (Error& error) {
      throw error.in(place);
    }
    return std::make_shared<const UserRule>(std::move(draft.rule));
  }

  static void check(const UserRule& rule) {
    const Graph& before = *rule.before->graph;
    const Graph& after = *rule.after->graph;
    if (before.outputs().size() != 1 || after.outputs().size() != 1)
      throw Error(ErrorCode::invalid, "each of its graphs must have one output");
    if (before.outputs()[0]->producer() == nullptr)
      throw Error(ErrorCode::invalid, "no node produces the output of the 'before' graph");
    for (const Value* input : before.inputs()) {
      if (!input->type().is_tensor() || !input->type().shape)
        throw Error(ErrorCode::invalid, format("input '{}' has no shape", input->name()));
    }
    for (const Value* input : after.inputs()) {
      const Value* same = before.find_value(input->name());
      if (same == nullptr || !same->is_graph_input() || !(same->type() == input->type()))
        throw Error(ErrorCode::invalid,
                    format("input '{}' is not an input of the 'before' graph, or has another type",
                           input->name()));
    }
    for (const Graph* graph : {&before, &after}) {
      for (const Node& node : graph->nodes()) {
        if (node.domain().empty() && node.subgraphs().empty()) continue;
        throw Error(ErrorCode::unsupported,
                    "rules may only contain ONNX operators without subgraphs")
            .at_node(node.name(), node.op_type());
      }
    }
  }

  std::string_view text_;
  int number_ = 0;
  std::vector<Draft> drafts_;
  std::string* block_ = nullptr;
};

}  // namespace

std::vector<std::shared_ptr<const UserRule>> parse_user_rules(std::string_view text) {
  return RuleReader(text).read();
}

}  // namespace ortool
