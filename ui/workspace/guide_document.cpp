#include "ui/workspace/guide_document.h"

#include <QDesktopServices>
#include <QFontDatabase>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QImage>
#include <QJsonObject>
#include <QListWidget>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextFrame>
#include <QTextList>
#include <QTextTable>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/theme/theme.h"
#include "ui/views/focus_start.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kContentsSteps = 62;  ///< width of the contents, in steps of spacing
constexpr int kColumnSteps = 225;   ///< widest column of text
constexpr int kMarginSteps = 6;
constexpr int kResizeDelay = 60;  ///< ms: pictures follow once a window has stopped changing
constexpr int kPageRole = Qt::UserRole;

bool isCode(const QTextBlock& block) {
    return block.blockFormat().hasProperty(QTextFormat::BlockCodeFence);
}

QTextBlock headingOf(const QTextDocument& document, const QString& title) {
    QTextBlock block = document.begin();
    while (block.isValid() && (block.blockFormat().headingLevel() == 0 || block.text() != title)) block = block.next();
    return block;
}

/// The entry of a field in a list from a block on. A control's name may end with its unit.
QTextBlock entryOf(QTextBlock from, const QString& field) {
    for (const QString& label : {field, field.section(u", "_s, 0, -2)})
        for (QTextBlock block = from; block.isValid() && !label.isEmpty(); block = block.next())
            if (block.textList() != nullptr &&
                (block.text().startsWith(label + u" ("_s) || block.text().startsWith(label + u":"_s)))
                return block;
    return {};
}

}  // namespace

/// Shows pictures no wider than the column of text.
class GuideDocument::Browser : public QTextBrowser {
public:
    using QTextBrowser::QTextBrowser;
    int column = 0;  ///< pixels

    QVariant loadResource(int type, const QUrl& name) override {
        if (type != QTextDocument::ImageResource) return QTextBrowser::loadResource(type, name);
        QImage image(guidePicture(name.path()));
        if (image.isNull() || column <= 0) return image;
        const double scale = devicePixelRatioF();
        const int width = std::min(column, static_cast<int>(image.width() / image.devicePixelRatio()));
        QImage shown = image.scaledToWidth(static_cast<int>(width * scale), Qt::SmoothTransformation);
        shown.setDevicePixelRatio(scale);
        return shown;
    }
};

GuideDocument::GuideDocument(const QString& key, QWidget* parent)
    : Document(parent, key),
      contents_(new QListWidget),
      browser_(new Browser),
      back_(new QToolButton),
      forward_(new QToolButton),
      relayout_(new QTimer(this)) {
    contents_->setAccessibleName(u"Pages of the guide"_s);
    contents_->setFrameShape(QFrame::NoFrame);
    setLook(*contents_, "ground", u"window"_s);
    contents_->setWordWrap(true);
    contents_->setFixedWidth(theme().spacing(kContentsSteps));
    contents_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    const auto addPage = [this](const GuidePage& page) {
        auto* item = new QListWidgetItem(page.title, contents_);
        item->setData(kPageRole, page.id);
    };
    addPage({kGuideContents, u"Contents"_s});
    for (const GuidePage& page : guidePages()) addPage(page);
    connect(contents_, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
        if (item != nullptr && item->data(kPageRole).toString() != place_.page) go({item->data(kPageRole).toString()});
    });

    browser_->setAccessibleName(u"Page of the guide"_s);
    browser_->setOpenLinks(false);
    browser_->setFrameShape(QFrame::NoFrame);
    browser_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // pages as wide as the room do not change it
    connect(browser_, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) { follow(url.toString()); });

    const auto prepare = [this](QToolButton* button, const QString& icon, const QString& title, int step) {
        button->setIcon(theme().icon(icon, "secondary"));
        button->setToolTip(title);
        button->setAccessibleName(title);
        connect(button, &QToolButton::clicked, this, [this, step] { turn(step); });
    };
    prepare(back_, u"back"_s, u"Back to the page before"_s, -1);
    prepare(forward_, u"forward"_s, u"Forward again"_s, 1);
    auto* buttons = bareLayout<QHBoxLayout>(theme().spacing(1));
    buttons->setContentsMargins(theme().spacing(2), theme().spacing(2), theme().spacing(2), theme().spacing(1));
    buttons->addWidget(back_);
    buttons->addWidget(forward_);
    buttons->addStretch(1);
    auto* side = bareLayout<QVBoxLayout>(0);
    side->setContentsMargins(theme().spacing(1), 0, 0, 0);
    side->addLayout(buttons);
    side->addWidget(contents_, 1);
    auto* row = bareLayout<QHBoxLayout>(this);
    row->addLayout(side);
    row->addWidget(browser_, 1);
    setFocusStart(*this, *browser_);

    relayout_->setSingleShot(true);
    relayout_->setInterval(kResizeDelay);
    connect(relayout_, &QTimer::timeout, this, &GuideDocument::layOut);
    connect(&theme(), &Theme::changed, this, &GuideDocument::render);
    go({});
}

