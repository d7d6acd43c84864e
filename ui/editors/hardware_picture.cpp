#include "ui/editors/hardware_picture.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QSvgRenderer>
#include <QVBoxLayout>
#include <map>
#include <optional>

#include "core/base/text.h"
#include "core/report/picture.h"
#include "ui/editors/words.h"
#include "ui/theme/theme.h"
#include "ui/views/plot_widget.h"

namespace tessera::ui {

namespace {

QString shown(const std::string& text) {
    return QString::fromStdString(escaped(text, 80));
}

QString quantity(double value, Measure measure) {
    return QString::fromStdString(formatQuantity(value, measure));
}

/// Peak rates of the whole fleet in the data types that every group has.
std::map<std::string, double> sharedPeaks(const hardware::Fleet& fleet) {
    std::map<std::string, double> peaks;
    bool first = true;
    for (const hardware::Group& group : fleet.groups) {
        std::map<std::string, double> now;
        for (const auto& [type, rate] : group.accelerator.peakFlops) {
            const double own = rate.value * static_cast<double>(group.count);
            if (first || peaks.contains(type)) now[type] = own + (first ? 0 : peaks[type]);
        }
        peaks = now;
        first = false;
    }
    return peaks;
}

std::optional<double> totalMemory(const hardware::Fleet& fleet) {
    double bytes = 0;
    for (const hardware::Group& group : fleet.groups) {
        const auto capacity = hardware::memoryCapacity(group.accelerator);
        if (!capacity) return std::nullopt;
        bytes += capacity->value * static_cast<double>(group.count);
    }
    return bytes;
}

constexpr int kWidestPage = 960;

/// The part of a drawing that is not empty: pages are wider than a fleet of two groups.
QRect inkOf(QSvgRenderer& renderer) {
    constexpr int kLargestSide = 4000;
    const QSize size = renderer.defaultSize().boundedTo({kLargestSide, kLargestSide});
    if (size.isEmpty()) return renderer.viewBox();
    QImage image(size, QImage::Format_RGB32);
    image.fill(theme().dataColour(report::Theme(report::ThemeKind::light)("surface")));
    QPainter painter(&image);
    renderer.render(&painter, QRectF(QPointF(), renderer.defaultSize()));
    painter.end();
    const QRgb ground = image.pixel(size.width() - 1, size.height() - 1);
    QRect ink;
    for (int y = 0; y < size.height(); ++y) {
        const auto* row = reinterpret_cast<const QRgb*>(image.constScanLine(y));
        int first = 0;
        int last = size.width() - 1;
        while (first < size.width() && row[first] == ground) ++first;
        if (first == size.width()) continue;
        while (row[last] == ground) --last;
        ink |= QRect(first, y, last - first + 1, 1);
    }
    const int margin = theme().spacing();
    return ink.isEmpty() ? renderer.viewBox() : ink.adjusted(-margin, -margin, margin, margin);
}

}  // namespace

FleetView::FleetView(QWidget* parent) : QWidget(parent), renderer_(new QSvgRenderer(this)) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setMinimumSize(theme().spacing(60), theme().spacing(30));
    connect(&theme(), &Theme::changed, this, &FleetView::draw);
}

void FleetView::setFleet(const hardware::Fleet& fleet) {
    fleet_ = fleet;
    draw();
}

void FleetView::draw() {
    if (fleet_.groups.empty()) return;
    const double page = std::min(width(), kWidestPage);
    renderer_->load(QByteArray::fromStdString(report::fleetDrawing(fleet_, report::Theme(theme().kind()), page)));
    ink_ = renderer_->isValid() ? inkOf(*renderer_) : QRect();
    updateGeometry();
    update();
}

void FleetView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (std::min(event->size().width(), kWidestPage) != std::min(event->oldSize().width(), kWidestPage)) draw();
}

QSize FleetView::sizeHint() const {
    return ink_.isEmpty() ? QSize(480, 320) : ink_.size();
}

void FleetView::paintEvent(QPaintEvent* /*event*/) {
    if (ink_.isEmpty()) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    // Never larger than half as large again: letters of a small fleet would shout.
    const double scale = std::min({1.5, width() / double(ink_.width()), height() / double(ink_.height())});
    const QPointF corner((width() - ink_.width() * scale) / 2, 0);
    const QSizeF page = QSizeF(renderer_->defaultSize()) * scale;
    renderer_->render(&painter, QRectF(corner - QPointF(ink_.topLeft()) * scale, page));
}

