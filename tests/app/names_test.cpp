#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/character.h"
#include "core/base/escape.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/model/model.h"
#include "core/report/catalogue.h"
#include "tests/app/cli.h"
#include "tests/support/hostile_names.h"

namespace tessera::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The model, and a fleet whose names are as bad.
std::pair<std::string, std::string> hostileFiles() {
    Json layers = Json::array();
    for (const std::string& name : hostileNames())
        layers.push_back({{"name", name}, {"kind", "fc"}, {"in_channels", 64}, {"out_channels", 64}});
    const Json model = {{"schema", "tessera.layers/1"}, {"name", "=m\x1B\xE2\x80\xAE<b>"}, {"layers", layers}};
    const auto group = [](const std::string& name) {
        return Json{{"name", name}, {"accelerator", "tpu-v3-board"}, {"count", 2}};
    };
    const Json fleet = {{"schema", "tessera.fleet/1"},
                        {"name", "@fleet\x07\xE2\x80\xAE<i>"},
                        {"groups", {group("=g1\x1B"), group("<g2>\xE2\x80\x8B")}}};
    return {toText(model), toText(fleet)};
}

/// No text that leaves the program acts on what shows it.
void expectHarmless(std::string_view text, const std::string& command) {
    ASSERT_TRUE(isUtf8(text)) << command;
    for (std::string_view rest = text; !rest.empty();) {
        const Character character = firstCharacter(rest);
        const bool lineEnd = character.code == '\n' || rest.starts_with("\r\n");
        ASSERT_TRUE(lineEnd || !isControl(character.code))
            << command << " writes U+" << std::hex << static_cast<unsigned>(character.code) << " after "
            << text.substr(text.size() - rest.size() < 60 ? 0 : text.size() - rest.size() - 60, 60);
        rest.remove_prefix(character.length);
    }
}

/// The cells of RFC 4180.
std::vector<std::vector<std::string>> cellsOf(std::string_view csv) {
    std::vector<std::vector<std::string>> rows{{""}};
    bool quoted = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
        std::string& cell = rows.back().back();
        if (csv[i] == '"') {
            const bool doubled = quoted && csv.substr(i + 1).starts_with('"');
            if (doubled) cell += csv[++i];
            quoted = doubled || !quoted;
        } else if (csv[i] == ',' && !quoted) {
            rows.back().emplace_back();
        } else if (csv[i] == '\n' && !quoted) {
            rows.push_back({""});
        } else if (csv[i] != '\r' || quoted) {
            cell += csv[i];
        }
    }
    rows.pop_back();
    return rows;
}

void expectNoFormula(const std::string& csv, const std::string& command) {
    for (const auto& row : cellsOf(csv))
        for (const std::string& cell : row) {
            const std::size_t first = cell.find_first_not_of(' ');
            if (first == std::string::npos || std::string_view("=+-@").find(cell[first]) == std::string_view::npos) {
                EXPECT_FALSE(std::string_view(cell).starts_with("＝")) << command;
                continue;
            }
            EXPECT_EQ(cell.find_first_not_of("+-0123456789.e"), std::string::npos) << command << ": " << cell;
            EXPECT_NO_THROW((void)std::stod(cell)) << command << ": " << cell;
        }
}

void expectNoMarkup(const std::string& text, const std::string& command) {
    for (const char* start : {"<script", "<img", "<svg onload", "<b>", "<i>", "<g2>"})
        EXPECT_THAT(text, Not(HasSubstr(start))) << command;
}

class HostileNames : public Cli {
protected:
    HostileNames() {
        const auto [model, fleet] = hostileFiles();
        write("model.json", model);
        write("fleet.json", fleet);
    }

    std::string outputOf(const std::vector<std::string>& command) const {
        const Ended ended = tessera(command);
        EXPECT_EQ(ended.code, 0) << joined(command, " ") << ended.errors;
        expectHarmless(ended.output, joined(command, " "));
        expectHarmless(ended.errors, joined(command, " "));
        return ended.output;
    }
};

const std::vector<std::string> kPartition{"partition", "--model", "model.json", "--fleet", "fleet.json"};

