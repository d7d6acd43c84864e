#include "ui/editors/editor_frame.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/editors/editor_core.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxShownProblems = 4;
constexpr int kNarrow = 900;         // pixels below which the picture goes under the fields
constexpr int kTwoColumns = 1240;    // pixels from which fields without a picture stand in two columns
constexpr double kTitleShare = 0.5;  // of the title line
constexpr int kProblemMargins = 36;  // steps of spacing around the sentence of a problem

void clear(QLayout& layout) {
    while (QLayoutItem* item = layout.takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

QFrame* line(QWidget* parent) {
    auto* made = new QFrame(parent);
    made->setFixedHeight(1);
    setLook(*made, "line", true);
    return made;
}

}  // namespace

EditorFrame::EditorFrame(const QString& icon, QWidget* parent)
    : QWidget(parent),
      icon_(new QLabel(this)),
      title_(new QLabel(this)),
      caption_(new QLabel(this)),
      noticeText_(new QLabel(this)),
      refusal_(new QLabel(this)),
      buttons_(new QHBoxLayout),
      notice_(new QFrame(this)),
      foot_(new QFrame(this)),
      noticeChoices_(new QHBoxLayout),
      scroll_(new QScrollArea(this)),
      splitter_(new QSplitter(Qt::Horizontal, this)) {
    setLook(*this, "ground", u"surface"_s);
    setAttribute(Qt::WA_StyledBackground);
    const int pad = theme().spacing(4);
    auto* layout = bareLayout<QVBoxLayout>(this, 0);

    auto* head = new QHBoxLayout;
    head->setContentsMargins(pad, theme().spacing(3), pad, theme().spacing(3));
    head->setSpacing(theme().spacing(2));
    setIcon(icon);
    for (QLabel* text : {title_, caption_, noticeText_, refusal_}) text->setTextFormat(Qt::PlainText);
    setLook(*title_, "letters", u"panel-title"_s);
    setLook(*caption_, "tone", u"secondary"_s);
    title_->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    title_->setMinimumWidth(theme().spacing(4));
    caption_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    buttons_->setSpacing(theme().spacing(1));
    head->addWidget(icon_);
    head->addWidget(title_);
    head->addWidget(caption_, 1);
    head->addLayout(buttons_);
    layout->addLayout(head);
    layout->addWidget(line(this));

    auto* noticeLayout = new QHBoxLayout(notice_);
    noticeLayout->setContentsMargins(pad, theme().spacing(2), pad, theme().spacing(2));
    noticeText_->setWordWrap(true);
    noticeLayout->addWidget(noticeText_, 1);
    noticeLayout->addLayout(noticeChoices_);
    setLook(*notice_, "ground", u"raised"_s);
    notice_->hide();
    layout->addWidget(notice_);

    refusal_->setWordWrap(true);
    refusal_->setAlignment(Qt::AlignCenter);
    setLook(*refusal_, "tone", u"secondary"_s);
    refusal_->hide();
    layout->addWidget(refusal_, 1);

    auto* left = new QWidget;
    setLook(*left, "ground", u"surface"_s);
    columns_ = new QBoxLayout(QBoxLayout::TopToBottom, left);
    columns_->setContentsMargins(pad, pad, pad, pad);
    fields_ = new QVBoxLayout;
    furtherFields_ = new QVBoxLayout;
    for (QVBoxLayout* column : {fields_, furtherFields_}) {
        column->setSpacing(theme().spacing(5));
        columns_->addLayout(column);
    }
    scroll_->setWidget(left);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);
    auto* right = new QWidget;
    setLook(*right, "ground", u"surface"_s);
    picture_ = new QVBoxLayout(right);
    picture_->setContentsMargins(pad, pad, pad, pad);
    picture_->setSpacing(theme().spacing(2));
    splitter_->addWidget(scroll_);
    splitter_->addWidget(right);
    splitter_->setStretchFactor(0, 0);
    splitter_->setStretchFactor(1, 1);
    splitter_->setChildrenCollapsible(false);
    splitter_->setHandleWidth(1);
    layout->addWidget(splitter_, 1);

    auto* footLayout = bareLayout<QVBoxLayout>(foot_, 0);
    footLayout->addWidget(line(foot_));
    auto* list = new QWidget(foot_);
    problems_ = new QVBoxLayout(list);
    // The buttons' own padding lets their icons stand where titles stand.
    problems_->setContentsMargins(pad - theme().spacing(3), theme().spacing(2), pad, theme().spacing(2));
    problems_->setSpacing(0);
    footLayout->addWidget(list);
    foot_->hide();
    layout->addWidget(foot_);
}

void EditorFrame::setIcon(const QString& icon) {
    const int side = theme().size("icon");
    icon_->setPixmap(theme().icon(icon, "secondary").pixmap(side, side));
}

void EditorFrame::setTitle(const QString& title, const QString& caption) {
    wholeTitle_ = QString::fromStdString(escaped(title.toStdString(), 80));
    fitTitle();
    caption_->setText(caption);
    caption_->setToolTip(caption);
}

/// A long title is cut, and does not keep the window from being narrow.
void EditorFrame::fitTitle() {
    title_->ensurePolished();
    const QString fitting =
        title_->fontMetrics().elidedText(wholeTitle_, Qt::ElideRight, static_cast<int>(width() * kTitleShare));
    title_->setText(fitting);
    title_->setToolTip(fitting == wholeTitle_ ? QString() : wholeTitle_.toHtmlEscaped());
    title_->setAccessibleName(wholeTitle_);
}

