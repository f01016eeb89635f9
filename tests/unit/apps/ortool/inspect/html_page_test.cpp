// HTML page around a document: text is escaped, and the policy names the script on the page.
#include "apps/ortool/inspect/html_page.hpp"

#include <catch2/catch.hpp>

#include "apps/ortool/report/page_writer.hpp"

using ortool::Json;
using ortool::StringSink;

namespace {

std::string page_of(std::string_view title, const Json& document) {
  StringSink sink;
  ortool::write_page(title, document, sink);
  return sink.take();
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("A name that looks like markup cannot end the element it lies in") {
  const std::string hostile = "</script><script>alert(1)</script><!-- & -->";
  const std::string page =
      page_of(hostile, Json::object().set(hostile, hostile).set("plain", "a < b && c > d"));
  CHECK(count(page, "<script") == 2);
  CHECK(count(page, "</script>") == 2);
  CHECK(page.find("alert(1)") != std::string::npos);
  CHECK(page.find("\\u003c/script\\u003e") != std::string::npos);
  CHECK(page.find("a \\u003c b \\u0026\\u0026 c \\u003e d") != std::string::npos);
  CHECK(page.find("<title>&lt;/script&gt;") != std::string::npos);
}

TEST_CASE("A document that holds the page's own marks is not filled in again") {
  const std::string page = page_of("@DATA@", Json::object().set("@STYLE@", "@SCRIPT@"));
  CHECK(page.find("{\"@STYLE@\": \"@SCRIPT@\"}") != std::string::npos);
  CHECK(page.find("<title>@DATA@</title>") != std::string::npos);
  CHECK(count(page, ortool::inspect_page.script) == 1);
  CHECK(count(page, ortool::inspect_page.style) == 1);
}

TEST_CASE("The page asks for nothing from outside") {
  const std::string page = page_of("m", Json::object());
  for (const char* what : {"http:", "https:", "src=", "@import", "url(", "fetch(", "XMLHttpRequest",
                           "WebSocket", "innerHTML", "eval("}) {
    INFO(what);
    CHECK(page.find(what) == std::string::npos);
  }
  CHECK(page.find("default-src 'none'; script-src 'sha256-") != std::string::npos);
}
