#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/draw/table.h"
#include "core/study/result.h"
#include "core/study/schema_library.h"

namespace tessera::cli {

namespace {

void listKinds(const Context& context) {
    const std::vector<study::SchemaKind> kinds = study::schemaKinds();
    if (!context.common.json) {
        report::Table table;
        table.columns = {{"kind"}, {"schema"}, {"what it is"}};
        for (const study::SchemaKind& kind : kinds)
            table.rows.push_back({kind.id, kind.schema.empty() ? "–" : kind.schema, kind.about});
        context.console.print(report::toText(table));
        return;
    }
    Json json = study::documentHead("tessera.schema-list/1", "schema", {});
    Json& list = json["kinds"] = Json::array();
    for (const study::SchemaKind& kind : kinds) {
        Json row = {{"id", kind.id}};
        if (!kind.schema.empty()) row["schema"] = kind.schema;
        row["about"] = kind.about;
        list.push_back(std::move(row));
    }
    study::finishDocument(json, {}, {});
    context.console.printJson(json);
}

}  // namespace

Action addSchema(CLI::App& app) {
    struct Options {
        std::string kind, out;
    };
    const auto options = std::make_shared<Options>();
    offer(addText(app, "KIND", options->kind, "",
                  "a kind of document, such as fleet or tessera.fleet/2; without one all kinds are listed"),
          {"@schemas"});
    addOut(app, options->out, "writes the schema to a file");
    return [options](Context& context) {
        if (options->kind.empty()) return listKinds(context);
        const Json schema = study::schemaOf(options->kind);
        if (options->out.empty() || options->out == kStandardStream) return context.console.printJson(schema);
        writeOut(context, options->out, toText(schema),
                 "the schema of " + escaped(options->kind) + " written to " + escaped(options->out) + "\n");
    };
}

}  // namespace tessera::cli
