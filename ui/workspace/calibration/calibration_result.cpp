#include "ui/workspace/calibration/calibration_result.h"

#include <QStringList>
#include <QTabWidget>
#include <QVBoxLayout>

#include "ui/models/table_columns.h"
#include "ui/models/table_model.h"
#include "ui/models/text.h"
#include "ui/views/headline_bar.h"
#include "ui/views/message_bar.h"
#include "ui/views/table_view.h"
#include "ui/views/text_label.h"
#include "ui/workspace/words.h"

namespace tessera::ui {

namespace {

QString percent(double share) {
    return CalibrationResult::tr("%1 %").arg(100 * share, 0, 'f', 1);
}

TableModel::Column rateColumn(const std::vector<calibrate::Rate>& rates) {
    TableModel::Column column;
    column.title = CalibrationResult::tr("Rate");
    column.text = [&rates](int row) {
        const calibrate::Rate& rate = rates[static_cast<std::size_t>(row)];
        return columns::quantity(rate.value, rate.measure);
    };
    column.exact = [&rates](int row) { return columns::exact(rates[static_cast<std::size_t>(row)].value); };
    column.sort = [&rates](int row) { return QVariant(rates[static_cast<std::size_t>(row)].value); };
    column.number = true;
    return column;
}

TableModel::Column capacityColumn(const std::vector<calibrate::Rate>& rates) {
    TableModel::Column column;
    column.title = CalibrationResult::tr("Capacity");
    const auto capacity = [&rates](int row) { return rates[static_cast<std::size_t>(row)].capacity; };
    column.text = [capacity](int row) {
        return capacity(row) ? columns::quantity(capacity(row)->value, Measure::bytes) : QString();
    };
    column.exact = [capacity](int row) { return capacity(row) ? columns::exact(capacity(row)->value) : QString(); };
    column.sort = [capacity](int row) { return capacity(row) ? QVariant(capacity(row)->value) : QVariant(); };
    column.number = true;
    return column;
}

}  // namespace

CalibrationResult::CalibrationResult(QWidget* parent)
    : QWidget(parent),
      headlines_(new HeadlineBar),
      verdict_(new MessageBar),
      trouble_(new MessageBar),
      warnings_(textLabel({}, Theme::Text::base, QStringLiteral("warning"), false, true)),
      counts_(textLabel({}, Theme::Text::caption, QStringLiteral("secondary"), false, true)),
      place_(textLabel({}, Theme::Text::caption, QStringLiteral("secondary"), false, true)),
      tabs_(new QTabWidget) {
    const auto measured = [this](int row) -> const calibrate::Measured& {
        return made_->kernels.measured[static_cast<std::size_t>(row)];
    };
    rateModel_ = new TableModel(
        {columns::words(tr("What"), [this](int row) { return shown(rates_[static_cast<std::size_t>(row)].name); }),
         rateColumn(rates_), capacityColumn(rates_)},
        this);
    TableModel::Column spread = columns::number(
        tr("Spread"), Measure::count, [measured](int row) { return measured(row).spread(); }, {},
        tr("Half of the range between the quartiles of the repetitions, of the median: the larger, the noisier"));
    spread.text = [measured](int row) { return percent(measured(row).spread()); };
    kernelModel_ = new TableModel(
        {columns::words(tr("Kernel"), [measured](int row) { return shown(measured(row).request.kernel); }),
         columns::words(tr("Shape"),
                        [measured](int row) { return toQt(calibrate::shapeText(measured(row).request.sizes)); }),
         columns::words(tr("Type"), [measured](int row) { return shown(measured(row).request.dtype); }),
         columns::number(
             tr("Time"), Measure::seconds, [measured](int row) { return measured(row).seconds(); }, {},
             tr("Median of the repetitions, the mean of both passes")),
         spread},
        this);
    auto* rates = new TableView(rateModel_, tr("Rates"));
    rates->setFilterVisible(false);
    auto* kernels = new TableView(kernelModel_, tr("Kernels"));
    kernels->setEmptyText(tr("No kernel was reached in the time. Measure for longer."));
    tabs_->addTab(rates, tr("Rates"));
    tabs_->addTab(kernels, tr("Kernels"));
    for (QLabel* label : {warnings_, counts_, place_})
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(headlines_);
    column->addWidget(trouble_);
    column->addWidget(verdict_);
    const int side = theme().spacing(4);
    warnings_->setContentsMargins(side, theme().spacing(2), side, theme().spacing());
    column->addWidget(warnings_);
    column->addWidget(tabs_, 1);
    auto* foot = new QVBoxLayout;
    foot->setContentsMargins(side, theme().spacing(2), side, theme().spacing(2));
    foot->setSpacing(theme().spacing());
    foot->addWidget(counts_);
    foot->addWidget(place_);
    column->addLayout(foot);
}

void CalibrationResult::setCalibration(const std::shared_ptr<const calibrate::Calibration>& made) {
    made_ = made;
    rates_ = calibrate::ratesOf(made->accelerator);
    rateModel_->setRowCount(static_cast<int>(rates_.size()));
    kernelModel_->setRowCount(static_cast<int>(made->kernels.measured.size()));
    tabs_->setTabText(1, tr("Kernels (%1)").arg(columns::count(static_cast<double>(made->kernels.measured.size()))));
    tabs_->setCurrentIndex(0);
    verdict_->showMessage(made->agreement.noisy ? MessageBar::Kind::warning : MessageBar::Kind::good,
                          toQt(made->agreement.sentence));
    QStringList sentences;
    for (const std::string& warning : made->warnings)
        if (warning != made->agreement.sentence) sentences << shown(warning);
    warnings_->setText(sentences.join(QLatin1Char('\n')));
    warnings_->setVisible(!sentences.isEmpty());
    counts_->setText(counts());

    QVector<Headline> headlines;
    const hardware::Accelerator& accelerator = made->accelerator;
    if (const auto peak = accelerator.peakFlops.find("fp32"); peak != accelerator.peakFlops.end())
        headlines.append(
            {.value = columns::quantity(peak->second.value, Measure::flopsPerSecond), .label = tr("peak in fp32")});
    if (!accelerator.memory.empty() && accelerator.memory.back().bandwidth)
        headlines.append(
            {.value = columns::quantity(accelerator.memory.back().bandwidth->value, Measure::bytesPerSecond),
             .label = tr("from %1").arg(shown(accelerator.memory.back().name))});
    headlines.append({.value = columns::count(static_cast<double>(made->kernels.measured.size())),
                      .label = tr("kernels and shapes")});
    if (made->agreement.compared > 0)
        headlines.append({.value = percent(made->agreement.difference),
                          .label = tr("between two passes"),
                          .detail = made->agreement.noisy ? tr("noisy") : tr("quiet"),
                          .tone = made->agreement.noisy ? QStringLiteral("warning") : QStringLiteral("good")});
    headlines_->setHeadlines(headlines);
}

/// What was counted, in one line.
QString CalibrationResult::counts() const {
    const calibrate::Outcome& kernels = made_->kernels;
    QStringList parts{counted(static_cast<double>(kernels.repetitions), "repetition", "repetitions"),
                      counted(static_cast<double>(kernels.dropped), "outlier left out", "outliers left out")};
    if (!kernels.outOfTime.empty())
        parts << tr("%1 not reached").arg(columns::count(static_cast<double>(kernels.outOfTime.size())));
    if (!kernels.unknown.empty())
        parts << tr("%1 that no kernel is known for").arg(columns::count(static_cast<double>(kernels.unknown.size())));
    QString by = shown(made_->measuredBy);
    if (!by.isEmpty()) by[0] = by[0].toUpper();
    return by + QStringLiteral("\n") + parts.join(QStringLiteral(" · "));
}

void CalibrationResult::showWritten(const calibrate::Files& files) {
    trouble_->hide();
    place_->setText(
        tr("Kept in %1, its kernels in %2").arg(toQt(files.accelerator.string()), toQt(files.kernels.string())));
    place_->show();
}

void CalibrationResult::showNotWritten(const QString& problem) {
    place_->hide();
    trouble_->showMessage(MessageBar::Kind::bad, tr("It is not kept yet. %1").arg(problem), tr("Keep it elsewhere…"),
                          [this] { emit placeRequested(); });
}

}  // namespace tessera::ui
