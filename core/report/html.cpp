#include "core/report/html.h"

#include <fmt/format.h>

#include <string_view>
#include <variant>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/chart.h"
#include "core/report/partition_report.h"
#include "core/report/table.h"
#include "core/report/theme.h"
#include "core/study/study.h"

namespace tessera::report {

namespace {

constexpr std::string_view kLayout = R"(
body{margin:0;background:var(--window);color:var(--text);font:13px/1.5 system-ui,sans-serif}
main{max-width:984px;margin:0 auto;padding:24px 12px}
h1{font-size:20px;font-weight:600;margin:0 0 4px}
h2{font-size:16px;font-weight:600;margin:32px 0 4px}
h3{font-size:13px;font-weight:600;margin:20px 0 4px}
p{margin:4px 0}
.secondary{color:var(--secondary)}
.headline{font-size:16px;font-weight:600;margin:8px 0 12px}
section{background:var(--surface);border:1px solid var(--border);border-radius:6px;padding:12px;margin:16px 0}
section h2{margin-top:0}
svg{max-width:100%;height:auto;display:block;margin:12px 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;white-space:nowrap}
th{font-weight:600;text-align:left;color:var(--secondary)}
th,td{padding:4px 12px 4px 0;border-bottom:1px solid var(--grid-line)}
.number{text-align:right}
code{overflow-wrap:anywhere}
details{margin:8px 0}
summary{cursor:pointer;color:var(--accent)}
)";

std::string styles() {
    std::string light;
    std::string dark;
    for (const Token& token : kTokens) {
        light += fmt::format("--{}:{};", token.name, token.light);
        dark += fmt::format("--{}:{};", token.name, token.dark);
    }
    return fmt::format(
        "<style>\n:root{{color-scheme:light dark;{}}}\n@media(prefers-color-scheme:dark){{:root{{{}}}}}{}</style>\n",
        light, dark, kLayout);
}

std::string scrolled(const Table& table) {
    return "<div class=\"scroll\">" + toHtml(table) + "</div>\n";
}

std::string sentences(const std::string& title, const std::vector<std::string>& list) {
    if (list.empty()) return "";
    std::string html = fmt::format("<h3>{}</h3>\n<ul>\n", title);
    for (const std::string& sentence : list) html += fmt::format("<li>{}</li>\n", htmlEscaped(sentence));
    return html + "</ul>\n";
}

std::string speedups(const study::PartitionOutcome& outcome, const Theme& theme) {
    std::vector<Bar> bars;
    for (const partition::Plan& plan : outcome.result.plans)
        bars.push_back(
            {plan.strategy, plan.speedupOverDp,
             fmt::format("{:.3g}× · {}", plan.speedupOverDp, formatQuantity(plan.stepTime.value, Measure::seconds)),
             strategyColour(plan.strategy)});
    return barChart("Speed-up over data parallelism", bars, theme);
}

std::string provenance(const study::Result& result) {
    Table inputs;
    inputs.columns = {{"input"}, {"SHA-256"}};
    for (const study::Input& input : result.inputs) inputs.rows.push_back({input.name, input.sha256});
    std::string file;
    const std::string json = tessera::toText(study::toJson(result.study));
    for (const std::string_view line : split(json, '\n')) file += htmlEscaped(line) + "\n";
    return "<h3>Where from</h3>\n" + scrolled(inputs) + "<details><summary>The study as a file</summary><pre><code>" +
           file + "</code></pre></details>\n";
}

std::string partitionSection(const study::Result& result, const study::PartitionOutcome& outcome) {
    const Theme theme(ThemeKind::css);
    const partition::Plan& best = bestPlan(outcome);
    const std::string name = result.study.name.empty() ? outcome.model + " on " + outcome.fleet : result.study.name;
    std::string html = fmt::format("<section>\n<h2>{}</h2>\n<p class=\"headline\">{}</p>\n", htmlEscaped(name),
                                   htmlEscaped(headline(outcome)));
    html += fmt::format("<p class=\"secondary\">{} on {}: {} accelerators, batch {}</p>\n", htmlEscaped(outcome.model),
                        htmlEscaped(outcome.fleet), formatCount(static_cast<double>(outcome.accelerators)),
                        formatCount(outcome.result.batch));
    for (const std::string& sentence : fasterWithout(best)) html += "<p>" + htmlEscaped(sentence) + "</p>\n";
    html += partitionHeatMap(best, outcome.result.names, theme) + speedups(outcome, theme);
    html += "<h3>Strategies</h3>\n" + scrolled(strategyTable(outcome));
    html += "<h3>Splits</h3>\n" + scrolled(levelTable(best));
    html += "<h3>Accelerators</h3>\n" + scrolled(acceleratorTable(best));
    html += sentences("Assumptions", result.assumptions) + sentences("Warnings", result.warnings);
    return html + provenance(result) + "</section>\n";
}

}  // namespace

std::string htmlReport(const std::string& title, const std::vector<study::Result>& results) {
    std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    html += fmt::format("<title>{}</title>\n{}</head>\n<body>\n<main>\n<h1>{}</h1>\n", htmlEscaped(title), styles(),
                        htmlEscaped(title));
    html += fmt::format("<p class=\"secondary\">Tessera {}</p>\n", TESSERA_VERSION);
    for (const study::Result& result : results)
        html += std::visit([&](const auto& outcome) { return partitionSection(result, outcome); }, result.outcome);
    return html + "</main>\n</body>\n</html>\n";
}

}  // namespace tessera::report
