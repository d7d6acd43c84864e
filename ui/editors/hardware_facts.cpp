#include "ui/editors/hardware_facts.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/base/text.h"
#include "ui/models/text.h"

namespace tessera::ui {

namespace {

constexpr std::size_t kMostGroupsListed = 12;

QString tr(const char* text) {
    return QCoreApplication::translate("tessera::ui::hardwareFacts", text);
}

Facts::Row quantity(const QString& label, double value, Measure measure) {
    return {.label = label,
            .value = QString::fromStdString(formatQuantity(value, measure)),
            .exact = QString::fromStdString(exactNumber(value))};
}

Facts::Section peakFacts(const hardware::Accelerator& accelerator) {
    Facts::Section section{.title = tr("Peak rate"), .rows = {}};
    for (const auto& [dtype, rate] : accelerator.peakFlops)
        section.rows.append(quantity(shownText(dtype), rate.value, Measure::flopsPerSecond));
    return section;
}

Facts::Section memoryFacts(const hardware::Accelerator& accelerator) {
    Facts::Section section{.title = tr("Memory and network"), .rows = {}};
    for (const hardware::MemoryLevel& level : accelerator.memory) {
        const QString name = shownText(level.name);
        if (level.capacity) section.rows.append(quantity(name, level.capacity->value, Measure::bytes));
        if (level.bandwidth)
            section.rows.append(
                quantity(tr("%1 bandwidth").arg(name), level.bandwidth->value, Measure::bytesPerSecond));
    }
    if (accelerator.network)
        section.rows.append(quantity(tr("Network"), accelerator.network->value, Measure::bytesPerSecond));
    if (accelerator.power) section.rows.append(quantity(tr("Power"), accelerator.power->value, Measure::watts));
    return section;
}

Facts factsOf(const hardware::Accelerator& accelerator) {
    Facts facts;
    facts.subtitle =
        accelerator.vendor.empty() ? tr("Accelerator") : tr("Accelerator by %1").arg(shownText(accelerator.vendor));
    facts.sections = {peakFacts(accelerator), memoryFacts(accelerator)};
    return facts;
}

Facts factsOf(const hardware::Fleet& fleet) {
    Facts facts;
    facts.subtitle = tr("Fleet");
    Facts::Section whole{
        .title = tr("Fleet"),
        .rows = {{.label = tr("Accelerators"),
                  .value = QString::fromStdString(formatCount(static_cast<double>(hardware::acceleratorCount(fleet))))},
                 {.label = tr("Groups"), .value = QString::number(fleet.groups.size())}}};
    Facts::Section groups{.title = tr("Groups"), .rows = {}};
    for (const hardware::Group& group : fleet.groups) {
        if (static_cast<std::size_t>(groups.rows.size()) == kMostGroupsListed) {
            facts.note = tr("and %1 more groups").arg(fleet.groups.size() - kMostGroupsListed);
            break;
        }
        const std::string& name = group.accelerator.name.empty() ? group.accelerator.id : group.accelerator.name;
        groups.rows.append(
            {.label = shownText(group.name),
             .value = QStringLiteral("%1 × %2").arg(
                 QString::fromStdString(formatCount(static_cast<double>(group.count))), shownText(name))});
    }
    facts.sections = {whole, groups};
    return facts;
}

Facts factsOf(const hardware::Platform& platform) {
    Facts facts;
    facts.subtitle = tr("Platform");
    Facts::Section whole{
        .title = tr("Platform"),
        .rows = {{.label = tr("Cores"),
                  .value = QString::fromStdString(formatCount(static_cast<double>(hardware::coreCount(platform))))},
                 {.label = tr("Processing elements"),
                  .value = QString::fromStdString(formatCount(static_cast<double>(hardware::elementCount(platform))))},
                 quantity(tr("Clock"), platform.clock.value, Measure::hertz),
                 quantity(tr("Shared bandwidth"), platform.bandwidth.value, Measure::bytesPerSecond)}};
    Facts::Section rows{.title = tr("Sub-accelerators"), .rows = {}};
    for (const hardware::SubAccelerator& core : platform.subAccelerators) {
        if (static_cast<std::size_t>(rows.rows.size()) == kMostGroupsListed) {
            facts.note = tr("and %1 more rows").arg(platform.subAccelerators.size() - kMostGroupsListed);
            break;
        }
        rows.rows.append({.label = shownText(core.name),
                          .value = QStringLiteral("%1 × (%2 × %3, %4)")
                                       .arg(QString::fromStdString(formatCount(static_cast<double>(core.count))))
                                       .arg(core.height)
                                       .arg(core.width)
                                       .arg(shownText(core.dataflow.name))});
    }
    facts.sections = {whole, rows};
    return facts;
}

QString rangeOf(const hardware::Range& range, Measure measure) {
    const auto text = [&](std::int64_t value) {
        return QString::fromStdString(formatQuantity(static_cast<double>(value), measure));
    };
    const QString ends = range.values.size() == 1
                             ? text(range.values.front())
                             : tr("%1 to %2").arg(text(range.values.front()), text(range.values.back()));
    return tr("%1 (%n)").replace(QStringLiteral("%n"), QString::number(range.values.size())).arg(ends);
}

Facts factsOf(const CountedTemplate& counted) {
    const hardware::Template& space = counted.space;
    Facts facts;
    facts.subtitle = tr("Template");
    Facts::Section whole{
        .title = tr("Template"),
        .rows = {{.label = tr("Accelerators"),
                  .value = QString::fromStdString(formatCount(static_cast<double>(counted.census.areas.size())))},
                 {.label = tr("Within the bound"),
                  .value = QString::fromStdString(formatCount(static_cast<double>(counted.census.within)))},
                 quantity(tr("Bound"), counted.census.bound.value, Measure::area),
                 quantity(tr("Clock"), space.rates.clock.value, Measure::hertz),
                 quantity(tr("HBM bandwidth"), space.rates.hbmBandwidth.value, Measure::bytesPerSecond)}};
    if (space.reference) whole.rows.insert(3, {.label = tr("That of"), .value = shownText(space.reference->name)});
    Facts::Section ranges{.title = tr("What a search tries"),
                          .rows = {{.label = tr("Tensor cores"), .value = rangeOf(space.tensorCores, Measure::count)},
                                   {.label = tr("Vector cores"), .value = rangeOf(space.vectorCores, Measure::count)},
                                   {.label = tr("Array width"), .value = rangeOf(space.width, Measure::count)},
                                   {.label = tr("Array height"), .value = rangeOf(space.height, Measure::count)},
                                   {.label = tr("Global buffer"), .value = rangeOf(space.globalBuffer, Measure::bytes)},
                                   {.label = tr("HBM"), .value = rangeOf(space.hbm, Measure::bytes)}}};
    if (!space.hbmBandwidth.values.empty())
        ranges.rows.push_back(
            {.label = tr("HBM bandwidth"), .value = rangeOf(space.hbmBandwidth, Measure::bytesPerSecond)});
    if (!space.networkBandwidth.values.empty())
        ranges.rows.push_back(
            {.label = tr("Network"), .value = rangeOf(space.networkBandwidth, Measure::bytesPerSecond)});
    facts.sections = {whole, ranges};
    return facts;
}

Facts factsOf(const DrawnWorkload& drawn) {
    Facts facts;
    facts.subtitle = tr("Workload");
    Facts::Section whole{
        .title = tr("Workload"),
        .rows = {{.label = tr("Models"), .value = QString::number(drawn.workload.sources.size())},
                 {.label = tr("Jobs of a group"),
                  .value = QString::fromStdString(formatCount(static_cast<double>(drawn.group.size())))}}};
    Facts::Section kinds{.title = tr("Jobs by kind"), .rows = {}};
    for (const auto& [kind, count] : cost::countsByKind(drawn.group))
        if (static_cast<std::size_t>(kinds.rows.size()) < kMostGroupsListed)
            kinds.rows.append({.label = kind.empty() ? tr("of no kind") : shownText(kind),
                               .value = QString::fromStdString(formatCount(static_cast<double>(count)))});
    facts.sections = {whole, kinds};
    return facts;
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
