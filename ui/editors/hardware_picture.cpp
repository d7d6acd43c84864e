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
#include "core/draw/picture.h"
#include "core/report/hardware_pictures.h"
#include "core/report/platform_picture.h"
#include "core/report/template_pictures.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

QString quantity(double value, Measure measure) {
    return toQt(formatQuantity(value, measure));
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
constexpr int kPartsHeight = 40;  // steps of spacing

using Jobs = std::shared_ptr<std::vector<cost::Job>>;

/// The six sizes in words: "64 × 3 × 224 × 224, kernel 7 × 7".
QString sizesOf(const model::LayerJob& layer) {
    const auto& d = layer.d;
    switch (layer.kind) {
        case model::JobKind::ffn:
            return u"%1 × %2"_s.arg(d[0]).arg(d[1]);
        case model::JobKind::gemm:
            return u"%1 × %2 × %3"_s.arg(d[0]).arg(d[1]).arg(d[2]);
        case model::JobKind::conv:
        case model::JobKind::dsconv:
            break;
    }
    return u"%1 × %2 × %3 × %4, %5 × %6"_s.arg(d[0]).arg(d[1]).arg(d[2]).arg(d[3]).arg(d[4]).arg(d[5]);
}

QVector<TableModel::Column> jobColumns(const Jobs& jobs) {
    const auto at = [jobs](int row) -> const cost::Job& { return (*jobs)[static_cast<std::size_t>(row)]; };
    TableModel::Column number{u"Job"_s, [](int row) { return QString::number(row); }};
    number.sort = [](int row) { return QVariant(row); };
    number.number = true;
    TableModel::Column runs{u"Runs"_s, [at](int row) { return QString::number(at(row).layer.repeats); }};
    runs.sort = [at](int row) { return QVariant::fromValue<qlonglong>(at(row).layer.repeats); };
    runs.number = true;
    runs.help = u"How often the sizes run in sequence"_s;
    TableModel::Column macs{u"MACs"_s, [at](int row) { return quantity(model::macs(at(row).layer), Measure::count); }};
    macs.sort = [at](int row) { return QVariant(model::macs(at(row).layer)); };
    macs.number = true;
    macs.summed = true;
    macs.sumText = [](double sum) { return quantity(sum, Measure::count); };
    macs.help = u"Multiply-accumulates"_s;
    return {number,
            {u"Model"_s, [at](int row) { return shownText(at(row).model, 80); }},
            {u"Layer"_s, [at](int row) { return shownText(at(row).layer.name, 80); }},
            {u"Kind"_s, [at](int row) { return shownText(at(row).kind, 80); }},
            {u"Type"_s, [at](int row) { return toQt(nameOf(at(row).layer.kind)); }},
            {u"Sizes"_s, [at](int row) { return sizesOf(at(row).layer); }},
            runs,
            macs};
}

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

void FleetView::setDrawing(Drawing drawing) {
    drawing_ = std::move(drawing);
    draw();
}

void FleetView::draw() {
    if (!drawing_) return;
    const double page = std::min(width(), kWidestPage);
    renderer_->load(QByteArray::fromStdString(drawing_(report::Theme(theme().kind()), page)));
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
      parts_(new PlotWidget(this)),
      drawing_(new FleetView(this)),
      jobs_(std::make_shared<std::vector<cost::Job>>()),
      jobModel_(new TableModel(jobColumns(jobs_), this)),
      jobTable_(new TableView(jobModel_, u"Group of jobs"_s, this)) {
    auto* layout = bareLayout<QVBoxLayout>(this, theme().spacing(2));
    auto* head = new QHBoxLayout;
    for (QLabel* label : {totals_, stale_}) label->setTextFormat(Qt::PlainText);
    totals_->setWordWrap(true);
    setLook(*totals_, "tone", u"secondary"_s);
    setLook(*stale_, "tone", u"warning"_s);
    setLook(*stale_, "letters", u"caption"_s);
    stale_->setWordWrap(true);
    head->addWidget(totals_, 1);
    head->addWidget(types_, 0, Qt::AlignTop);
    types_->setAccessibleName(u"Data type of the roofline"_s);
    plot_->setAccessibleName(u"Roofline"_s);
    drawing_->setAccessibleName(u"Drawing of the hardware"_s);
    layout->addLayout(head);
    layout->addWidget(stale_);
    layout->addWidget(parts_);
    parts_->setAccessibleName(u"Area of the reference by its parts"_s);
    parts_->setExplainable(false);
    parts_->setFixedHeight(theme().spacing(kPartsHeight));
    layout->addWidget(plot_, 1);
    layout->addWidget(drawing_, 1);
    layout->addWidget(jobTable_, 1);
    for (QWidget* each :
         {static_cast<QWidget*>(types_), static_cast<QWidget*>(plot_), static_cast<QWidget*>(parts_),
          static_cast<QWidget*>(drawing_), static_cast<QWidget*>(jobTable_), static_cast<QWidget*>(stale_)})
        each->hide();
    connect(types_, &QComboBox::activated, this, &HardwarePicture::drawRoofline);
}

/// Where there is no room for both, the histogram has all of it: what the reference takes is said above it, too.
void HardwarePicture::arrangeCharts() {
    const auto* counted = std::get_if<CountedTemplate>(&preview_);
    parts_->setVisible(counted != nullptr && counted->space.reference && height() >= 3 * theme().spacing(kPartsHeight));
}

void HardwarePicture::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrangeCharts();
}

void HardwarePicture::setPreview(const Preview& preview) {
    preview_ = preview;
    if (const auto* accelerator = std::get_if<hardware::Accelerator>(&preview_)) showAccelerator(*accelerator);
    if (const auto* fleet = std::get_if<hardware::Fleet>(&preview_)) showFleet(*fleet);
    if (const auto* platform = std::get_if<hardware::Platform>(&preview_)) showPlatform(*platform);
    if (const auto* counted = std::get_if<CountedTemplate>(&preview_)) showTemplate(*counted);
    if (const auto* drawn = std::get_if<DrawnWorkload>(&preview_)) showWorkload(*drawn);
}

void HardwarePicture::setStale(bool stale) {
    stale_->setText(preview_.index() != 0 ? u"The picture shows the last valid set-up."_s
                                          : u"The picture appears once the set-up is valid."_s);
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
        for (const auto& [type, rate] : accelerator.peakFlops) types_->addItem(toQt(type));
        types_->setCurrentIndex(std::max(types_->findText(before), 0));
    }
    types_->setVisible(types_->count() > 1);
    plot_->show();
    QStringList facts;
    if (const auto capacity = hardware::memoryCapacity(accelerator))
        facts << u"%1 of memory"_s.arg(exactQuantity(capacity->value, Measure::bytes));
    if (accelerator.network)
        facts << u"%1 of network"_s.arg(quantity(toBitsPerSecond(*accelerator.network), Measure::bitsPerSecond));
    if (accelerator.power) facts << quantity(accelerator.power->value, Measure::watts);
    totals_->setText(facts.join(u" · "_s));
    drawRoofline();
}