HardwarePicture::HardwarePicture(QWidget* parent)
    : QWidget(parent),
      totals_(new QLabel(this)),
      stale_(new QLabel(this)),
      types_(new QComboBox(this)),
      plot_(new PlotWidget(this)),
      drawing_(new FleetView(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme().spacing(2));
    auto* head = new QHBoxLayout;
    for (QLabel* label : {totals_, stale_}) label->setTextFormat(Qt::PlainText);
    totals_->setWordWrap(true);
    setLook(*totals_, "tone", QStringLiteral("secondary"));
    setLook(*stale_, "tone", QStringLiteral("warning"));
    setLook(*stale_, "letters", QStringLiteral("caption"));
    stale_->setWordWrap(true);
    head->addWidget(totals_, 1);
    head->addWidget(types_, 0, Qt::AlignTop);
    types_->setAccessibleName(tr("Data type of the roofline"));
    plot_->setAccessibleName(tr("Roofline"));
    drawing_->setAccessibleName(tr("Drawing of the fleet"));
    layout->addLayout(head);
    layout->addWidget(stale_);
    layout->addWidget(plot_, 1);
    layout->addWidget(drawing_, 1);
    for (QWidget* each : {static_cast<QWidget*>(types_), static_cast<QWidget*>(plot_), static_cast<QWidget*>(drawing_),
                          static_cast<QWidget*>(stale_)})
        each->hide();
    connect(types_, &QComboBox::activated, this, &HardwarePicture::drawRoofline);
}

void HardwarePicture::setPreview(const Preview& preview) {
    preview_ = preview;
    if (const auto* accelerator = std::get_if<hardware::Accelerator>(&preview_)) showAccelerator(*accelerator);
    if (const auto* fleet = std::get_if<hardware::Fleet>(&preview_)) showFleet(*fleet);
}

void HardwarePicture::setStale(bool stale) {
    stale_->setText(preview_.index() != 0 ? tr("The picture shows the last set-up that was right.")
                                          : tr("The picture appears once the set-up is right."));
    stale_->setVisible(stale);
}

QString HardwarePicture::dataType() const {
    return types_->currentText();
}

void HardwarePicture::setDataType(const QString& type) {
    const int at = types_->findText(type);
    if (at < 0) return;
    types_->setCurrentIndex(at);
    drawRoofline();
}

void HardwarePicture::showAccelerator(const hardware::Accelerator& accelerator) {
    const QString before = dataType();
    {
        const QSignalBlocker quiet(types_);
        types_->clear();
        for (const auto& [type, rate] : accelerator.peakFlops) types_->addItem(QString::fromStdString(type));
        types_->setCurrentIndex(std::max(types_->findText(before), 0));
    }
    types_->setVisible(types_->count() > 1);
    plot_->show();
    QStringList facts;
    if (const auto capacity = hardware::memoryCapacity(accelerator))
        facts << tr("%1 of memory").arg(exactQuantity(capacity->value, Measure::bytes));
    if (accelerator.network)
        facts << tr("%1 of network").arg(quantity(toBitsPerSecond(*accelerator.network), Measure::bitsPerSecond));
    if (accelerator.power) facts << quantity(accelerator.power->value, Measure::watts);
    totals_->setText(facts.join(QStringLiteral(" · ")));
    drawRoofline();
}

void HardwarePicture::drawRoofline() {
    const auto* accelerator = std::get_if<hardware::Accelerator>(&preview_);
    if (accelerator != nullptr) plot_->setChart(report::roofline(*accelerator, dataType().toStdString()));
}

void HardwarePicture::showFleet(const hardware::Fleet& fleet) {
    drawing_->show();
    drawing_->setFleet(fleet);
    QStringList facts;
    facts << tr("%1 in %2")
                 .arg(words::counted(static_cast<double>(hardware::acceleratorCount(fleet)), "accelerator",
                                     "accelerators"),
                      words::counted(static_cast<double>(fleet.groups.size()), "group", "groups"));
    for (const auto& [type, rate] : sharedPeaks(fleet))
        facts << QStringLiteral("%1 %2").arg(quantity(rate, Measure::flopsPerSecond), shown(type));
    if (const auto memory = totalMemory(fleet)) facts << tr("%1 of memory").arg(quantity(*memory, Measure::bytes));
    totals_->setText(facts.mid(0, 5).join(QStringLiteral(" · ")));
}

QVector<Exportable> HardwarePicture::exportables() const {
    if (std::holds_alternative<hardware::Accelerator>(preview_)) return {plot_->exportable()};
    const auto* fleet = std::get_if<hardware::Fleet>(&preview_);
    if (fleet == nullptr) return {};
    Exportable drawing;
    drawing.name = QStringLiteral("fleet");
    drawing.svg = [value = *fleet](const report::Theme& colours) { return report::fleetDrawing(value, colours); };
    return {drawing};
}

}  // namespace tessera::ui