/// A long sentence is cut, too; the whole one stands beside its field.
void EditorFrame::fitProblem(QToolButton& button) const {
    const int room = width() - theme().spacing(kProblemMargins) - theme().size("icon");
    button.ensurePolished();
    QString text = button.fontMetrics().elidedText(
        QString::fromStdString(escaped(button.accessibleName().toStdString())), Qt::ElideRight, room);
    button.setText(text.replace(QLatin1Char('&'), u"&&"_s));
}

void EditorFrame::setSideWidth(int pixels) {
    sideWidth_ = pixels;
    arrange();
}

void EditorFrame::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitTitle();
    for (QToolButton* button : problemButtons_) fitProblem(*button);
    const bool narrow = width() < kNarrow;
    if (sideWidth_ > 0 && narrow != (splitter_->orientation() == Qt::Vertical)) arrange();
    if (columnWidth_ > 0) arrangeColumns();
}

void EditorFrame::arrange() {
    const bool narrow = width() < kNarrow;
    splitter_->setOrientation(narrow ? Qt::Vertical : Qt::Horizontal);
    if (narrow)
        splitter_->setSizes({height() / 2, height() / 2});
    else
        splitter_->setSizes({sideWidth_, std::max(sideWidth_, width() - sideWidth_)});
}

void EditorFrame::setColumns(int pixels) {
    columnWidth_ = pixels;
    splitter_->widget(1)->hide();
    for (QVBoxLayout* column : {fields_, furtherFields_}) columns_->setAlignment(column, Qt::AlignTop);
    arrangeColumns();
}

void EditorFrame::arrangeColumns() {
    const bool beside = width() >= kTwoColumns;
    columns_->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    columns_->setSpacing(theme().spacing(beside ? 10 : 5));
    columns_->setStretch(0, beside ? 1 : 0);
    columns_->setStretch(1, 1);
    scroll_->widget()->setMaximumWidth(columnWidth_ * (beside ? 2 : 1));
}

QHBoxLayout* EditorFrame::actionBar() {
    if (actionBar_ != nullptr) return actionBar_;
    layout()->addWidget(line(this));
    actionBar_ = new QHBoxLayout;
    actionBar_->setContentsMargins(theme().spacing(4), theme().spacing(3), theme().spacing(4), theme().spacing(3));
    actionBar_->setSpacing(theme().spacing(3));
    static_cast<QVBoxLayout*>(layout())->addLayout(actionBar_);
    return actionBar_;
}

void EditorFrame::setNotice(const QString& sentence, const QVector<Choice>& choices) {
    clear(*noticeChoices_);
    noticeText_->setText(sentence);
    for (const Choice& choice : choices) {
        auto* button = new QPushButton(choice.title, notice_);
        button->setAccessibleDescription(sentence);
        connect(button, &QPushButton::clicked, this, [this, run = choice.run] {
            clearNotice();
            run();
        });
        noticeChoices_->addWidget(button);
    }
    notice_->show();
}

void EditorFrame::clearNotice() {
    notice_->hide();
}

void EditorFrame::setRefusal(const QString& sentence) {
    refusal_->setText(sentence);
    refusal_->setVisible(!sentence.isEmpty());
    splitter_->setVisible(sentence.isEmpty());
    foot_->setVisible(false);
}

void EditorFrame::setProblems(const Problems& problems, const std::function<QString(const std::string& field)>& name) {
    clear(*problems_);
    problemButtons_.clear();
    foot_->setVisible(!problems.isEmpty() && refusal_->isHidden());
    int shown = 0;
    for (const Problem& problem : problems) {
        if (++shown > kMaxShownProblems) break;
        const QString where = name(problem.field);
        auto* button = new QToolButton(foot_);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIcon(theme().icon(u"warning"_s, "bad"));
        const QString text = where.isEmpty() ? problem.sentence : u"%1: %2"_s.arg(where, problem.sentence);
        button->setToolTip(u"Go to the field"_s);
        button->setAccessibleName(text);
        button->setMinimumWidth(theme().spacing(4));
        fitProblem(*button);
        problemButtons_ << button;
        connect(button, &QToolButton::clicked, this,
                [this, field = QString::fromStdString(problem.field)] { emit problemChosen(field); });
        auto* row = new QWidget(foot_);
        auto* line = bareLayout<QHBoxLayout>(row);
        line->addWidget(button);
        line->addStretch(1);
        if (problem.unknown) {
            auto* remove = new QPushButton(u"Remove"_s, row);
            remove->setAccessibleName(u"Remove %1"_s.arg(where));
            connect(remove, &QPushButton::clicked, this,
                    [this, field = QString::fromStdString(problem.field)] { emit removalChosen(field); });
            line->addWidget(remove);
        }
        problems_->addWidget(row);
        row->show();
    }
    if (shown > kMaxShownProblems) {
        auto* more = new QLabel(u"and %1 more"_s.arg(problems.size() - kMaxShownProblems), foot_);
        setLook(*more, "tone", u"secondary"_s);
        problems_->addWidget(more);
        more->show();
    }
}

void EditorFrame::offerRecovery(EditorCore& core) {
    if (!core.recovery()) return;
    const QString when = QLocale().toString(core.recovery()->when, u"d MMM, HH:mm"_s);
    QString sentence = u"Your edits from %1, which were not saved, are back."_s.arg(when);
    if (core.isFileOfAnotherState()) sentence += QLatin1Char(' ') + u"The file has changed since then."_s;
    setNotice(sentence, {{u"Keep them"_s, [] {}}, {u"Discard them"_s, [&core] { core.discardEdits(); }}});
}

QLabel* EditorFrame::sectionTitle(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setFont(theme().font(Theme::Text::base, true));
    return label;
}

}  // namespace tessera::ui