void GuideDocument::go(const GuidePlace& place) {
    visited_.resize(at_ + 1);
    visited_.append(place);
    at_ = static_cast<int>(visited_.size()) - 1;
    turnTo(place);
}

void GuideDocument::turn(int step) {
    const int next = at_ + step;
    if (next < 0 || next >= visited_.size()) return;
    at_ = next;
    turnTo(visited_[at_]);
}

void GuideDocument::turnTo(const GuidePlace& place) {
    place_ = place;
    if (guideText(place_.page).isEmpty()) place_ = {};
    for (int i = 0; i < contents_->count(); ++i)
        if (contents_->item(i)->data(kPageRole).toString() == place_.page) contents_->setCurrentRow(i);
    updateButtons();
    render();
}

void GuideDocument::updateButtons() {
    back_->setEnabled(at_ > 0);
    forward_->setEnabled(at_ + 1 < visited_.size());
}

/// "explore.md#Look at the points", "#A heading", or a page of the web.
void GuideDocument::follow(const QString& link) {
    if (link.startsWith(u"http"_s)) {
        QDesktopServices::openUrl(QUrl(link));
        return;
    }
    const QString file = QUrl(link).path();
    QString section;
    if (const QString wanted = QUrl(link).fragment(); !wanted.isEmpty())
        for (QTextBlock block = browser_->document()->begin(); block.isValid(); block = block.next())
            if (block.blockFormat().headingLevel() > 0 &&
                block.text().toLower().replace(QLatin1Char(' '), QLatin1Char('-')) == wanted)
                section = block.text();
    if (file.isEmpty())
        go({place_.page, section});
    else if (file.endsWith(u".md"_s))
        go({file.chopped(3)});
}

void GuideDocument::render() {
    browser_->column = 0;
    layOut();
}

/// The column of text beside the contents, its pictures as wide as it is.
void GuideDocument::layOut() {
    const int width = browser_->viewport()->width();
    const int margin = theme().spacing(kMarginSteps);
    const int column = std::clamp(width - 2 * margin, theme().spacing(kContentsSteps), theme().spacing(kColumnSteps));
    if (column == browser_->column) return keepMargins();
    browser_->column = column;
    QTextDocument* document = browser_->document();
    document->clear();
    document->setDefaultFont(theme().font());
    document->setMarkdown(guideText(place_.page), QTextDocument::MarkdownDialectGitHub);
    style();
    showPlaceInText();
}

/// What is left beside the column, also once a scroll bar has taken some of it.
void GuideDocument::keepMargins() {
    QTextFrame* root = browser_->document()->rootFrame();
    QTextFrameFormat frame = root->frameFormat();
    const int step = theme().spacing();
    const int margin = theme().spacing(kMarginSteps);
    frame.setLeftMargin(margin);
    frame.setRightMargin(std::max(margin, browser_->viewport()->width() - browser_->column - margin));
    frame.setTopMargin(4 * step);
    frame.setBottomMargin(10 * step);
    if (frame != root->frameFormat()) root->setFrameFormat(frame);
}

