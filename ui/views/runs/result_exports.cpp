#include "ui/views/runs/result_exports.h"

#include <string>
#include <utility>

#include "ui/models/text.h"

namespace tessera::ui::exports {
using namespace Qt::StringLiterals;

namespace {

using report::FileRow;
using report::PictureRow;
using report::Row;
using report::Selection;
using report::TableRow;

Exportable named(const Row& row, const SharedResult& result, const Selection& at) {
    return {.name = fileStem(shownText(report::fileNameOf(row, *result, at))),
            .id = toQt(row.id),
            .title = shownText(report::titleOf(row, *result, at))};
}

Exportable ofPicture(const PictureRow& row, const SharedResult& result, const Selection& at,
                     const std::function<report::Picture()>& make) {
    Exportable what = named(row, result, at);
    what.svg = [make](const report::Theme& theme) { return report::toSvg(make(), theme); };
    if ((row.where & report::kWithoutNumbers) == 0) what.csv = [make] { return report::toCsv(make()); };
    if ((row.where & report::kTimeline) != 0) {
        what.json = [make] { return report::toChromeTrace(std::get<Timeline>(make())); };
        what.jsonTitle = u"Chrome trace"_s;
    }
    return what;
}

Exportable ofPicture(const PictureRow& row, const SharedResult& result, const Selection& at) {
    return ofPicture(row, result, at, [make = row.make, result, at] { return make({*result, at, {}}); });
}

Exportable ofTable(const TableRow& row, const SharedResult& result, const Selection& at,
                   const std::function<report::Table()>& make) {
    Exportable what = named(row, result, at);
    what.name += u"-table"_s;
    what.title = u"%1 (table)"_s.arg(what.title);
    what.csv = [make] { return report::toCsv(make()); };
    return what;
}

/// A file alone: one that names others beside it is for those who know where it will be.
Exportable ofFile(const FileRow& row, const SharedResult& result, const Selection& at) {
    Exportable what = named(row, result, at);
    what.file = [make = row.make, result, at] { return make({*result, at, {}}, {}).front().second; };
    what.fileSuffix = toQt(row.suffix.substr(1));
    what.fileTitle = u"%1 (.%2)"_s.arg(toQt(row.title), what.fileSuffix);
    return what;
}

}  // namespace

QVector<Exportable> everything(const SharedResult& result, const Selection& at) {
    QVector<Exportable> all;
    if (result == nullptr) return all;
    const report::Catalogue& catalogue = report::catalogueOf(result->study.engine);
    for (const PictureRow& row : catalogue.pictures)
        if ((row.where & report::kWindow) != 0)
            for (const Selection& each : report::selectionsOf(row, *result, at))
                all.append(ofPicture(row, result, each));
    for (const TableRow& row : catalogue.tables)
        if ((row.where & report::kWindow) != 0)
            for (const Selection& each : report::selectionsOf(row, *result, at))
                all.append(ofTable(row, result, each, [make = row.exact ? row.exact : row.make, result, each] {
                    return make({*result, each, {}});
                }));
    all += files(result, at);
    all.append(document(result));
    return all;
}

QVector<Exportable> files(const SharedResult& result, const Selection& at) {
    QVector<Exportable> all;
    for (const FileRow& row : report::catalogueOf(result->study.engine).files)
        if ((row.where & report::kWindow) != 0)
            for (const Selection& each : report::selectionsOf(row, *result, at)) all.append(ofFile(row, result, each));
    return all;
}

QVector<Exportable> solved(const SharedResult& result, std::string_view id,
                           const std::function<report::Picture()>& picture,
                           const std::function<report::Table()>& table) {
    const std::string& engine = result->study.engine;
    return {ofPicture(report::pictureNamed(engine, id), result, {}, picture),
            ofTable(report::tableNamed(engine, id), result, {}, table)};
}

Exportable trace(const SharedResult& result, const Selection& at) {
    if (result == nullptr) return {};
    for (const PictureRow& row : report::catalogueOf(result->study.engine).pictures)
        if ((row.where & report::kTimeline) != 0 && !report::selectionsOf(row, *result, at).empty())
            return ofPicture(row, result, at);
    return {};
}

Exportable document(const SharedResult& result) {
    const std::string subject = report::catalogueOf(result->study.engine).subject(*result);
    return {.name = fileStem(shownText(subject + "-result")),
            .id = u"result"_s,
            .title = u"Result"_s,
            .json =
                [result] {
                    std::string text;
                    study::writeJson(*result, [&](std::string_view part) { text += part; });
                    return text;
                },
            .jsonTitle = u"Result (JSON)"_s};
}

}  // namespace tessera::ui::exports