void HardwarePicture::drawRoofline() {
    const auto* accelerator = std::get_if<hardware::Accelerator>(&preview_);
    if (accelerator != nullptr) plot_->setChart(report::roofline(*accelerator, dataType().toStdString()));
}

void HardwarePicture::showFleet(const hardware::Fleet& fleet) {
    drawing_->show();
    drawing_->setDrawing(
        [fleet](const report::Theme& colours, double width) { return report::fleetDrawing(fleet, colours, width); });
    QStringList facts;
    facts << u"%1 in %2"_s.arg(counted(hardware::acceleratorCount(fleet), "accelerator", "accelerators"),
                               counted(fleet.groups.size(), "group", "groups"));
    for (const auto& [type, rate] : sharedPeaks(fleet))
        facts << u"%1 %2"_s.arg(quantity(rate, Measure::flopsPerSecond), shownText(type, 80));
    if (const auto memory = totalMemory(fleet)) facts << u"%1 of memory"_s.arg(quantity(*memory, Measure::bytes));
    totals_->setText(facts.mid(0, 5).join(u" · "_s));
}

void HardwarePicture::showPlatform(const hardware::Platform& platform) {
    drawing_->show();
    drawing_->setDrawing([platform](const report::Theme& colours, double width) {
        return report::platformDrawing(platform, colours, width);
    });
    const QStringList facts{
        counted(hardware::coreCount(platform), "core", "cores"),
        counted(hardware::elementCount(platform), "processing element", "processing elements"),
        u"%1 at most"_s.arg(quantity(2 * static_cast<double>(hardware::elementCount(platform)) * platform.clock.value,
                                     Measure::flopsPerSecond))};
    totals_->setText(facts.join(u" · "_s));
}

void HardwarePicture::showTemplate(const CountedTemplate& counted) {
    const hardware::Template& space = counted.space;
    QStringList facts{
        u"%1, %2 with their HBM"_s.arg(ui::counted(counted.census.areas.size(), "accelerator", "accelerators"),
                                       countText(counted.census.areas.size() * space.hbm.values.size())),
        u"%1 within %2"_s.arg(countText(counted.census.within), quantity(counted.census.bound.value, Measure::area))};
    if (counted.census.estimated > 0)
        facts << u"areas of %1 of them are estimates: the table lacks the size of a buffer"_s.arg(
            countText(counted.census.estimated));
    totals_->setText(facts.join(u" · "_s));
    arrangeCharts();
    parts_->setChart(report::referenceAreaChart(space));
    plot_->setAccessibleName(u"Accelerators by area"_s);
    plot_->setExplainable(false);
    plot_->show();
    plot_->setChart(report::areaCensusChart(space, counted.census));
}

void HardwarePicture::showWorkload(const DrawnWorkload& drawn) {
    *jobs_ = drawn.group;
    jobModel_->setRowCount(static_cast<int>(jobs_->size()));
    jobTable_->show();
    QStringList facts{u"A group of %1, drawn with seed 1"_s.arg(counted(jobs_->size(), "job", "jobs"))};
    for (const auto& [kind, count] : cost::countsByKind(*jobs_))
        facts << u"%1 %2"_s.arg(countText(count), kind.empty() ? u"of no kind"_s : shownText(kind, 80));
    totals_->setText(facts.mid(0, 7).join(u" · "_s));
}

QVector<Exportable> HardwarePicture::exportables() const {
    if (std::holds_alternative<hardware::Accelerator>(preview_)) return {plot_->exportable()};
    if (const auto* counted = std::get_if<CountedTemplate>(&preview_))
        return counted->space.reference ? QVector<Exportable>{parts_->exportable(), plot_->exportable()}
                                        : QVector<Exportable>{plot_->exportable()};
    if (std::holds_alternative<DrawnWorkload>(preview_)) return {jobTable_->exportable()};
    if (const auto* platform = std::get_if<hardware::Platform>(&preview_)) {
        Exportable drawing;
        drawing.name = u"platform"_s;
        drawing.svg = [value = *platform](const report::Theme& colours) {
            return report::platformDrawing(value, colours);
        };
        return {drawing};
    }
    const auto* fleet = std::get_if<hardware::Fleet>(&preview_);
    if (fleet == nullptr) return {};
    Exportable drawing;
    drawing.name = u"fleet"_s;
    drawing.svg = [value = *fleet](const report::Theme& colours) { return report::fleetDrawing(value, colours); };
    return {drawing};
}

}  // namespace tessera::ui