/// What the style sheet cannot reach: headings, code, tables and margins of the text.
void GuideDocument::style() {
    QTextDocument* document = browser_->document();
    const int step = theme().spacing();
    keepMargins();

    const QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    const QFont heads[] = {theme().font(Theme::Text::headline, true), theme().font(Theme::Text::panelTitle, true),
                           theme().font(Theme::Text::base, true)};
    QTextCursor cursor(document);
    cursor.beginEditBlock();
    for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) {
        cursor.setPosition(block.position());
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        QTextBlockFormat format = block.blockFormat();
        QTextCharFormat letters;
        if (const int level = format.headingLevel(); level > 0) {
            letters.setFont(heads[std::min(level, 3) - 1]);
            format.setTopMargin(level == 1 ? 0 : 5 * step);
            format.setBottomMargin(2 * step);
        } else if (isCode(block)) {
            const bool first = !isCode(block.previous()), last = !isCode(block.next());
            letters.setFontFamilies({fixed.family()});
            letters.setProperty(QTextFormat::FontPixelSize, theme().font(Theme::Text::caption).pixelSize());
            format.setBackground(theme().colour("window"));
            format.setLeftMargin(0);
            format.setTopMargin(first ? 2 * step : 0);
            format.setBottomMargin(last ? 3 * step : 0);
            format.setIndent(0);
            format.setNonBreakableLines(false);
        } else if (block.textList() == nullptr && cursor.currentTable() == nullptr) {
            format.setTopMargin(0);
            format.setBottomMargin(2 * step);
            // A picture is a letter, whose line would be higher, too.
            if (!block.text().contains(QChar::ObjectReplacementCharacter))
                format.setLineHeight(135, QTextBlockFormat::ProportionalHeight);
        } else {
            format.setBottomMargin(step);
            format.setLineHeight(125, QTextBlockFormat::ProportionalHeight);
        }
        cursor.setBlockFormat(format);
        // Headings have a size of their own that would count more.
        if (format.headingLevel() > 0)
            cursor.setCharFormat(letters);
        else if (!letters.isEmpty())
            cursor.mergeCharFormat(letters);
    }
    cursor.endEditBlock();
    for (QTextFrame* child : document->rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(child);
        if (table == nullptr) continue;
        QTextTableFormat format = table->format();
        format.setBorderBrush(theme().colour("border"));
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderCollapse(true);
        format.setBorder(1);
        format.setCellPadding(step);
        format.setTopMargin(step);
        format.setBottomMargin(3 * step);
        table->setFormat(format);
    }
}

void GuideDocument::showPlaceInText() {
    const QTextDocument& document = *browser_->document();
    marked_.clear();
    browser_->setExtraSelections({});
    QTextBlock block = place_.section.isEmpty() ? QTextBlock() : headingOf(document, place_.section);
    if (!place_.field.isEmpty()) {
        // The same label may stand in the form of another question before.
        QTextBlock entry = entryOf(block.isValid() ? block : document.begin(), place_.field);
        if (!entry.isValid()) entry = entryOf(document.begin(), place_.field);
        if (entry.isValid()) block = entry;
    }
    if (!block.isValid()) {
        browser_->verticalScrollBar()->setValue(0);
        return;
    }
    marked_ = block.text();
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(block);
    browser_->setTextCursor(mark.cursor);
    mark.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    mark.format.setBackground(theme().colour("selection"));
    browser_->setExtraSelections({mark});
    const QRect at = browser_->cursorRect(QTextCursor(block));
    QScrollBar* bar = browser_->verticalScrollBar();
    bar->setValue(bar->value() + at.top() - theme().spacing(kMarginSteps));
}

void GuideDocument::resizeEvent(QResizeEvent* event) {
    Document::resizeEvent(event);
    relayout_->start();
}

QJsonObject GuideDocument::saveView() const {
    return {{u"page"_s, place_.page}, {u"section"_s, place_.section}};
}

void GuideDocument::restoreView(const QJsonObject& view) {
    go({view[u"page"_s].toString(kGuideContents), view[u"section"_s].toString()});
}

}  // namespace tessera::ui
