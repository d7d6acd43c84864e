#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/draw/table.h"
#include "core/partition/partition.h"
#include "core/report/reproduction_report.h"
#include "core/reproduce/reproduce.h"
#include "core/reproduce/search_cache.h"

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

}  // namespace

Action addReproduce(CLI::App& app) {
    struct Options {
        std::string name;
        std::string costModel;
    };
    const auto options = std::make_shared<Options>();
    offer(addText(app, "NAME", options->name, "", "a figure's name, or 'list'")->required(), {"@figures"});
    offer(addText(app, "--cost-model", options->costModel, "NAME",
                  "of AccPar's figures; paper: the paper's section 5.3, exact: its section 4 (default paper)"),
          {"paper", "exact"});
    return [options](Context& context) {
        const std::optional<partition::CostModel> costModel = costModelNamed(options->costModel);
        if (options->name == "list") {
            listFigures(context);
            return;
        }
        study::ReproductionOptions settings{.costModel = costModel};
        if (!context.common.noStore) settings.cache = study::searchCacheFolder();
        const study::Reproduction result = study::reproduce(options->name, settings, context.control());
        context.console.endProgress();
        if (context.common.json)
            context.console.printJson(study::toJson(result));
        else
            context.console.print(report::toText(result));
    };
}

}  // namespace tessera::cli
