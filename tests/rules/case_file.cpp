// Parser of rule case files; indented lines continue the line before.
#include "tests/rules/case_file.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/text/scanner.hpp"

namespace ortool::test {
namespace {

class CaseReader {
 public:
  explicit CaseReader(std::string_view text) : text_(text) {}

  std::vector<RuleCase> read() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      const std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++number_;
      if (line.empty() || line[0] == '#') continue;
      if (line[0] == ' ') {
        if (block_ == nullptr) fail("an indented line belongs to nothing");
        block_->append(line).append(1, '\n');
        continue;
      }
      take(line);
    }
    for (const RuleCase& each : cases_) {
      if (each.rule.empty() || each.before.empty() || each.opsets.empty())
        throw Error(ErrorCode::invalid,
                    format("line {}: the case needs 'rule', 'opset' and 'before'", each.line));
    }
    return std::move(cases_);
  }

 private:
  [[noreturn]] void fail(std::string_view message) const {
    throw Error(ErrorCode::invalid, format("line {}: {}", number_, message));
  }

  void take(std::string_view line) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, space);
    const std::string_view rest = line.substr(std::min(space + 1, line.size()));
    block_ = nullptr;
    if (word == "rule") {
      rule_ = rest;
      return;
    }
    if (word == "case") {
      RuleCase& made = cases_.emplace_back();
      made.name = rest;
      made.line = number_;
      made.rule = rule_;
      return;
    }
    if (cases_.empty()) fail("a 'case' comes first");
    RuleCase& current = cases_.back();
    if (word == "opset") {
      Scanner scanner(rest);
      current.opsets[""] = scanner.integer("an opset");
    } else if (word == "before") {
      block_ = &current.before;
    } else if (word == "after") {
      block_ = &current.after.emplace();
    } else if (word == "stays") {
      Scanner scanner(rest);
      if (!scanner.at_end()) current.reason = scanner.quoted("a part of the reason");
    } else if (word == "tolerance") {
      Scanner scanner(rest);
      scanner.expect("rtol");
      current.tolerance.rtol = to_double(scanner.number()).value_or(0);
      scanner.expect("atol");
      current.tolerance.atol = to_double(scanner.number()).value_or(0);
    } else {
      fail(format("'{}' is no word of a case file", word));
    }
  }

  std::string_view text_;
  int number_ = 0;
  std::string rule_;
  std::vector<RuleCase> cases_;
  std::string* block_ = nullptr;
};

}  // namespace

std::vector<RuleCase> parse_rule_cases(std::string_view text) {
  return CaseReader(text).read();
}

}  // namespace ortool::test
