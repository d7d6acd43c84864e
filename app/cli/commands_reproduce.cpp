#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/draw/table.h"
#include "core/partition/partition.h"
#include "core/ranks/conductor.h"
#include "core/report/reproduction_report.h"
#include "core/reproduce/reproduce.h"
#include "core/reproduce/search_cache.h"
#include "core/reproduce/shared_figures.h"

namespace tessera::cli {

namespace {

void listFigures(Context& context) {
    report::Table table;
    table.columns = {{"name"}, {"shows"}, {"source"}};
    Json json = study::documentHead("tessera.reproduction-list/1", "reproduce list", {});
    Json& list = json["reproductions"] = Json::array();
    for (const study::Figure& figure : study::figures()) {
        table.rows.push_back({std::string(figure.name), std::string(figure.title), std::string(figure.source)});
        list.push_back({{"name", figure.name}, {"title", figure.title}, {"source", figure.source}});
    }
    study::finishDocument(json, {}, {});
    if (context.common.json)
        context.console.printJson(json);
    else
        context.console.print(report::toText(table));
}

std::optional<partition::CostModel> costModelNamed(const std::string& name) {
    if (name.empty()) return std::nullopt;
    if (name == "paper") return partition::CostModel::paper;
    if (name == "exact") return partition::CostModel::exact;
    throw UsageError(fmt::format("option '--cost-model' is {}; expected one of paper, exact", inQuotes(name)));
}

/// The figures that names stand for, each once: 'all' is every one.
std::vector<std::string> figuresNamed(const std::vector<std::string>& names) {
    std::vector<std::string> all;
    const auto add = [&](std::string_view name) {
        if (std::find(all.begin(), all.end(), name) == all.end()) all.emplace_back(name);
    };
    for (const std::string& name : names) {
        if (name != "all") {
            add(rowNamed(study::figures(), name, "there is no figure").name);
            continue;
        }
        for (const study::Figure& figure : study::figures()) add(figure.name);
    }
    return all;
}

/// Recomputes them, here and in other processes where there are such.
std::vector<study::Reproduction> recomputed(Context& context, const std::vector<std::string>& names,
                                            const study::ReproductionOptions& options) {
    std::vector<study::Reproduction> figures(names.size());
    const auto here = [&](std::size_t i) { figures[i] = study::reproduce(names[i], options, context.control()); };
    if (!context.ranks) {
        for (std::size_t i = 0; i < names.size(); ++i) here(i);
        return figures;
    }
    const unsigned before = std::exchange(context.threads, context.ranks->threadsHere(context.threads));
    context.ranks->run(
        study::sharedFigures(options, before),
        {.count = names.size(),
         .question = [&](std::size_t i) { return names[i]; },
         .here = here,
         .answered = [&](std::size_t i, const std::string& answer) { figures[i] = study::figureIn(answer, names[i]); },
         .stop = context.stop,
         .threads = 1,
         .one = "figure",
         .many = "figures",
         .name = [&](std::size_t i) { return names[i]; }});
    context.threads = before;
    context.control().throwIfCancelled("the recomputation");
    return figures;
}

void printFigures(Context& context, const std::vector<study::Reproduction>& figures) {
    if (!context.common.json) {
        for (std::size_t i = 0; i < figures.size(); ++i)
            context.console.print((i > 0 ? "\n" : "") + report::toText(figures[i]));
        return;
    }
    if (figures.size() == 1) {
        context.console.printJson(study::toJson(figures.front()));
        return;
    }
    Json json = study::documentHead("tessera.reproductions/1", "reproduce", {});
    Json& list = json["reproductions"] = Json::array();
    for (const study::Reproduction& figure : figures) list.push_back(study::toJson(figure));
    study::finishDocument(json, {}, {});
    context.console.printJson(json);
}

}  // namespace

Action addReproduce(CLI::App& app) {
    struct Options {
        std::vector<std::string> names;
        std::string costModel;
    };
    const auto options = std::make_shared<Options>();
    offer(app.add_option("NAME", options->names, "figures' names, 'all', or 'list'")->required()->type_name(""),
          {"@figures"});
    offer(addText(app, "--cost-model", options->costModel, "NAME",
                  "of AccPar's figures; paper: the paper's section 5.3, exact: its section 4 (default paper)"),
          {"paper", "exact"});
    return [options](Context& context) {
        const std::optional<partition::CostModel> costModel = costModelNamed(options->costModel);
        if (options->names == std::vector<std::string>{"list"}) {
            listFigures(context);
            return;
        }
        const std::vector<std::string> names = figuresNamed(options->names);
        study::ReproductionOptions settings{.costModel = costModel};
        if (!context.common.noStore) settings.cache = study::searchCacheFolder();
        const std::vector<study::Reproduction> figures = recomputed(context, names, settings);
        context.console.endProgress();
        printFigures(context, figures);
    };
}

}  // namespace tessera::cli