TEST_F(HostileNames, areTextInTablesReportsAndPicturesOfARun) {
    outputOf(kPartition);
    outputOf({"history", "list"});
    outputOf({"history", "show", "last"});
    outputOf({"history", "show", "last", "--result"});
    for (const std::string search : {"'; DROP TABLE run; --", "a* OR (", "\"x"})
        outputOf({"history", "search", search});
    const std::string html = outputOf({"report", "last", "--out", "-", "--format", "html"});
    expectNoMarkup(html, "report.html");
    const std::string markdown = outputOf({"report", "last", "--out", "-", "--format", "md"});
    for (const char* markup : {"<script", "[x](", "`id`"})
        for (std::size_t at = markdown.find(markup); at != std::string::npos; at = markdown.find(markup, at + 1))
            EXPECT_EQ(markdown[at - 1], '\\') << markup;
    for (const report::TableRow& table : report::catalogueOf("partition").tables) {
        const std::string name(table.id);
        expectNoFormula(outputOf({"export", "last", "--name", name, "--out", "-", "--format", "csv"}), name);
    }
    for (const report::PictureRow& picture : report::catalogueOf("partition").pictures) {
        const std::vector<std::string> command{"export", "last", "--what",  "chart", "--name", std::string(picture.id),
                                               "--out",  "-",    "--format"};
        expectNoFormula(outputOf(with(command, {"csv"})), std::string(picture.id));
        const std::string svg = outputOf(with(command, {"svg"}));
        for (const char* markup : {"<script", "<img", "<svg onload"}) EXPECT_THAT(svg, Not(HasSubstr(markup)));
    }
    const std::vector<std::string> timeline{"export", "last", "--what", "timeline", "--out", "-", "--format"};
    expectNoFormula(outputOf(with(timeline, {"csv"})), "timeline.csv");
    EXPECT_FALSE(JsonDocument::parse(outputOf(with(timeline, {"json"})), "trace").json().at("traceEvents").empty());
}

TEST_F(HostileNames, areTextInEveryFormatOfModels) {
    outputOf({"model", "inspect", "model.json", "--layers"});
    const auto converted = [&](const std::string& format) {
        return outputOf({"model", "convert", "model.json", "--to", format, "--out", "-", "--quiet"});
    };
    for (const std::string format : {"layers-csv", "maestro-csv", "m3e-csv", "scalesim-csv"})
        expectNoFormula(converted(format), format);
    expectNoMarkup(converted("svg"), "svg");  // Graphviz reads the text of `dot`
    EXPECT_THAT(converted("dot"), HasSubstr("[label=\"\\\"];evil [label=\\\"x\\n"));
}

TEST_F(HostileNames, readBackFromJsonAndFromTablesThatHoldThem) {
    const Json run = JsonDocument::parse(outputOf(with(kPartition, {"--json"})), "run").json();
    const Json copy =
        JsonDocument::parse(outputOf({"model", "convert", "model.json", "--to", "json", "--out", "-"}), "copy").json();
    ASSERT_EQ(copy.at("layers").size(), hostileNames().size());
    for (std::size_t i = 0; i < hostileNames().size(); ++i)
        EXPECT_EQ(copy.at("layers")[i].at("name"), hostileNames()[i]);
    EXPECT_EQ(run.at("model"), "=m\x1B\xE2\x80\xAE<b>");
    // SCALE-Sim's table holds no commas, quotes and control characters; what is left reads back.
    outputOf({"model", "convert", "model.json", "--to", "scalesim-csv", "--out", "s.csv", "--quiet"});
    const model::LayerGraph back = model::layerGraph(model::loadModel(path("s.csv"), {}));
    ASSERT_EQ(back.layers.size(), hostileNames().size());
    for (std::size_t i = 0; i < hostileNames().size(); ++i) {
        const std::string& name = hostileNames()[i];
        const bool plain = escaped(name, kUncut) == name && name.find_first_of(",\"#") == std::string::npos &&
                           trimmed(name) == name && name.find("//") == std::string::npos;
        EXPECT_TRUE(!plain || back.layers[i].name == name) << back.layers[i].name;
    }
}

TEST_F(HostileNames, areTextInErrors) {
    for (const std::string& name : hostileNames()) {
        const Ended ended = tessera({"export", "last", "--name", name, "--out", "x.csv"});
        EXPECT_NE(ended.code, 0);
        expectHarmless(ended.errors, "an error about " + escaped(name));
    }
}

TEST_F(HostileNames, keepTheColumnsOfTablesOnATerminal) {
    const std::string text = outputOf({"model", "inspect", "model.json", "--layers"});
    const std::size_t table = text.find("layer  ");
    ASSERT_NE(table, std::string::npos);
    std::set<std::size_t> widths;  // up to the last digit, which stands at the right
    for (const std::string_view line : split(std::string_view(text).substr(table), '\n'))
        if (!line.empty()) widths.insert(displayWidth(line));
    EXPECT_EQ(widths.size(), 1U) << text;
}

}  // namespace
}  // namespace tessera::test
