#include "ui/editors/hardware_facts.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/field.h"
#include "ui/models/text.h"

namespace tessera::ui {

namespace {

constexpr std::size_t kMaxGroupsListed = 12;
constexpr std::size_t kMaxValuesListed = 100;  // of a section

QString capital(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

/// What a document says, by sections: its own values come under `title`. Entries of lists are left to `entries`.
QVector<Facts::Section> sectionsOf(const hardware::Kind& kind, const Json& document, bool entries) {
    QVector<Facts::Section> sections{{.title = toQt(kind.title), .rows = {}}};
    for (const hardware::ShownValue& shown : hardware::shownValues(kind.fields, document)) {
        if (shown.path == "name" || (!shown.entry.empty() && (!entries || shown.title == "Name"))) continue;
        const QString title = toQt(shown.section);
        const auto known = std::find_if(sections.begin(), sections.end(),
                                        [&](const Facts::Section& each) { return each.title == title; });
        const bool isNew = !title.isEmpty() && known == sections.end();
        if (isNew) sections.append({.title = title, .rows = {}});
        Facts::Section& section = isNew ? sections.back() : title.isEmpty() ? sections.front() : *known;
        if (section.rows.size() < static_cast<qsizetype>(kMaxValuesListed))
            section.rows.append({.label = capital(shownText(shown.label)),
                                 .value = shownText(shown.value),
                                 .exact = toQt(shown.exact)});
    }
    return sections;
}

Facts factsOf(const hardware::Accelerator& accelerator) {
    Facts facts;
    facts.subtitle =
        accelerator.vendor.empty() ? tr("Accelerator") : tr("Accelerator by %1").arg(shownText(accelerator.vendor));
    facts.sections = sectionsOf(hardware::acceleratorKind(), hardware::toJson(accelerator), true);
    return facts;
}

QString count(double number) {
    return toQt(formatCount(number));
}

/// A row per entry, as `rowOf` makes it; what is beyond the longest list is counted in the note, as `more` says it.
template <typename Entries, typename RowOf>
Facts withList(Facts facts, const QString& title, const Entries& entries, const QString& more, RowOf rowOf) {
    Facts::Section section{.title = title, .rows = {}};
    for (const auto& entry : entries)
        if (static_cast<std::size_t>(section.rows.size()) < kMaxGroupsListed) section.rows.append(rowOf(entry));
    if (entries.size() > kMaxGroupsListed && !more.isEmpty()) facts.note = more.arg(entries.size() - kMaxGroupsListed);
    facts.sections.append(section);
    return facts;
}

Facts factsOf(const hardware::Fleet& fleet) {
    Facts facts;
    facts.subtitle = tr("Fleet");
    Facts::Section whole{
        .title = tr("Fleet"),
        .rows = {{.label = tr("Accelerators"), .value = count(static_cast<double>(hardware::acceleratorCount(fleet)))},
                 {.label = tr("Groups"), .value = QString::number(fleet.groups.size())}}};
    facts.sections = {whole};
    return withList(facts, tr("Groups"), fleet.groups, tr("and %1 more groups"), [](const hardware::Group& group) {
        const std::string& name = group.accelerator.name.empty() ? group.accelerator.id : group.accelerator.name;
        return Facts::Row{
            .label = shownText(group.name),
            .value = QStringLiteral("%1 × %2").arg(count(static_cast<double>(group.count)), shownText(name))};
    });
}

Facts factsOf(const hardware::Platform& platform) {
    Facts facts;
    facts.subtitle = tr("Platform");
    Facts::Section whole{
        .title = tr("Platform"),
        .rows = {{.label = tr("Cores"), .value = count(static_cast<double>(hardware::coreCount(platform)))},
                 {.label = tr("Processing elements"),
                  .value = count(static_cast<double>(hardware::elementCount(platform)))}}};
    whole.rows += sectionsOf(hardware::platformKind(), hardware::toJson(platform), false).front().rows;
    facts.sections = {whole};
    return withList(facts, tr("Sub-accelerators"), platform.subAccelerators, tr("and %1 more rows"),
                    [](const hardware::SubAccelerator& core) {
                        return Facts::Row{.label = shownText(core.name),
                                          .value = QStringLiteral("%1 × (%2 × %3, %4)")
                                                       .arg(count(static_cast<double>(core.count)))
                                                       .arg(core.height)
                                                       .arg(core.width)
                                                       .arg(shownText(core.dataflow.name))};
                    });
}

Facts factsOf(const CountedTemplate& counted) {
    Facts facts;
    facts.subtitle = tr("Template");
    facts.sections = sectionsOf(hardware::templateKind(), hardware::toJson(counted.space), false);
    const double bound = counted.census.bound.value;
    facts.sections.front().rows =
        QVector<Facts::Row>{
            {.label = tr("Accelerators"), .value = count(static_cast<double>(counted.census.areas.size()))},
            {.label = tr("Within the bound"), .value = count(static_cast<double>(counted.census.within))},
            {.label = tr("Largest area"),
             .value = toQt(formatQuantity(bound, Measure::area)),
             .exact = toQt(exactNumber(bound))}} +
        facts.sections.front().rows;
    return facts;
}

Facts factsOf(const DrawnWorkload& drawn) {
    Facts facts;
    facts.subtitle = tr("Workload");
    Facts::Section whole{
        .title = tr("Workload"),
        .rows = {{.label = tr("Models"), .value = QString::number(drawn.workload.sources.size())},
                 {.label = tr("Jobs of a group"), .value = count(static_cast<double>(drawn.group.size()))}}};
    facts.sections = {whole};
    return withList(facts, tr("Jobs by kind"), cost::countsByKind(drawn.group), {}, [](const auto& entry) {
        return Facts::Row{.label = entry.first.empty() ? tr("of no kind") : shownText(entry.first),
                          .value = count(static_cast<double>(entry.second))};
    });
}

}  // namespace

Facts hardwareFacts(const Preview& preview) {
    Facts facts;
    if (const auto* accelerator = std::get_if<hardware::Accelerator>(&preview)) facts = factsOf(*accelerator);
    if (const auto* fleet = std::get_if<hardware::Fleet>(&preview)) facts = factsOf(*fleet);
    if (const auto* platform = std::get_if<hardware::Platform>(&preview)) facts = factsOf(*platform);
    if (const auto* counted = std::get_if<CountedTemplate>(&preview)) facts = factsOf(*counted);
    if (const auto* drawn = std::get_if<DrawnWorkload>(&preview)) facts = factsOf(*drawn);
    facts.sections.removeIf([](const Facts::Section& section) { return section.rows.isEmpty(); });
    return facts;
}

}  // namespace tessera::ui
